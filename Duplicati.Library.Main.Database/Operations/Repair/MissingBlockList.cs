// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>The blocks of one lost volume, in a temporary table, and which of them have been found.</summary>
/// <remarks>Marking a block is four look-ups by key. One call chain at a time.</remarks>
internal sealed class MissingBlockList : LocalRepairDatabase.IMissingBlockList
{
    // Each list has a number, so that several can share the table.

    // The blocks of all lists, found in a list by hash and size.
    internal const string CreateSql = """
        CREATE TEMP TABLE IF NOT EXISTS "MissingBlock" (
            "List" INTEGER NOT NULL, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, "Restored" INTEGER NOT NULL, "BlockID" INTEGER NOT NULL,
            PRIMARY KEY ("List", "Hash", "Size")) WITHOUT ROWID
        """;

    // RemotevolumeNameOnly, Block_IndexByVolumeId.
    private const string Fill = """
        INSERT INTO temp."MissingBlock" ("List", "Hash", "Size", "Restored", "BlockID")
        SELECT ?1, "Hash", "Size", 0, "ID" FROM "Block"
        WHERE "VolumeID" = (SELECT "Remotevolume"."ID" FROM "Remotevolume" WHERE "Remotevolume"."Name" = ?2)
        """;

    // Part of the key of the temporary table.
    private const string RemoveSql = """DELETE FROM temp."MissingBlock" WHERE "List" = ?1""";

    // Key of the temporary table.
    private const string Find =
        """SELECT "BlockID" FROM temp."MissingBlock" WHERE "List" = ?1 AND "Hash" = ?2 AND "Size" = ?3 AND "Restored" = 0""";

    // Key of the temporary table.
    private const string SetRestoredSql =
        """UPDATE temp."MissingBlock" SET "Restored" = 1 WHERE "List" = ?1 AND "Hash" = ?2 AND "Size" = ?3""";

    // Block by id. After others have committed, the id may be that of another block.
    private const string AddDuplicate = """
        INSERT OR IGNORE INTO "DuplicateBlock" ("BlockID", "VolumeID")
        SELECT "ID", "VolumeID" FROM "Block" WHERE "ID" = ?1 AND "Hash" = ?2 AND "Size" = ?3
        """;

    // Block by id, as above.
    private const string Move = """UPDATE "Block" SET "VolumeID" = ?4 WHERE "ID" = ?1 AND "Hash" = ?2 AND "Size" = ?3""";

    // Part of the key of the temporary table.
    private const string CountMissing = """SELECT SUM("Restored" = 0) FROM temp."MissingBlock" WHERE "List" = ?1""";

    // Part of the key of the temporary table.
    private const string IsThere = """SELECT 1 FROM temp."MissingBlock" WHERE "List" = ?1""";

    // Part of the key of the temporary table, BlocksetEntry_IndexIdsBackwards, nn_FileLookup_BlockMeta, PathPrefix by id.
    private const string SourceFiles = """
        SELECT m."Hash", m."Size", p."Prefix" || l."Path" AS "FullPath", e."Index" * ?2 AS "Offset"
        FROM temp."MissingBlock" m
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = m."BlockID"
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE m."List" = ?1 AND m."Restored" = 0
        ORDER BY m."Hash", m."Size", "FullPath", "Offset"
        """;

    // Part of the key of the temporary table, BlocksetEntry_IndexIdsBackwards, MetadatasetBlocksetID, FileLookupMetadataID, PathPrefix by
    // id.
    private const string MetadataSources = """
        SELECT m."Hash", m."Size", p."Prefix" || l."Path" AS "FullPath"
        FROM temp."MissingBlock" m
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = m."BlockID"
        CROSS JOIN "Metadataset" s ON s."BlocksetID" = e."BlocksetID"
        CROSS JOIN "FileLookup" l ON l."MetadataID" = s."ID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE m."List" = ?1 AND m."Restored" = 0
        ORDER BY m."Hash", m."Size", "FullPath"
        """;

    // Reads BlocklistHash, which has no index on the hash, once; a set of the missing hashes.
    internal const string BlocksetsOfMissingBlocklists = """
        SELECT DISTINCT h."BlocksetID" FROM "BlocklistHash" h
        WHERE h."Hash" IN (SELECT m."Hash" FROM temp."MissingBlock" m WHERE m."List" = ?1 AND m."Restored" = 0)
        ORDER BY h."BlocksetID"
        """;

    // Key of BlocksetEntry, Block and Blockset by id, BlocklistHashBlocksetIDIndex.
    private const string EntriesOfBlockset = """
        SELECT h."Hash", s."Length", e."Index", b."Hash"
        FROM "Blockset" s
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = s."ID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        LEFT JOIN "BlocklistHash" h ON h."BlocksetID" = e."BlocksetID" AND h."Index" = e."Index" / ?2
        WHERE s."ID" = ?1 AND e."Index" >= ?3
        ORDER BY e."Index"
        LIMIT ?4
        """;

