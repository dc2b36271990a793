// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Filesets that have lost their list volume or their files.</summary>
/// <remarks>Must be called with the connection lock held. Nothing here commits.</remarks>
internal static class RepairFilesets
{
    // RemotevolumeNameOnly; Fileset has one row a version.
    private const string OfVolumeSql = """
        SELECT "ID", "Timestamp", "IsFullBackup" FROM "Fileset"
        WHERE "VolumeID" = (SELECT "Remotevolume"."ID" FROM "Remotevolume" WHERE "Remotevolume"."Name" = ?1)
        ORDER BY "ID" LIMIT 1
        """;

    // Primary key of FilesetEntry.
    private const string MoveEntriesSql = """UPDATE "FilesetEntry" SET "FilesetID" = ?1 WHERE "FilesetID" = ?2""";

    // Reads the entries in the order of their files, FileLookup by id. Once a repair.
    internal const string WithMissingFilesSql = """
        SELECT "ID", "Timestamp" FROM "Fileset"
        WHERE "ID" IN (
            SELECT "FilesetEntry"."FilesetID" FROM "FilesetEntry"
            WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID"))
        ORDER BY "ID"
        """;

    // One row a version; Remotevolume by id.
    private const string WithoutVolumeSql = """
        SELECT "ID", "Timestamp", "IsFullBackup" FROM "Fileset"
        WHERE NOT EXISTS (
            SELECT 1 FROM "Remotevolume"
            WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."Type" = 'Files' AND "Remotevolume"."State" NOT IN ('Deleting', 'Deleted'))
        ORDER BY "ID"
        """;

    /// <summary>Id, time (epoch seconds) and completeness of the fileset of a list volume.</summary>
    /// <exception cref="Exception">There is none.</exception>
    internal static (long Id, long EpochSeconds, bool IsFull) OfVolume(DatabaseSession session, string name)
    {
        using var select = session.Take(OfVolumeSql);
        if (!select.Bind(1, name).Read())
            throw new Exception($"No fileset belongs to the remote volume {name}.");
        return (select.GetInt64(0), select.GetInt64(1), select.GetInt64(2) == BackupType.FULL_BACKUP);
    }

    /// <summary>Moves all entries from one fileset to another.</summary>
    internal static void MoveEntries(DatabaseSession session, long toFilesetId, long fromFilesetId)
    {
        using var move = session.Take(MoveEntriesSql);
        move.Bind(1, toFilesetId).Bind(2, fromFilesetId).ExecuteNonQuery();
    }

    /// <summary>Deletes all entries of a fileset and returns their number.</summary>
    internal static int DeleteEntries(DatabaseSession session, long filesetId)
    {
        using var delete = session.Take(FilesetWrites.ClearEntriesSql);
        return delete.Bind(1, filesetId).ExecuteNonQuery();
    }

    /// <summary>Filesets with an entry whose file does not exist, by id.</summary>
    internal static List<FilesetTime> WithMissingFiles(DatabaseSession session)
    {
        using var select = session.Take(WithMissingFilesSql);
        return select.ReadAll(static row => new FilesetTime(row.GetInt64(0), row.GetInt64(1)));
    }

    /// <summary>Filesets whose list volume does not exist, is deleted or is no list, by id.</summary>
    internal static List<(long Id, long EpochSeconds, bool IsFull)> WithoutVolume(DatabaseSession session)
    {
        using var select = session.Take(WithoutVolumeSql);
        return select.ReadAll(static row => (row.GetInt64(0), row.GetInt64(1), row.GetInt64(2) == BackupType.FULL_BACKUP));
    }
}
