// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>Questions about the registry of remote volumes.</summary>
internal static class VolumeReads
{
    // The filesets are in the temporary table SelectedFileset.

    // Row id of the temporary table.
    private const string SelectFileset = """INSERT OR IGNORE INTO temp."SelectedFileset" ("ID") VALUES (?1)""";

    // Primary key of FilesetEntry, row id of FileLookup.
    internal const string SelectDataBlocksets = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT "FileLookup"."BlocksetID"
        FROM temp."SelectedFileset"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "SelectedFileset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        WHERE "FileLookup"."BlocksetID" >= 0
        """;

    // Primary key of FilesetEntry, row ids of FileLookup and Metadataset.
    internal const string SelectMetadataBlocksets = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT "Metadataset"."BlocksetID"
        FROM temp."SelectedFileset"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FilesetID" = "SelectedFileset"."ID"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        """;

    // Primary key of BlocksetEntry, row id of Block.
    internal const string SelectBlockVolumes = """
        INSERT OR IGNORE INTO temp."SelectedVolume" ("ID")
        SELECT "Block"."VolumeID"
        FROM temp."SelectedBlockset"
        CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlocksetID" = "SelectedBlockset"."ID"
        CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        """;

    // Reads IndexBlockLink, about one row a volume.
    private const string SelectIndexVolumes = """
        INSERT OR IGNORE INTO temp."SelectedVolume" ("ID")
        SELECT "IndexVolumeID" FROM "IndexBlockLink" WHERE "BlockVolumeID" IN (SELECT "ID" FROM temp."SelectedVolume")
        """;

    // Row id of Fileset.
    private const string SelectListVolumes = """
        INSERT OR IGNORE INTO temp."SelectedVolume" ("ID")
        SELECT "Fileset"."VolumeID" FROM temp."SelectedFileset" CROSS JOIN "Fileset" ON "Fileset"."ID" = "SelectedFileset"."ID"
        """;

    // Row id of Remotevolume.
    internal const string Selected = """
        SELECT "Remotevolume"."Name", "Remotevolume"."LockExpirationTime"
        FROM temp."SelectedVolume" CROSS JOIN "Remotevolume" ON "Remotevolume"."ID" = "SelectedVolume"."ID"
        """;

    private const string Entry = """
        "ID", "Name", "Type", "Size", "Hash", "State", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime"
        """;

    // Index RemotevolumeNameOnly.
    private const string ByNameSql = $"""SELECT {Entry} FROM "Remotevolume" WHERE "Name" = ?1""";

    // Reads the whole table, which is the answer, in row order.
    private const string AllSql = $"""SELECT {Entry} FROM "Remotevolume" ORDER BY "ID" """;

    // Row ids of Fileset and Remotevolume.
    private const string OfFilesetSql =
        $"""SELECT {Entry} FROM "Remotevolume" WHERE "ID" = (SELECT "VolumeID" FROM "Fileset" WHERE "ID" = ?1)""";

    // Index RemotevolumeName for both sides.
    private const string DuplicatesSql = """
        SELECT DISTINCT "Name", "State" FROM "Remotevolume" AS "Present"
        WHERE "State" NOT IN ('Deleted', 'Deleting')
          AND EXISTS (SELECT 1 FROM "Remotevolume" AS "Gone" WHERE "Gone"."Name" = "Present"."Name" AND "Gone"."State" IN ('Deleted', 'Deleting'))
        """;

    // The last second of the calendar; anything above was stored in ticks by old versions.
    private const long MAX_EPOCH_SECONDS = 253402300799;

    /// <summary>The id of a volume, or -1. One index look-up.</summary>
    internal static long Id(DatabaseSession session, string name)
    {
        session.Tell(VolumeWrites.Id, name);
        using var select = session.Take(VolumeWrites.Id);
        return select.Bind(1, name).ExecuteInt64();
    }

    /// <summary>Name and id of those of the volumes that exist, in the order asked for.</summary>
    internal static List<KeyValuePair<string, long>> Ids(DatabaseSession session, IEnumerable<string> names)
    {
        var result = new List<KeyValuePair<string, long>>();
        using var select = session.Take(VolumeWrites.Id);
        foreach (var name in names.Distinct(StringComparer.Ordinal))
        {
            session.Tell(VolumeWrites.Id, name);
            var id = select.Bind(1, name).ExecuteInt64();
            if (id >= 0)
                result.Add(new KeyValuePair<string, long>(name, id));
        }

        return result;
    }