    // BlocksetEntry_IndexIdsBackwards for each block, one pass over BlocklistHash; nn_FileLookup_BlockMeta, FilesetentryFileIdIndex,
    // Fileset and Remotevolume by id.
    internal const string ListsUsing = """
        SELECT v."Name", v."Hash", v."Size" FROM "Remotevolume" v
        WHERE v."Type" = 'Files' AND v."ID" IN (
            SELECT f."VolumeID"
            FROM (
                SELECT e."BlocksetID" AS "BlocksetID"
                FROM temp."MissingBlock" m CROSS JOIN "BlocksetEntry" e ON e."BlockID" = m."BlockID"
                WHERE m."List" = ?1
                UNION
                SELECT h."BlocksetID"
                FROM "BlocklistHash" h
                WHERE h."Hash" IN (SELECT m."Hash" FROM temp."MissingBlock" m WHERE m."List" = ?1)) s
            CROSS JOIN "FileLookup" l ON l."BlocksetID" = s."BlocksetID"
            CROSS JOIN "FilesetEntry" n ON n."FileID" = l."ID"
            CROSS JOIN "Fileset" f ON f."ID" = n."FilesetID")
        ORDER BY v."ID"
        """;

    // Part of the key of the temporary table, Block by id, one row a volume.
    private const string OtherVolumes = """
        SELECT v."Name", v."Hash", v."Size" FROM "Remotevolume" v
        WHERE v."Name" <> ?2 AND v."ID" IN (
            SELECT b."VolumeID"
            FROM temp."MissingBlock" m CROSS JOIN "Block" b ON b."ID" = m."BlockID"
            WHERE m."List" = ?1 AND m."Restored" = 0)
        ORDER BY v."ID"
        """;

    private const long PageRows = 4096;

    private static long s_lists;

    private readonly DatabaseSession m_session;
    private readonly string m_volumeName;
    private readonly long m_list;
    private bool m_disposed;

    private MissingBlockList(DatabaseSession session, string volumeName, long list)
    {
        m_session = session;
        m_volumeName = volumeName;
        m_list = list;
    }

    /// <summary>Lists the blocks of a volume. Call with the connection lock held.</summary>
    /// <exception cref="Exception">There are none.</exception>
    internal static MissingBlockList Create(DatabaseSession session, string volumeName)
    {
        // Other lists may be in the table, so it is not emptied.
        session.Run(CreateSql);
        var list = Interlocked.Increment(ref s_lists);
        using var fill = session.Take(Fill);
        if (fill.Bind(1, list).Bind(2, volumeName).ExecuteNonQuery() == 0)
            throw new Exception($"No blocks are registered in the volume {volumeName}.");
        return new MissingBlockList(session, volumeName, list);
    }

    public Task<bool> SetBlockRestoredAsync(string hash, long size, long volumeId, CancellationToken token) =>
        m_session.ShortAsync(_ => SetRestored(hash, size, volumeId), token);

    public IAsyncEnumerable<LocalRepairDatabase.BlockWithSourceData> GetSourceFilesWithBlocksAsync(
        long blocksize,
        CancellationToken token
    ) =>
        m_session.SnapshotAsync(
            session =>
            {
                RequireList();
                var result = new List<LocalRepairDatabase.BlockWithSourceData>();
                using var rows = session.Take(SourceFiles);
                for (rows.Bind(1, m_list).Bind(2, blocksize); rows.Read(); )
                    result.Add(
                        new LocalRepairDatabase.BlockWithSourceData(
                            rows.GetString(0)!,
                            rows.GetInt64(1),
                            rows.GetString(2)!,
                            rows.GetInt64(3)
                        )
                    );
                return result;
            },
            token
        );

    public IAsyncEnumerable<LocalRepairDatabase.BlockWithMetadataSourceData> GetSourceItemsWithMetadataBlocksAsync(
        CancellationToken token
    ) =>
        m_session.SnapshotAsync(
            session =>
            {
                RequireList();
                var result = new List<LocalRepairDatabase.BlockWithMetadataSourceData>();
                using var rows = session.Take(MetadataSources);
                for (rows.Bind(1, m_list); rows.Read(); )
                    result.Add(
                        new LocalRepairDatabase.BlockWithMetadataSourceData(rows.GetString(0)!, rows.GetInt64(1), rows.GetString(2)!)
                    );
                return result;
            },
            token
        );

