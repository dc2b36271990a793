using Duplicati.Engine.Common;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Tool.Cli;

/// <summary>What a user can do about a failure of SQLite.</summary>
internal static class DatabaseFailure
{
    /// <summary>Help id and remedy of a failure.</summary>
    internal static (string HelpId, string Message) Describe(SqliteException failure) => failure.SqliteErrorCode switch
    {
        raw.SQLITE_BUSY or raw.SQLITE_LOCKED => ("DatabaseIsBusy", $"The database is in use by another program; try again when it has finished. {failure.Message}"),
        raw.SQLITE_NOTADB => ("DatabaseFormatError", $"The file is no database; check the path. {failure.Message}"),
        raw.SQLITE_CORRUPT => ("DatabaseIsDamaged", $"The database file is damaged. {Advice.RecreateDatabase()} {failure.Message}"),
        raw.SQLITE_FULL => ("DiskIsFull", $"There is no space left for the database; nothing of the last step was kept. {failure.Message}"),
        raw.SQLITE_READONLY or raw.SQLITE_CANTOPEN or raw.SQLITE_PERM => ("DatabaseIsNotAccessible", $"The database cannot be opened or written; check path and permissions. {failure.Message}"),
        _ => ("DatabaseError", failure.Message),
    };
}
