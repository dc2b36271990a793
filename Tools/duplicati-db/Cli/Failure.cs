// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Migrations;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Tool.Cli;

/// <summary>What a failure is to a user.</summary>
/// <param name="Code">Exit code.</param>
/// <param name="HelpId">Its stable name.</param>
/// <param name="Message">What is wrong, and what can be done about it.</param>
/// <param name="IsPassing">Whether the same command can do better when its cause has gone.</param>
internal readonly record struct Failure(int Code, string HelpId, string Message, bool IsPassing = false)
{
    /// <summary>The failure of an exception.</summary>
    internal static Failure Of(Exception exception) =>
        exception switch
        {
            UserInformationException ex when DatabaseFailure.Behind(ex) is { } cause => Passing(DatabaseFailure.Describe(cause), cause),
            UserInformationException ex => new Failure(
                ExitCode.Of(ex.HelpID),
                ex.HelpID,
                ex.Message,
                ex is RemoteException || ex.HelpID == "DiskIsFull"
            ),
            OperationCanceledException => Passing(("Cancelled", "Interrupted.")),
            DatabaseUpgradeException ex => Passing(DatabaseFailure.Describe(ex), ex.InnerException),
            SqliteException ex => Passing(DatabaseFailure.Describe(ex), ex),
            IOException { InnerException: SqliteException ex } => Passing(DatabaseFailure.Describe(ex), ex),
            IOException or UnauthorizedAccessException => Passing(FileFailure.Describe(exception)),
            ArgumentException => Passing(FileFailure.Describe(exception)) with { IsPassing = false },
            _ => new Failure(ExitCode.Internal, exception.GetType().Name, exception.ToString()),
        };

    private static Failure Passing((string HelpId, string Message) described, Exception? cause = null) =>
        new(ExitCode.Of(described.HelpId), described.HelpId, described.Message, !DatabaseFailure.IsLasting(cause));
}

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

/// <summary>What a user can do about a failure of the file system.</summary>
internal static class FileFailure
{
    // EROFS of Linux and macOS; ERROR_WRITE_PROTECT of Windows.
    private const int ReadOnly = 30;
    private const int WindowsWriteProtect = unchecked((int)0x80070013);

    /// <summary>Help id and remedy of a failure.</summary>
    internal static (string HelpId, string Message) Describe(Exception failure) =>
        failure switch
        {
            IOException when DiskSpace.IsExhausted(failure) => (
                "DiskIsFull",
                $"There is no space left, on the disk or within a limit: {Sentence(failure)} Free some."
            ),
            IOException { HResult: ReadOnly or WindowsWriteProtect } => (
                "FileIsReadOnly",
                $"The file system is read-only: {Sentence(failure)} Choose another folder."
            ),
            FileNotFoundException or DirectoryNotFoundException => ("FileMissing", $"{Sentence(failure)} Check the path."),
            UnauthorizedAccessException => ("AccessDenied", $"{Sentence(failure)} Check the permissions of the file and its folder."),
            ArgumentException { ParamName: { } name } => (
                "InvalidArgument",
                failure.Message.Replace($" (Parameter '{name}')", "", StringComparison.Ordinal)
            ),
            ArgumentException => ("InvalidArgument", failure.Message),
            _ => (failure.GetType().Name, failure.Message),
        };

    private static string Sentence(Exception failure) => failure.Message.TrimEnd('.', ' ') + ".";
}
