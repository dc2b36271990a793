// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Finds the blocks that nothing refers to, whatever left them behind, and moves them to the deleted ones. The blocks in use are read
/// from their index alone; only where ids are missing in it is Block itself read. Blocks go one by one in the order of their hashes, so
/// that each page of the indexes by hash, the largest there are, is changed and written once. Where many go, other indexes are dropped
/// meanwhile and built again by sorting; where most go, all of them, and blocks go in the order of their ids.
/// </summary>
/// <remarks>
/// Linear in BlocksetEntry, BlocklistHash and the blocks that go. A bit for each id that a block may have; about 20 bytes for each
/// range of ids in a temporary table, 150 MB for the sort and 8 MB of ids that are held back at most. And the page cache, see
/// <see cref="DeletionLimits.PageCacheBytes"/>; the map of blocks, which is wrong afterwards, gives its memory back before.
/// </remarks>
internal sealed class UnusedBlocks(DatabaseSession session, DeletionLimits limits) : IDisposable
{
    // Reads BlocksetEntry_IndexIdsBackwards (BlockID) alone, in its order.
    internal const string UsedBlockIds = """SELECT "BlockID" FROM "BlocksetEntry" ORDER BY "BlockID" """;

    private const string AddUnusedRange = """INSERT INTO temp."UnusedRange" ("After", "Before", "HasUsed") VALUES (?1, ?2, ?3)""";

    // One scan of the ranges, Block by id; BlocksetEntry_IndexIdsBackwards (BlockID) in the same order for ranges with ids in use.
    // BlocklistHash, which has no index on Hash, is read once.
    internal const string BlocksInUnusedRanges = """
        SELECT b."ID"
        FROM temp."UnusedRange" r CROSS JOIN "Block" b ON b."ID" > r."After" AND b."ID" < r."Before"
        WHERE (r."HasUsed" = 0 OR NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlockID" = b."ID"))
            AND b."Hash" NOT IN (SELECT "Hash" FROM "BlocklistHash")
        ORDER BY b."Hash", b."Size"
        """;

    // Block by id.
    private const string RememberBlock = """
        INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" = ?1
        """;

    // Stops at the row of the number that is bound.
    internal const string CountDeletedBlocks = """SELECT COUNT(*) FROM (SELECT 1 FROM "DeletedBlock" LIMIT ?1)""";

    // One scan of the smallest index.
    internal const string CountBlocks = """SELECT COUNT(*) FROM "Block" """;

    // One scan of the smallest index, of a row for every few blocks.
    internal const string CountBlocklists = """SELECT COUNT(*) FROM "BlocklistHash" """;

    // By id, from both ends.
    private const string BlockEnds = """SELECT (SELECT MIN("ID") FROM "Block"), (SELECT MAX("ID") FROM "Block")""";

    // BlockHashSize alone, in its order.
    internal const string BlocksByHash = """SELECT "ID" FROM "Block" ORDER BY "Hash", "Size" """;

    // BlocklistHash, a row for every few hundred blocks, is sorted by hash; BlockHashSize.
    internal const string BlocksOfLists = """
        SELECT b."ID" FROM (SELECT DISTINCT "Hash" FROM "BlocklistHash" ORDER BY "Hash") l CROSS JOIN "Block" b ON b."Hash" = l."Hash"
        """;

    // Block by id, a range.
    private const string RememberBlocksBetween = """
        INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT "Hash", "Size", "VolumeID" FROM "Block" WHERE "ID" BETWEEN ?1 AND ?2 ORDER BY "ID"
        """;

    // Block by id, a range.
    private const string DeleteBlocksBetween = """DELETE FROM "Block" WHERE "ID" BETWEEN ?1 AND ?2""";

    // Asking for a range costs as much as looking up so many blocks.
    private const long BlocksWorthOneRange = 8;

    // A change costs more while a statement that reads from the same tables is open.
    private const int MostHeldBack = 1 << 20;

    // Their entries are in the order of the ids, if the volumes were filled one after the other and most blocks have the same size.
    private static readonly string[] s_indexesInOrder = ["Block_IndexByVolumeId", "BlockSize"];

    private readonly TableDeletion m_tables = new(session, limits);
    private BlockIdSet? m_used;

    /// <summary>Finds out which blocks are in use.</summary>
    internal void Find()
    {
        m_used?.Dispose();
        m_used = null;
        using (var ends = session.Take(BlockEnds))
        {
            if (ends.Read() && !ends.IsDBNull(0))
                m_used = BlockIdSet.Create(ends.GetInt64(0), ends.GetInt64(1));
        }

        if (m_used is not null)
            AddUsed(UsedBlockIds);
    }

    /// <summary>Removes the unused blocks, and records them as deleted. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code
    /// 19).</exception>
    internal void Move() => Move(MostHeldBack);

