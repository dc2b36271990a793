// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Listing;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>What would be hit by losing some volumes, given by name. Names that no volume has are ignored.</summary>
internal static class AffectedReads
{
    // The volumes are in the temporary table SelectedVolume.

    // Index RemotevolumeNameOnly.
    private const string SelectVolume =
        """INSERT OR IGNORE INTO temp."SelectedVolume" ("ID") SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Block_IndexByVolumeId, BlocksetEntry_IndexIdsBackwards.
    private const string SelectBlocksets = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT "BlocksetEntry"."BlocksetID"
        FROM temp."SelectedVolume"
        CROSS JOIN "Block" ON "Block"."VolumeID" = "SelectedVolume"."ID"
        CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlockID" = "Block"."ID"
        """;

    // nn_FileLookup_BlockMeta.
    private const string SelectFilesByData = """
        INSERT OR IGNORE INTO temp."AffectedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM temp."SelectedBlockset" CROSS JOIN "FileLookup" ON "FileLookup"."BlocksetID" = "SelectedBlockset"."ID"
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID.
    private const string SelectFilesByMetadata = """
        INSERT OR IGNORE INTO temp."AffectedFile" ("ID")
        SELECT "FileLookup"."ID"
        FROM temp."SelectedBlockset"
        CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "SelectedBlockset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."MetadataID" = "Metadataset"."ID"
        """;

    // Reads Fileset, one row a version; primary key of FilesetEntry.
    private const string SelectFilesByList = """
        INSERT OR IGNORE INTO temp."AffectedFile" ("ID")
        SELECT "FilesetEntry"."FileID"
        FROM "Fileset" CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "Fileset"."ID"
        WHERE "Fileset"."VolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
        """;

    // Reads Fileset, one row a version; for each, primary key of FilesetEntry until the first file is found.
    private const string FilesetsSql = """
        SELECT "Fileset"."ID" FROM "Fileset"
        WHERE "Fileset"."VolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
            OR EXISTS (
                SELECT 1 FROM temp."AffectedFile"
                CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "Fileset"."ID" AND "FilesetEntry"."FileID" = "AffectedFile"."ID")
        """;

    // Row ids; sorts the paths.
    private const string Paths = """
        SELECT DISTINCT "PathPrefix"."Prefix" || "FileLookup"."Path" AS "FullPath"
        FROM temp."AffectedFile"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "AffectedFile"."ID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        ORDER BY "FullPath"
        """;

    // Reads Fileset, one row a version.
    private const string SelectFilesetsByList = """
        INSERT OR IGNORE INTO temp."SelectedFileset" ("ID")
        SELECT "ID" FROM "Fileset" WHERE "VolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
        """;

    // Primary key of the temporary table.
    private const string SelectName = """INSERT OR IGNORE INTO temp."AffectedName" ("Name") VALUES (?1)""";

    // Reads LogData and RemoteOperation, histories that are kept for a month.
    private const string LogLinesSql = """
        SELECT "LogData"."Timestamp", "LogData"."Message" || ' ' || COALESCE("LogData"."Exception", '')
        FROM "LogData"
        WHERE EXISTS (SELECT 1 FROM temp."AffectedName" WHERE "LogData"."Message" LIKE '%' || "AffectedName"."Name" || '%')
        UNION
        SELECT "RemoteOperation"."Timestamp", COALESCE("RemoteOperation"."Data", '')
        FROM "RemoteOperation"
        WHERE EXISTS (SELECT 1 FROM temp."AffectedName" WHERE "AffectedName"."Name" = "RemoteOperation"."Path")
        ORDER BY 1, 2
        """;

    /// <summary>
    /// Filesets with a file whose data or metadata has a block in one of the volumes, and those listed in one of them; newest first.
    /// </summary>
    internal static List<IListResultFileset> Filesets(DatabaseSession session, IEnumerable<string>? names)
    {
        SelectVolumes(session, names);
        SelectFilesByBlocks(session);
        var ids = new HashSet<long>();
        using (var select = session.Take(FilesetsSql))
        {
            while (select.Read())
                ids.Add(select.GetInt64(0));
        }

        return FilesetListing
            .All(session)
            .FindAll(x => ids.Contains(x.Id))
            .ConvertAll(x => (IListResultFileset)new ListedVersion(x.Version, 0, x.Utc.ToLocalTime(), 0, 0, null));
    }

    /// <summary>
    /// Paths of the files whose data or metadata has a block in one of the volumes, and of all files of the filesets listed in one of them;
    /// ascending.
    /// </summary>
    internal static List<IListResultFile> Files(DatabaseSession session, IEnumerable<string>? names)
    {
        SelectVolumes(session, names);
        SelectFilesByBlocks(session);
        session.Run(SelectFilesByList);
        using var select = session.Take(Paths);
        return select.ReadAll<IListResultFile>(static row => new ListResultFile(
            row.GetString(0) ?? throw new InvalidOperationException("Path is null"),
            null
        ));
    }

    /// <summary>
    /// What was logged about the names, times in UTC: messages that contain one (ASCII letters without case; % and _ in a name stand for
    /// any text and any letter), and operations on one. By time, then text.
    /// </summary>
    internal static List<IListResultRemoteLog> LogLines(DatabaseSession session, IEnumerable<string>? names)
    {
        BrokenTables.AffectedName.Reset(session);
        using (var insert = session.Take(SelectName))
        {
            foreach (var name in names ?? [])
                insert.Bind(1, name).ExecuteNonQuery();
        }

        using var select = session.Take(LogLinesSql);
        return select.ReadAll<IListResultRemoteLog>(static row => new LoggedLine(
            EpochTime.FromSeconds(row.GetInt64(0)),
            row.GetString(1) ?? ""
        ));
    }

    /// <summary>Names of the volumes that hold data or metadata of the filesets listed in the given volumes.</summary>
    internal static List<IListResultRemoteVolume> Volumes(DatabaseSession session, IEnumerable<string>? names)
    {
        SelectVolumes(session, names);
        VolumeTables.SelectedFileset.Reset(session);
        VolumeTables.SelectedBlockset.Reset(session);
        session.Run(SelectFilesetsByList);
        session.Run(VolumeReads.SelectDataBlocksets);
        session.Run(VolumeReads.SelectMetadataBlocksets);

        // From here on the table is the answer, no more the question.
        VolumeTables.SelectedVolume.Reset(session);
        session.Run(VolumeReads.SelectBlockVolumes);
        using var select = session.Take(VolumeReads.Selected);
        return select.ReadAll<IListResultRemoteVolume>(static row => new NamedVolume(row.GetString(0)!));
    }

    private static void SelectVolumes(DatabaseSession session, IEnumerable<string>? names)
    {
        VolumeTables.SelectedVolume.Reset(session);
        using var insert = session.Take(SelectVolume);
        foreach (var name in names ?? [])
            insert.Bind(1, name).ExecuteNonQuery();
    }

    private static void SelectFilesByBlocks(DatabaseSession session)
    {
        VolumeTables.SelectedBlockset.Reset(session);
        BrokenTables.AffectedFile.Reset(session);
        session.Run(SelectBlocksets);
        session.Run(SelectFilesByData);
        session.Run(SelectFilesByMetadata);
    }
}

/// <summary>A log line about a remote volume.</summary>
/// <param name="Timestamp">When it was written, in UTC.</param>
/// <param name="Message">What it says.</param>
internal sealed record LoggedLine(DateTime Timestamp, string Message) : IListResultRemoteLog;

/// <summary>A remote volume, by its name.</summary>
internal sealed record NamedVolume(string Name) : IListResultRemoteVolume;
