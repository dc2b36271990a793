// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// The result codes of SQLite that the data layer tells apart, as <c>SqliteException.SqliteErrorCode</c> holds them. Source:
/// https://www.sqlite.org/rescode.html.
/// </summary>
internal static class ResultCode
{
    /// <summary>The statement is wrong, or not allowed at this moment.</summary>
    public const int Error = 1;

    /// <summary>Another connection holds the lock.</summary>
    public const int Busy = 5;

    /// <summary>Another statement of this connection is in the way.</summary>
    public const int Locked = 6;

    /// <summary>The database cannot be written.</summary>
    public const int ReadOnly = 8;

    /// <summary>The statement was interrupted.</summary>
    public const int Interrupt = 9;

    /// <summary>Pages do not hold together.</summary>
    public const int Corrupt = 11;

    /// <summary>The disk is full.</summary>
    public const int Full = 13;

    /// <summary>The file, or its log, cannot be opened.</summary>
    public const int CannotOpen = 14;

    /// <summary>The log and its index do not agree, for as long as SQLite waits for that.</summary>
    public const int Protocol = 15;

    /// <summary>A unique key, a NOT NULL or another constraint refuses the row.</summary>
    public const int Constraint = 19;
}
