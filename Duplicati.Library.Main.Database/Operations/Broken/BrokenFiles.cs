// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>
/// The files whose data or metadata cannot be rebuilt. Found in one pass over BlocksetEntry, BlocklistHash, Blockset and FileLookup,
/// and kept for the next question as long as the connection has changed no row since.
/// </summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class BrokenFiles : ITransactionCache
{
    // MetadatasetBlocksetID, FileLookupMetadataID and FilesetentryFileIdIndex, for the few blocksets that were found.
    private const string FilesetsWithReplaceableMetadataSql = """
        SELECT DISTINCT e."FilesetID"
        FROM temp."BrokenBlockset" s
        CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        CROSS JOIN "FileLookup" l ON l."MetadataID" = m."ID"
        CROSS JOIN "FilesetEntry" e ON e."FileID" = l."ID"
        """;

    // Of an entry e: Block and Remotevolume by id.
    internal const string IsLostEntry = """
        NOT EXISTS (
            SELECT 1 FROM "Block" b
            CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID"
            WHERE b."ID" = e."BlockID" AND v."Type" = 'Blocks')
        """;

    // Of a row h of BlocklistHash: BlockHashSize (Hash), Remotevolume by id.
    internal const string IsLostBlocklist = """
        NOT EXISTS (
            SELECT 1 FROM "Block" b
            CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID"
            WHERE b."Hash" = h."Hash" AND v."Type" = 'Blocks')
        """;

    // One pass over BlocksetEntry in BlockID order (BlocksetEntry_IndexIdsBackwards); as IsLostEntry.
    internal const string BlocksetsByBlock =
        """
            INSERT OR IGNORE INTO temp."BrokenBlockset" ("ID")
            SELECT e."BlocksetID"
            FROM "BlocksetEntry" e
            WHERE 
            """ + IsLostEntry;

    // One pass over BlocklistHash; as IsLostBlocklist.
    internal const string BlocksetsByBlocklist =
        """
            INSERT OR IGNORE INTO temp."BrokenBlockset" ("ID")
            SELECT h."BlocksetID"
            FROM "BlocklistHash" h
            WHERE 
            """ + IsLostBlocklist;

    // One pass over Blockset, key of BlocksetEntry.
    internal const string BlocksetsWithoutEntries = """
        INSERT OR IGNORE INTO temp."BrokenBlockset" ("ID")
        SELECT s."ID"
        FROM "Blockset" s
        WHERE s."Length" > 0 AND NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = s."ID")
        """;

    // Blockset by id, for the few that were found.
    private const string KeepNonEmpty = """
        DELETE FROM temp."BrokenBlockset"
        WHERE (SELECT s."Length" FROM "Blockset" s WHERE s."ID" = temp."BrokenBlockset"."ID") = 0
        """;

    // nn_FileLookup_BlockMeta, for the few blocksets that were found. The ids of folders and links are never among them.
    private const string FilesByData = """
        INSERT OR IGNORE INTO temp."BrokenFile" ("ID")
        SELECT l."ID"
        FROM temp."BrokenBlockset" s
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = s."ID"
        """;

    // MetadatasetBlocksetID, FileLookupMetadataID, for the few blocksets that were found.
    private const string FilesByMetadata = """
        INSERT OR IGNORE INTO temp."BrokenFile" ("ID")
        SELECT l."ID"
        FROM temp."BrokenBlockset" s
        CROSS JOIN "Metadataset" m ON m."BlocksetID" = s."ID"
        CROSS JOIN "FileLookup" l ON l."MetadataID" = m."ID"
        """;

    // One pass over FileLookup, Metadataset by id.
    internal const string FilesWithoutMetadata = """
        INSERT OR IGNORE INTO temp."BrokenFile" ("ID")
        SELECT l."ID"
        FROM "FileLookup" l
        WHERE NOT EXISTS (SELECT 1 FROM "Metadataset" m WHERE m."ID" = l."MetadataID")
        """;

    // FilesetentryFileIdIndex, for the few files that were found.
    private const string CountByFileset = """
        SELECT e."FilesetID", COUNT(*)
        FROM temp."BrokenFile" f
        CROSS JOIN "FilesetEntry" e ON e."FileID" = f."ID"
        GROUP BY e."FilesetID"
        """;

    // Key of FilesetEntry, FileLookup, PathPrefix and Blockset by id.
    private const string FilesOfFileset = """
        SELECT p."Prefix" || l."Path", s."Length"
        FROM temp."BrokenFile" f
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?1 AND e."FileID" = f."ID"
        CROSS JOIN "FileLookup" l ON l."ID" = f."ID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        LEFT JOIN "Blockset" s ON s."ID" = l."BlocksetID"
        ORDER BY f."ID"
        """;

    // Key of FilesetEntry.
    private const string FileIdsOfFileset = """
        SELECT f."ID"
        FROM temp."BrokenFile" f
        CROSS JOIN "FilesetEntry" e ON e."FilesetID" = ?1 AND e."FileID" = f."ID"
        ORDER BY f."ID"
        """;

    private readonly DatabaseSession m_session;
    private (long, long, long)? m_seen;
    private bool m_leavesOutReplaceable;

    private BrokenFiles(DatabaseSession session) => m_session = session;

    internal static BrokenFiles Of(DatabaseSession session) => session.Service(static x => new BrokenFiles(x));

    /// <summary>Filesets with broken entries in id order: id, time in epoch seconds, number of broken entries.</summary>
    internal List<(long Id, long EpochSeconds, long Count)> Filesets(DateTime time, long[]? versions, bool leaveOutReplaceable = false)
    {
        var wanted = FilesetSelection.Matching(m_session, FilesetSelection.OfKnownKind(time), versions, false).ToHashSet();
        var times = FilesetReads.Times(m_session).ToDictionary(x => x.Id, x => x.EpochSeconds);
        Find(leaveOutReplaceable);
        var result = new List<(long, long, long)>();
        using var rows = m_session.Take(CountByFileset);
        while (rows.Read())
        {
            if (wanted.Contains(rows.GetInt64(0)))
                result.Add((rows.GetInt64(0), times[rows.GetInt64(0)], rows.GetInt64(1)));
        }

        result.Sort();
        return result;
    }

    /// <summary>Full path and length (-1 if there is no blockset) of the broken files of a fileset.</summary>
    internal List<Tuple<string, long>> Names(long filesetId, bool leaveOutReplaceable = false)
    {
        Find(leaveOutReplaceable);
        var result = new List<Tuple<string, long>>();
        using var rows = m_session.Take(FilesOfFileset);
        rows.Bind(1, filesetId);
        while (rows.Read())
        {
            if (!rows.IsDBNull(0))
                result.Add(Tuple.Create(rows.GetString(0)!, rows.GetInt64(1, -1)));
        }

        return result;
    }

    /// <summary>Adds the ids of the broken files of a fileset to a column of a caller's table.</summary>
    internal void InsertIds(long filesetId, string table, string column, bool leaveOutReplaceable = false)
    {
        Find(leaveOutReplaceable);
        List<long> ids;
        using (var rows = m_session.Take(FileIdsOfFileset))
            ids = rows.Bind(1, filesetId).ReadAll(static row => row.GetInt64(0));

        // Names of tables cannot be bound; quoted, any text is a name and nothing else.
        using var insert = m_session.Statements.Prepare($"INSERT INTO {SqlName.Quote(table)} ({SqlName.Quote(column)}) VALUES (?1)");
        foreach (var id in ids)
            insert.Bind(1, id).ExecuteNonQuery();
        // The caller's table is no part of the answer.
        m_seen = m_session.Stamp;
    }

    /// <inheritdoc/>
    public void Discard() => m_seen = null;

    /// <summary>Ids of the filesets with an entry whose metadata cannot be rebuilt, but can be replaced.</summary>
    internal HashSet<long> FilesetsWithReplaceableMetadata()
    {
        Find(leaveOutReplaceable: false);
        var result = new HashSet<long>();
        using var rows = m_session.Take(FilesetsWithReplaceableMetadataSql);
        while (rows.Read())
            result.Add(rows.GetInt64(0));
        return result;
    }

    // With a row in Metadataset, another blockset can take the place of the lost one.
    private void Find(bool leaveOutReplaceable)
    {
        if (m_leavesOutReplaceable == leaveOutReplaceable && m_seen == m_session.Stamp)
            return;

        BrokenTables.BrokenBlockset.Reset(m_session);
        BrokenTables.BrokenFile.Reset(m_session);
        foreach (
            var step in new[]
            {
                BlocksetsByBlock,
                BlocksetsByBlocklist,
                BlocksetsWithoutEntries,
                KeepNonEmpty,
                FilesByData,
                FilesByMetadata,
                FilesWithoutMetadata,
            }
        )
            if (!leaveOutReplaceable || step != FilesByMetadata)
                m_session.Run(step);
        m_leavesOutReplaceable = leaveOutReplaceable;
        m_seen = m_session.Stamp;
    }
}

/// <summary>
/// The temporary tables of looking for broken and affected files. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class BrokenTables
{
    // Files that would be hit, by id.
    private const string CreateFiles = """CREATE TEMP TABLE IF NOT EXISTS "AffectedFile" ("ID" INTEGER PRIMARY KEY)""";

    // Names that log lines may mention.
    private const string CreateNames =
        """CREATE TEMP TABLE IF NOT EXISTS "AffectedName" ("Name" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";

    // Blocksets that cannot be rebuilt, by id.
    private const string CreateBlocksets = """CREATE TEMP TABLE IF NOT EXISTS "BrokenBlockset" ("ID" INTEGER PRIMARY KEY)""";

    // FileLookup rows with such data or metadata, by id.
    private const string CreateFilesSql = """CREATE TEMP TABLE IF NOT EXISTS "BrokenFile" ("ID" INTEGER PRIMARY KEY)""";

    internal static readonly TempTable BrokenBlockset = new("BrokenBlockset", CreateBlocksets);
    internal static readonly TempTable BrokenFile = new("BrokenFile", CreateFilesSql);
    internal static readonly TempTable AffectedFile = new("AffectedFile", CreateFiles);
    internal static readonly TempTable AffectedName = new("AffectedName", CreateNames);
}