    /// <summary>The volume with a name, times in UTC, or <see cref="RemoteVolumeEntry.Empty"/>.</summary>
    internal static RemoteVolumeEntry ByName(DatabaseSession session, string name)
    {
        session.Tell(ByNameSql, name);
        using var select = session.Take(ByNameSql);
        select.Bind(1, name);
        if (!select.Read())
            return RemoteVolumeEntry.Empty;

        var result = Read(select, local: false);
        Tell(session, [result]);
        return result;
    }

    /// <summary>All volumes in every state by ascending id, times in UTC. Linear.</summary>
    internal static List<RemoteVolumeEntry> All(DatabaseSession session)
    {
        List<RemoteVolumeEntry> result;
        session.Tell(AllSql);
        using (var select = session.Take(AllSql))
            result = select.ReadAll(static row => Read(row, local: false));

        Tell(session, result);
        return result;
    }

    /// <summary>Names that are present although they are also marked as deleted, with the state of the present row.</summary>
    internal static List<KeyValuePair<string, RemoteVolumeState>> Duplicates(DatabaseSession session)
    {
        session.Tell(DuplicatesSql);
        using var select = session.Take(DuplicatesSql);
        return select.ReadAll(static row => new KeyValuePair<string, RemoteVolumeState>(row.GetString(0)!, ParseState(row.GetString(1))));
    }

    /// <summary>The volume that lists a fileset, times in local time, or the default value.</summary>
    internal static RemoteVolumeEntry OfFileset(DatabaseSession session, long filesetId)
    {
        session.Tell(OfFilesetSql, filesetId);
        using var select = session.Take(OfFilesetSql);
        select.Bind(1, filesetId);
        if (!select.Read())
            return default;

        var result = Read(select, local: true);
        Tell(session, [result]);
        return result;
    }

    /// <summary>
    /// Names and lock times (UTC) of the volumes that filesets need: blocks of data and metadata, the index volumes of those, and
    /// the filesets' own lists. Linear in the entries and blocks of the filesets.
    /// </summary>
    internal static List<(string Name, DateTime? LockExpirationTime)> DependingOnFilesets(
        DatabaseSession session,
        IEnumerable<long>? filesetIds
    )
    {
        if (filesetIds is null || !SelectFilesets(session, filesetIds))
            return [];

        VolumeTables.SelectedBlockset.Reset(session);
        VolumeTables.SelectedVolume.Reset(session);
        session.Run(SelectDataBlocksets);
        session.Run(SelectMetadataBlocksets);
        session.Run(SelectBlockVolumes);
        session.Run(SelectIndexVolumes);
        session.Run(SelectListVolumes);

        using var select = session.Take(Selected);
        return select.ReadAll(static row => (row.GetString(0)!, (DateTime?)ToTime(row.GetInt64(1), local: false)));
    }

    /// <summary>A stored state.</summary>
    /// <exception cref="ArgumentException">The text is not a state.</exception>
    internal static RemoteVolumeState ParseState(string? text) => Enum.Parse<RemoteVolumeState>(text ?? "");

    private static bool SelectFilesets(DatabaseSession session, IEnumerable<long> filesetIds)
    {
        VolumeTables.SelectedFileset.Reset(session);
        var any = false;
        using var insert = session.Take(SelectFileset);
        foreach (var id in filesetIds)
        {
            insert.Bind(1, id).ExecuteNonQuery();
            any = true;
        }

        return any;
    }

    private static void Tell(DatabaseSession session, IEnumerable<RemoteVolumeEntry> volumes)
    {
        var states = ToldStates.Of(session);
        foreach (var volume in volumes)
            states.Tell(volume.Name, volume.State);
    }

    private static RemoteVolumeEntry Read(Statement row, bool local) =>
        new(
            row.GetInt64(0),
            row.GetString(1)!,
            row.GetString(4)!,
            row.GetInt64(3, -1),
            Enum.Parse<RemoteVolumeType>(row.GetString(2) ?? ""),
            ParseState(row.GetString(5)),
            ToTime(row.GetInt64(6), local),
            ToTime(row.GetInt64(7), local),
            ToTime(row.GetInt64(8), local)
        );

    private static DateTime ToTime(long stored, bool local)
    {
        var time =
            stored <= MAX_EPOCH_SECONDS
                ? EpochTime.FromSeconds(stored)
                : new DateTime(Math.Min(stored, DateTime.MaxValue.Ticks), DateTimeKind.Utc);
        return local ? time.ToLocalTime() : time;
    }
}
