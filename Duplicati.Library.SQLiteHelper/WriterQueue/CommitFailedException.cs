// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.WriterQueue;

/// <summary>
/// A group of works was not committed, through no fault of this caller's work: the disk is full, another connection held the write
/// lock for longer than this one waits, the disk failed. Nothing of the group is in the database. The queue goes on: works handed
/// in later are tried.
/// </summary>
/// <remarks>
/// <see cref="SqliteException.SqliteErrorCode"/> is the engine's code, one of <see cref="ResultCode"/>. After an I/O error the disk may
/// still hold the complete group, and a crash before the next commit may bring it back, as with any commit that failed so.
/// </remarks>
public sealed class CommitFailedException : SqliteException
{
    internal CommitFailedException(Exception cause, int works)
        : base(
            string.Create(CultureInfo.InvariantCulture, $"A group of works ({works}) was not committed: {cause.Message}"),
            cause is SqliteException sqlite ? sqlite.SqliteErrorCode : ResultCode.Error,
            cause is SqliteException extended ? extended.SqliteExtendedErrorCode : ResultCode.Error
        )
    {
        Cause = cause;
        Works = works;
    }

    /// <summary>What happened, the same object for every caller of the group.</summary>
    public Exception Cause { get; }

    /// <summary>Number of works in the group.</summary>
    public int Works { get; }
}
