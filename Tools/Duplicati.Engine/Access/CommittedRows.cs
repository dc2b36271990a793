// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Files;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Engine.Access;

/// <summary>
/// Brings what was committed to the disk before something goes from the remote folder for good: after a power loss the database would look
/// there for what it had moved elsewhere, and know nothing of where that is. Most presets flush no commit by itself.
/// </summary>
internal static class CommittedRows
{
    /// <summary>
    /// Returns when all that was committed survives a power loss, but for what was committed without any flush (<c>synchronous=OFF</c>).
    /// Once before a group of steps, after the commit of what decides on them. Costs a flush of the log.
    /// </summary>
    /// <remarks>
    /// Not by a checkpoint, which also flushes the log, but passes over that where a reader keeps it from moving anything.
    /// </remarks>
    /// <exception cref="SqliteException">The disk refused, as SQLite says it (<c>SQLITE_IOERR_FSYNC</c>). Not to be tried again: the next
    /// flush may succeed without what this one has lost.</exception>
    internal static void Flush(LocalDatabase database)
    {
        var path = Path.GetFullPath(database.Connection.DataSource);
        var log = path + "-wal";
        try
        {
            // SQLite flushes the name of the log together with its head, and what it moves into the database.
            if (File.Exists(log))
                DurableFiles.Standard.FlushFile(log);
            // Without a log, a journal that a power loss brings back would undo the last commit.
            else
                DurableFiles.Standard.FlushFolder(Path.GetDirectoryName(path)!);
        }
        catch (IOException ex)
        {
            throw new SqliteException(
                $"What was committed cannot be flushed to the disk: {ex.Message}",
                raw.SQLITE_IOERR,
                raw.SQLITE_IOERR_FSYNC
            );
        }
        catch (UnauthorizedAccessException)
        {
            // Not a disk that fails: SQLite could write it, this program may not open it any more.
        }
    }
}