    // Marking changes which blocklists are missing, but not what is in a blockset: the blocksets are copied, their entries are read as they
    // are needed.
    public async IAsyncEnumerable<LocalRepairDatabase.BlocklistHashesEntry> GetBlocklistHashesAsync(
        long hashesPerBlock,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        foreach (var blocksetId in await m_session.LongAsync(BlocksetsToRebuild, token).ConfigureAwait(false))
        {
            var first = 0L;
            while (true)
            {
                var page = await m_session
                    .LongAsync(session => Entries(session, blocksetId, hashesPerBlock, first), token)
                    .ConfigureAwait(false);
                if (page.Count == 0)
                    break;

                foreach (var entry in page)
                    yield return entry;
                first = page[^1].Index + 1L;
            }
        }
    }

    public Task<long> GetMissingBlockCountAsync(CancellationToken token) =>
        m_session.ShortAsync(
            session =>
            {
                RequireList();
                using var count = session.Take(CountMissing);
                return count.Bind(1, m_list).ExecuteInt64();
            },
            token
        );

    public IAsyncEnumerable<IRemoteVolume> GetFilesetsUsingMissingBlocksAsync(CancellationToken token) =>
        m_session.SnapshotAsync(
            session =>
            {
                RequireList();
                using var rows = session.Take(ListsUsing);
                return RepairVolumes.Volumes(rows.Bind(1, m_list));
            },
            token
        );

    public IAsyncEnumerable<IRemoteVolume> GetMissingBlockSourcesAsync(CancellationToken token) =>
        m_session.SnapshotAsync(
            session =>
            {
                RequireList();
                using var rows = session.Take(OtherVolumes);
                return RepairVolumes.Volumes(rows.Bind(1, m_list).Bind(2, m_volumeName));
            },
            token
        );

    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        m_session.TryRemove(Remove);
    }

    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private void Remove(DatabaseSession session)
    {
        // A rollback may have undone the table's creation.
        session.Run(CreateSql);
        using var remove = session.Take(RemoveSql);
        remove.Bind(1, m_list).ExecuteNonQuery();
    }

    // "None" would read as if all had been found.
    private void RequireList()
    {
        // A rollback may have undone the table's creation.
        m_session.Run(CreateSql);
        using var find = m_session.Take(IsThere);
        if (find.Bind(1, m_list).ExecuteInt64() < 0)
            throw new InvalidOperationException($"The list of blocks of {m_volumeName} has gone with a rollback.");
    }

    private bool SetRestored(string hash, long size, long volumeId)
    {
        m_session.BeginWriting();
        RequireList();
        using var find = m_session.Take(Find);
        var blockId = find.Bind(1, m_list).Bind(2, hash).Bind(3, size).ExecuteInt64();
        if (blockId < 0)
            return false;

        using (var duplicate = m_session.Take(AddDuplicate))
            duplicate.Bind(1, blockId).Bind(2, hash).Bind(3, size).ExecuteNonQuery();
        using (var move = m_session.Take(Move))
        {
            var changed = move.Bind(1, blockId).Bind(2, hash).Bind(3, size).Bind(4, volumeId).ExecuteNonQuery();
            if (changed != 1)
                throw new Exception(
                    $"Unexpected number of blocks moved to volume {volumeId}: {changed}, expected 1 (hash {hash}, size {size})."
                );
        }

        using var mark = m_session.Take(SetRestoredSql);
        mark.Bind(1, m_list).Bind(2, hash).Bind(3, size).ExecuteNonQuery();
        return true;
    }

    private List<long> BlocksetsToRebuild(DatabaseSession session)
    {
        RequireList();
        var result = new List<long>();
        using var rows = session.Take(BlocksetsOfMissingBlocklists);
        for (rows.Bind(1, m_list); rows.Read(); )
            result.Add(rows.GetInt64(0));
        return result;
    }

    private static List<LocalRepairDatabase.BlocklistHashesEntry> Entries(
        DatabaseSession session,
        long blocksetId,
        long hashesPerBlock,
        long first
    )
    {
        var result = new List<LocalRepairDatabase.BlocklistHashesEntry>();
        using var rows = session.Take(EntriesOfBlockset);
        for (rows.Bind(1, blocksetId).Bind(2, hashesPerBlock).Bind(3, first).Bind(4, PageRows); rows.Read(); )
        {
            var index = rows.GetInt64(2);
            var blocklist =
                rows.GetString(0) ?? throw new Exception($"Blockset {blocksetId} has no blocklist at position {index / hashesPerBlock}.");
            result.Add(
                new LocalRepairDatabase.BlocklistHashesEntry(
                    blocksetId,
                    blocklist,
                    rows.GetInt64(1),
                    index / hashesPerBlock,
                    (int)index,
                    rows.GetString(3)!
                )
            );
        }

        return result;
    }
}
