// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Migrations;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Tool.Cli;

/// <summary>What a user can do about a failure of SQLite.</summary>
internal static class DatabaseFailure
{
    /// <summary>Help id and remedy of a failure.</summary>
    internal static (string HelpId, string Message) Describe(SqliteException failure) =>
        failure.SqliteExtendedErrorCode switch
        {
            // Quotas and limits of file sizes; SQLite knows a full disk alone by its name.
            raw.SQLITE_IOERR_WRITE or raw.SQLITE_IOERR_TRUNCATE or raw.SQLITE_IOERR_SHMSIZE or raw.SQLITE_IOERR_SHMOPEN => (
                "DiskIsFull",
                $"The database cannot grow: a quota or a limit of file sizes is reached, or the disk fails; nothing of the last step was kept. Make room. {failure.Message}"
            ),
            raw.SQLITE_IOERR_READ or raw.SQLITE_IOERR_SHORT_READ or raw.SQLITE_IOERR_FSYNC => (
                "DatabaseIsNotAccessible",
                $"The disk that holds the database fails. {failure.Message}"
            ),
            _ => ByCode(failure),
        };

    /// <summary>
    /// The failure behind what the layer tells of the first reading, which takes every one for a file of another kind; null if it is one,
    /// or something else is wrong.
    /// </summary>
    internal static SqliteException? Behind(UserInformationException failure) =>
        failure.InnerException switch
        {
            SqliteException { SqliteErrorCode: raw.SQLITE_FULL or raw.SQLITE_IOERR } cause => cause,
            SqliteException { SqliteErrorCode: not (raw.SQLITE_NOTADB or raw.SQLITE_ERROR) } cause
                when failure.HelpID == "DatabaseFormatError" => cause,
            _ => null,
        };

    /// <summary>Help id and remedy of an upgrade that failed: those of its cause, after what the upgrade says.</summary>
    internal static (string HelpId, string Message) Describe(DatabaseUpgradeException failure)
    {
        var (helpId, remedy) = failure.InnerException switch
        {
            SqliteException cause => Describe(cause),
            IOException or UnauthorizedAccessException => FileFailure.Describe(failure.InnerException),
            _ => ("DatabaseUpgradeFailed", ""),
        };
        return (helpId, $"{failure.Message} The database has version {failure.Version}. {remedy}".TrimEnd());
    }

    /// <summary>Whether the same statement would fail again, because of what is in the database.</summary>
    internal static bool IsLasting(Exception? cause) =>
        cause is SqliteException { SqliteErrorCode: raw.SQLITE_ERROR or raw.SQLITE_SCHEMA or raw.SQLITE_CONSTRAINT or raw.SQLITE_MISMATCH };

    private static (string HelpId, string Message) ByCode(SqliteException failure) =>
        failure.SqliteErrorCode switch
        {
            raw.SQLITE_BUSY or raw.SQLITE_LOCKED => (
                "DatabaseIsBusy",
                $"The database is in use by another program; try again when it has finished. {failure.Message}"
            ),
            raw.SQLITE_NOTADB => ("DatabaseFormatError", $"The file is no database. {Advice.NotADatabase()} {failure.Message}"),
            raw.SQLITE_CORRUPT => ("DatabaseIsDamaged", $"The database file is damaged. {Advice.DamagedDatabase()} {failure.Message}"),
            raw.SQLITE_FULL => (
                "DiskIsFull",
                $"There is no space left for the database; nothing of the last step was kept. Free some. {failure.Message}"
            ),
            raw.SQLITE_READONLY or raw.SQLITE_CANTOPEN or raw.SQLITE_PERM => (
                "DatabaseIsNotAccessible",
                $"The database cannot be opened or written; check path and permissions. {failure.Message}"
            ),
            _ => ("DatabaseError", failure.Message),
        };
}
