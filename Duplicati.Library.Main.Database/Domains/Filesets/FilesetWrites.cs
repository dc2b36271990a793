// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>Changes to filesets. Nothing here commits.</summary>
internal static class FilesetWrites
{
    // Row id.
    private const string SetTimeSql = """UPDATE "Fileset" SET "Timestamp" = ?1 WHERE "ID" = ?2""";

    // Last row by row id; last row by the primary key of FilesetEntry; reads ChangeJournalData, a few rows a version. A fileset that got
    // the id of a removed one would inherit what is left of it.
    private const string Insert = """
        INSERT INTO "Fileset" ("ID", "OperationID", "Timestamp", "VolumeID", "IsFullBackup")
        VALUES (
            1 + MAX(
                (SELECT IFNULL(MAX("ID"), 0) FROM "Fileset"),
                (SELECT IFNULL(MAX("FilesetID"), 0) FROM "FilesetEntry"),
                (SELECT IFNULL(MAX("FilesetID"), 0) FROM "ChangeJournalData")),
            ?1, ?2, ?3, 0)
        """;

    // Primary key.
    internal const string InsertEntry = """INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (?1, ?2, ?3)""";

    // Row id.
    private const string SetVolume = """UPDATE "Fileset" SET "VolumeID" = ?1 WHERE "ID" = ?2""";

    // Row id.
    private const string SetFullSql = """UPDATE "Fileset" SET "IsFullBackup" = ?1 WHERE "ID" = ?2""";

    // Primary key of FilesetEntry.
    internal const string ClearEntriesSql = """DELETE FROM "FilesetEntry" WHERE "FilesetID" = ?1""";

    // Primary key of FilesetEntry on both sides; the earlier fileset is found by reading Fileset, one row a version.
    private const string PushTimestampsSql = """
        UPDATE "FilesetEntry"
        SET "Lastmodified" = (SELECT "Newer"."Lastmodified" FROM "FilesetEntry" AS "Newer" WHERE "Newer"."FilesetID" = ?1 AND "Newer"."FileID" = "FilesetEntry"."FileID")
        WHERE "FilesetID" = (SELECT "ID" FROM "Fileset" WHERE "ID" <> ?1 ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1)
          AND EXISTS (
            SELECT 1 FROM "FilesetEntry" AS "Newer"
            WHERE "Newer"."FilesetID" = ?1 AND "Newer"."FileID" = "FilesetEntry"."FileID" AND "Newer"."Lastmodified" <> "FilesetEntry"."Lastmodified")
        """;

    /// <summary>Adds a partial fileset and returns its id. The time is cut to whole seconds.</summary>
    internal static long Create(DatabaseSession session, long operationId, long volumeId, DateTime timestamp)
    {
        _ = session.HasToAskAgain();
        using var insert = session.Take(Insert);
        insert
            .Bind(1, operationId)
            .Bind(2, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(timestamp))
            .Bind(3, volumeId)
            .ExecuteNonQuery();
        return session.Statements.LastInsertRowId;
    }

    /// <summary>Makes a volume the list of a fileset.</summary>
    /// <exception cref="Exception">There is no such fileset.</exception>
    internal static void LinkToVolume(DatabaseSession session, long filesetId, long volumeId)
    {
        _ = session.HasToAskAgain();
        using var update = session.Take(SetVolume);
        var rows = update.Bind(1, volumeId).Bind(2, filesetId).ExecuteNonQuery();
        if (rows != 1)
            throw new Exception($"Expected one fileset with id {filesetId}, changed {rows} rows.");
    }

    /// <summary>Marks a fileset as full or partial; an unknown id is ignored.</summary>
    internal static void SetFull(DatabaseSession session, long filesetId, bool full)
    {
        _ = session.HasToAskAgain();
        using var update = session.Take(SetFullSql);
        update.Bind(1, full ? Local.BackupType.FULL_BACKUP : Local.BackupType.PARTIAL_BACKUP).Bind(2, filesetId).ExecuteNonQuery();
    }

    /// <summary>Sets the time of a fileset, cut to whole seconds; an unknown id is ignored.</summary>
    internal static void SetTime(DatabaseSession session, long filesetId, DateTime timestamp)
    {
        _ = session.HasToAskAgain();
        using var update = session.Take(SetTimeSql);
        update.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(timestamp)).Bind(2, filesetId).ExecuteNonQuery();
    }

    /// <summary>Adds a file to a fileset.</summary>
    /// <param name="session">The session.</param>
    /// <param name="filesetId">The fileset.</param>
    /// <param name="fileId">Row id in FileLookup.</param>
    /// <param name="ticks">Time of last change, 100 ns ticks, UTC.</param>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">Code 19: the file is in the fileset already.</exception>
    internal static void AddEntry(DatabaseSession session, long filesetId, long fileId, long ticks)
    {
        session.ThrowIfRolledBack();
        using var insert = session.Take(InsertEntry);
        insert.Bind(1, filesetId).Bind(2, fileId).Bind(3, ticks).ExecuteNonQuery();
    }

    /// <summary>Removes all entries of a fileset. Linear in their number.</summary>
    internal static void ClearEntries(DatabaseSession session, long filesetId)
    {
        _ = session.HasToAskAgain();
        using var delete = session.Take(ClearEntriesSql);
        delete.Bind(1, filesetId).ExecuteNonQuery();
    }

    /// <summary>The newest other fileset takes over the times of change of the files that both have. Linear in its entries.</summary>
    internal static void PushTimestamps(DatabaseSession session, long filesetId)
    {
        _ = session.HasToAskAgain();
        using var update = session.Take(PushTimestampsSql);
        update.Bind(1, filesetId).ExecuteNonQuery();
    }

    /// <summary>
    /// Renames a volume; see <see cref="VolumeWrites.Rename"/>. A list volume gets an empty fileset for its old name, since a list
    /// without a fileset counts as damage.
    /// </summary>
    /// <returns>True if a fileset was added.</returns>
    internal static bool RenameVolume(DatabaseSession session, long operationId, string oldname, string newname)
    {
        var (placeholderId, type) = VolumeWrites.Rename(session, operationId, oldname, newname);
        if (type != RemoteVolumeType.Files)
            return false;

        Create(session, operationId, placeholderId, DateTime.UnixEpoch);
        return true;
    }
}
