#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Finds the blocks that nothing refers to, whatever left them behind, and moves them to the deleted ones. The blocks in use are read
/// from their index alone; only where ids are missing in it is Block itself read. What goes is sorted by hash before it is written.
/// Where many go, nothing is sorted, and perhaps indexes of the tables are dropped meanwhile; see <see cref="UnusedBlockMass"/>.
/// </summary>
/// <remarks>
/// Linear in BlocksetEntry, BlocklistHash and the blocks that go. A bit for each id that a block may have; if few go, about 20 bytes for each
/// range of ids in a temporary table, 200 MB for the sort and 10 MB of blocks that are held back at most. And the page cache, see
/// <see cref="DeletionLimits.PageCacheBytes"/>; the map of blocks, which is wrong afterwards, gives its memory back before.
/// </remarks>
internal sealed class UnusedBlocks(DatabaseSession session, DeletionLimits limits) : IDisposable
{
    // Asking for a range costs as much as looking up so many blocks.
    private const long BlocksWorthOneRange = 8;

    private BlockIdSet? m_used;

    /// <summary>Finds out which blocks are in use.</summary>
    internal void Find()
    {
        m_used?.Dispose();
        m_used = null;
        using (var ends = session.Take(MassDeletionSql.BlockEnds))
        {
            if (ends.Step() && !ends.IsNull(0))
                m_used = BlockIdSet.Create(ends.GetInt64(0), ends.GetInt64(1));
        }

        if (m_used is null)
            return;

        using var used = session.Take(DeleteSql.UsedBlockIds);
        while (used.Step())
            m_used.Add(used.GetInt64(0));
    }

    /// <summary>Removes the unused blocks, and records them as deleted. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code 19).</exception>
    internal void Move() => Move(UnusedBlockBatch.MostBlocks);

    /// <summary>The same, with so many blocks held back at most.</summary>
    internal void Move(int mostBlocks)
    {
        var blocks = CountIfManyGo();
        if (blocks > 0)
            new UnusedBlockMass(session, limits, m_used!, blocks).Move();
        else
            MoveFew(mostBlocks);
    }

    /// <summary>Gives the memory back.</summary>
    public void Dispose() => m_used?.Dispose();

    // All blocks; 0 if so few of them go that they are sorted and go one by one, which is mostly known without counting. Lists of blocks
    // are in no blockset, and stay.
    private long CountIfManyGo()
    {
        var lists = 0L;
        if (m_used is null || IsTooFew(m_used.Length) || DeferredIndexes.Of(session).IsActive)
            return 0;

        lists = session.ReadNumber(MassDeletionSql.CountBlocklists);
        if (IsTooFew(m_used.Length))
            return 0;

        var blocks = session.ReadNumber(MassDeletionSql.CountBlocks);
        return IsTooFew(blocks) ? 0 : blocks;

        bool IsTooFew(long all)
        {
            var going = all - lists - m_used!.Count;
            return going < limits.FewestRows || (going <= limits.MostRowsInMemory && going < all * limits.ShareOfBlocksApart);
        }
    }

    private void MoveFew(int mostBlocks)
    {
        FindRanges();
        var batch = new UnusedBlockBatch(mostBlocks);
        using (var cache = PageCacheSize.AtLeast(session.Statements, limits.PageCacheBytes))
        {
            Collect(batch, cache);
            batch.Move(session);
        }

        session.Run(DeleteSql.ClearUnusedRange);
    }

    // Unused blocks lie in the gaps between the ids in use. Gaps that are close together become one range, in which what is in use has
    // to be left out when its blocks are read.
    private void FindRanges()
    {
        UnusedTables.UnusedRange.Reset(session);
        using var add = session.Take(DeleteSql.AddUnusedRange);
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

        void AddRange(long before) => add.Bind(1, after).Bind(2, before).Bind(3, hasUsed ? 1 : 0).Execute();
    }

    // For ids that are too far apart for a set.
    private IEnumerable<(long First, long Last)> ReadRuns()
    {
        using var used = session.Take(DeleteSql.UsedBlockIds);
        (long First, long Last)? run = null;
        while (used.Step())
        {
            var id = used.GetInt64(0);
            if (run is { } present && id > present.Last + 1)
                yield return present;
            run = run is { } same && id <= same.Last + 1 ? (same.First, id) : (id, id);
        }

        if (run is { } end)
            yield return end;
    }

    // Blocks and blocklists are gone through side by side, both in the order of the hashes. What does not fit into the batch is moved
    // on the way: only rows that were read already are deleted meanwhile.
    private void Collect(UnusedBlockBatch batch, PageCacheSize cache)
    {
        using var blocks = session.Take(DeleteSql.BlocksInUnusedRanges);
        using var lists = new BlocklistsByHash(session);
        if (!blocks.Step())
            return;

        // What the sort may take of memory was settled before.
        cache.Begin();
        do
        {
            var hash = blocks.GetUtf8(1);
            if (lists.HaveNext(hash))
                continue;

            batch.Add(blocks.GetInt64(0), hash, blocks.GetInt64(2), blocks.GetInt64(3));
            if (batch.IsFull)
                batch.Move(session);
        } while (blocks.Step());
    }
}

/// <summary>The temporary tables of removing what no version uses. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class UnusedTables
{
    internal static readonly TempTable UnusedRange = new("UnusedRange", DeleteSql.CreateUnusedRange, DeleteSql.ClearUnusedRange);
}