    /// <summary>The same, with so many blocks held back at most.</summary>
    internal void Move(int mostBlocks)
    {
        var blocks = CountIfManyGo();
        if (blocks > 0)
        {
            MoveMany(blocks, mostBlocks);
            return;
        }

        FindRanges();
        RemoveByHash(BlocksInUnusedRanges, mostBlocks, isRemembered: false);
        session.Run(UnusedTables.UnusedRange.Clear);
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose() => m_used?.Dispose();

    private void AddUsed(string sql)
    {
        using var used = session.Take(sql);
        while (used.Read())
            m_used!.Add(used.GetInt64(0));
    }

    private void MoveMany(long blocks, int mostBlocks)
    {
        // They are in no blockset, and stay.
        AddUsed(BlocksOfLists);
        var staying = m_used!.Count;
        var going = blocks - staying;
        var deleted = m_tables.CountUpTo(CountDeletedBlocks, going);
        Invalidate();
        using var mapping = FileMapping.Off(session.Statements);
        // Where more are deleted already, building their indexes costs more than it gives.
        WithoutIndexes(deleted <= going, "DeletedBlock", null, deleted + going, () => RunForGaps(RememberBlocksBetween));
        if (staying == 0)
            session.Empty("Block");
        else if (going >= blocks * limits.Share && m_tables.CanSort(staying))
            WithoutIndexes(true, "Block", null, staying, () => RunForGaps(DeleteBlocksBetween));
        else
            WithoutIndexes(
                going >= blocks * limits.ShareOfBlocksInOrder,
                "Block",
                s_indexesInOrder.Contains,
                staying,
                () => RemoveByHash(BlocksByHash, mostBlocks, isRemembered: true)
            );
    }

    private void WithoutIndexes(bool isWorthIt, string table, Func<string, bool>? isWanted, long rows, Action change)
    {
        if (isWorthIt && m_tables.CanSort(rows))
            DroppedIndexes.During(session.Statements, table, isWanted, rows, change);
        else
            change();
    }

    private void RunForGaps(string sql)
    {
        using var statement = session.Take(sql);
        foreach (var (first, last) in m_used!.Gaps())
            statement.Bind(1, first).Bind(2, last).ExecuteNonQuery();
    }

    // It would be wrong afterwards, and its memory is wanted for pages.
    private void Invalidate() => session.ServiceInUse<BlockMap>()?.Invalidate();

    // All blocks; 0 if so few of them go that they are sorted and the indexes stay, which is mostly known without counting.
    private long CountIfManyGo()
    {
        var lists = 0L;
        if (m_used is null || IsTooFew(m_used.Length) || DeferredIndexes.Of(session).IsActive)
            return 0;

        lists = session.ReadNumber(CountBlocklists);
        if (IsTooFew(m_used.Length))
            return 0;

        var blocks = session.ReadNumber(CountBlocks);
        return IsTooFew(blocks) ? 0 : blocks;

        bool IsTooFew(long all)
        {
            var going = all - lists - m_used!.Count;
            return going < limits.FewestRows || (going <= limits.MostRowsInMemory && going < all * limits.ShareOfBlocksInOrder);
        }
    }

    // Unused blocks lie in the gaps between the ids in use. Gaps that are close together become one range, in which what is in use has
    // to be left out when its blocks are read.
    private void FindRanges()
    {
        UnusedTables.UnusedRange.Reset(session);
        using var add = session.Take(AddUnusedRange);
        var (after, hasUsed) = (long.MinValue, false);
        foreach (var (first, last) in m_used?.Runs() ?? ReadRuns())
        {
            if (last - first < BlocksWorthOneRange)
            {
                hasUsed = true;
                continue;
            }

            AddRange(first);
            (after, hasUsed) = (last, false);
        }

        AddRange(long.MaxValue);

        void AddRange(long before) => add.Bind(1, after).Bind(2, before).Bind(3, hasUsed ? 1 : 0).ExecuteNonQuery();
    }

    // For ids that are too far apart for a set.
    private IEnumerable<(long First, long Last)> ReadRuns()
    {
        using var used = session.Take(UsedBlockIds);
        (long First, long Last)? run = null;
        while (used.Read())
        {
            var id = used.GetInt64(0);
            if (run is { } present && id > present.Last + 1)
                yield return present;
            run = run is { } same && id <= same.Last + 1 ? (same.First, id) : (id, id);
        }

        if (run is { } end)
            yield return end;
    }

    // What is not held back goes on the way: only rows that were read already are deleted meanwhile.
    private void RemoveByHash(string select, int mostBlocks, bool isRemembered)
    {
        var ids = new List<long>();
        using var cache = PageCacheSize.AtLeast(session.Statements, limits.PageCacheBytes);
        using (var blocks = session.Take(select))
        {
            if (!blocks.Read())
                return;

            // What the sort may take of memory was settled before.
            cache.Begin();
            do
            {
                var id = blocks.GetInt64(0);
                if (m_used?.Contains(id) == true)
                    continue;

                ids.Add(id);
                if (ids.Count == mostBlocks)
                    RemoveBatch(ids, isRemembered);
            } while (blocks.Read());
        }

        RemoveBatch(ids, isRemembered);
    }

    // Row by row: a statement for all of them would keep to the order only on engines that delete while they search; newer ones collect
    // row ids first and go through them in their order.
    private void RemoveBatch(List<long> ids, bool isRemembered)
    {
        if (ids.Count == 0)
            return;

        Invalidate();
        using var remember = isRemembered ? null : session.Take(RememberBlock);
        using var delete = session.Take(BlockSql.DeleteBlock);
        foreach (var id in ids)
        {
            remember?.Bind(1, id).ExecuteNonQuery();
            delete.Bind(1, id).ExecuteNonQuery();
        }

        ids.Clear();
    }
}

/// <summary>
/// The temporary tables of removing what no version uses. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class UnusedTables
{
    // Temporary; ranges of block ids between ids in use, by their start.
    private const string CreateUnusedRange = """
        CREATE TEMP TABLE IF NOT EXISTS "UnusedRange" ("After" INTEGER PRIMARY KEY, "Before" INTEGER NOT NULL, "HasUsed" INTEGER NOT NULL)
        """;

    internal static readonly TempTable UnusedRange = new("UnusedRange", CreateUnusedRange);
}
