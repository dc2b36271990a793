// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Purge;

/// <summary>Questions to ask before purging.</summary>
internal static class PurgeReads
{
    // Row ids of Fileset and Remotevolume.
    private const string ListVolumeSql = """
        SELECT v."Name" FROM "Fileset" f CROSS JOIN "Remotevolume" v ON v."ID" = f."VolumeID" WHERE f."ID" = ?1
        """;

    // Reads FileLookup once, by id instead of a smaller index, so that FilesetentryFileIdIndex is met in the same order.
    internal const string CountOrphansSql = """
        SELECT COUNT(*) FROM "FileLookup" l NOT INDEXED WHERE NOT EXISTS (SELECT 1 FROM "FilesetEntry" e WHERE e."FileID" = l."ID")
        """;

    /// <summary>Name of the list volume of a fileset.</summary>
    /// <exception cref="Exception">There is no such fileset, or its volume is unknown.</exception>
    internal static string ListVolume(DatabaseSession session, long filesetId)
    {
        using var row = session.Take(ListVolumeSql);
        if (!row.Bind(1, filesetId).Read())
            throw new Exception($"No remote volume found for fileset with id {filesetId}");
        return row.GetString(0) ?? throw new Exception($"Remote volume name for fileset with id {filesetId} is null");
    }

    /// <summary>Number of files that no fileset refers to. Linear in the number of files.</summary>
    internal static long CountOrphans(DatabaseSession session) => session.ReadNumber(CountOrphansSql);
}

/// <summary>
/// How much a fileset shrinks: bytes of the blocks that its removed files use and its remaining ones do not. Data is compared with
/// data and metadata with metadata; other filesets do not count. Linear in the entries of the fileset and the uses of those blocks.
/// </summary>
internal static class PurgedSize
{
    // FileLookup by id, key of BlocksetEntry.
    private const string DataCandidates = """
        INSERT OR IGNORE INTO temp."PurgedCandidate" ("ID")
        SELECT c."BlockID"
        FROM temp."TempDeletedFilesTable-{0}" d
        CROSS JOIN "FileLookup" l ON l."ID" = d."FileID"
        CROSS JOIN "BlocksetEntry" c ON c."BlocksetID" = l."BlocksetID"
        """;

    // FileLookup and Metadataset by id, key of BlocksetEntry.
    private const string MetadataCandidates = """
        INSERT OR IGNORE INTO temp."PurgedCandidate" ("ID")
        SELECT c."BlockID"
        FROM temp."TempDeletedFilesTable-{0}" d
        CROSS JOIN "FileLookup" l ON l."ID" = d."FileID"
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        CROSS JOIN "BlocksetEntry" c ON c."BlocksetID" = m."BlocksetID"
        """;

    // Part of the key of FilesetEntry, FileLookup by id.
    private const string KeptData = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT l."BlocksetID"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        WHERE e."FilesetID" = ?1 AND NOT EXISTS (SELECT 1 FROM temp."TempDeletedFilesTable-{0}" d WHERE d."FileID" = e."FileID")
        """;

    // Part of the key of FilesetEntry, FileLookup and Metadataset by id.
    private const string KeptMetadata = """
        INSERT OR IGNORE INTO temp."SelectedBlockset" ("ID")
        SELECT m."BlocksetID"
        FROM "FilesetEntry" e
        CROSS JOIN "FileLookup" l ON l."ID" = e."FileID"
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        WHERE e."FilesetID" = ?1 AND NOT EXISTS (SELECT 1 FROM temp."TempDeletedFilesTable-{0}" d WHERE d."FileID" = e."FileID")
        """;

    // BlocksetEntry_IndexIdsBackwards (BlockID): each use of a candidate is looked at once at most.
    private const string KeepUnshared = """
        INSERT OR IGNORE INTO temp."PurgedBlock" ("ID")
        SELECT p."ID"
        FROM temp."PurgedCandidate" p
        WHERE NOT EXISTS (
            SELECT 1 FROM "BlocksetEntry" c
            CROSS JOIN temp."SelectedBlockset" s ON s."ID" = c."BlocksetID"
            WHERE c."BlockID" = p."ID")
        """;

    // Block by id.
    private const string SumBlocks = """SELECT SUM(b."Size") FROM temp."PurgedBlock" p CROSS JOIN "Block" b ON b."ID" = p."ID" """;

    internal static long Sum(DatabaseSession session, string digits, long filesetId)
    {
        PurgeTables.PurgedBlock.Reset(session);
        Collect(session, digits, filesetId, DataCandidates, KeptData);
        Collect(session, digits, filesetId, MetadataCandidates, KeptMetadata);
        return session.ReadNumber(SumBlocks);
    }

    private static void Collect(DatabaseSession session, string digits, long filesetId, string candidates, string kept)
    {
        PurgeTables.PurgedCandidate.Reset(session);
        VolumeTables.SelectedBlockset.Reset(session);
        using (var select = session.Statements.Prepare(TempTableTemplate.Text(candidates, digits)))
            select.ExecuteNonQuery();
        using (var select = session.Statements.Prepare(TempTableTemplate.Text(kept, digits)))
            select.Bind(1, filesetId).ExecuteNonQuery();
        session.Run(KeepUnshared);
    }
}

/// <summary>The temporary tables of a purge. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class PurgeTables
{
    // Files to leave out, by id. Callers rely on the name of the column.
    private const string CreateDeletedFiles = """CREATE TEMP TABLE "TempDeletedFilesTable-{0}" ("FileID" INTEGER PRIMARY KEY)""";

    // Blocks of files to leave out, by id.
    private const string CreateCandidate = """CREATE TEMP TABLE IF NOT EXISTS "PurgedCandidate" ("ID" INTEGER PRIMARY KEY)""";

    // Those of them that the files that stay do not use, by id.
    private const string CreateBlock = """CREATE TEMP TABLE IF NOT EXISTS "PurgedBlock" ("ID" INTEGER PRIMARY KEY)""";

    internal static readonly TempTable PurgedCandidate = new("PurgedCandidate", CreateCandidate);
    internal static readonly TempTable PurgedBlock = new("PurgedBlock", CreateBlock);
    internal static readonly TempTableTemplate DeletedFiles = new("TempDeletedFilesTable", CreateDeletedFiles);
}
