#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Finds the blocks that nothing refers to, whatever left them behind, and moves them to the deleted ones. The blocks in use are read
/// from their index alone; only where ids are missing in it is Block itself read. What goes is sorted by hash before it is written.
/// </summary>
/// <remarks>
/// Linear in BlocksetEntry, BlocklistHash and the blocks that go. About 20 bytes for each range of ids in a temporary table; blocks and
/// blocklists pass through the engine's sorter, which goes to files when it is large; at most 10 MB of blocks are held back.
/// </remarks>
internal static class UnusedBlocks
{
    // Asking for a range costs as much as looking up so many blocks.
    private const long BlocksWorthOneRange = 8;

    /// <summary>
    /// Finds where unused blocks lie: in the gaps between the ids in use. Gaps that are close together become one range, in which
    /// what is in use has to be left out when its blocks are read.
    /// </summary>
    internal static void Find(DatabaseSession session)
    {
        UnusedTables.UnusedRange.Reset(session);
        using var used = session.Take(DeleteSql.UsedBlockIds);
        using var add = session.Take(DeleteSql.AddUnusedRange);
        var (previous, after, before) = (long.MinValue, long.MinValue, long.MinValue);
        var hasUsed = false;
        while (used.Step())
        {
            var id = used.GetInt64(0);
            if (id > previous + 1)
            {
                EndRange();
                before = id;
            }

            previous = id;
        }

        EndRange();
        AddRange(long.MaxValue);

        // Ends the range at the ids that were read one after the other, if these are too many to ask across them.
        void EndRange()
        {
            if (previous - before >= BlocksWorthOneRange)
                AddRange(before);
            else
                hasUsed |= previous > long.MinValue;
        }

        void AddRange(long end)
        {
            add.Bind(1, after).Bind(2, end).Bind(3, hasUsed ? 1 : 0).Execute();
            (after, hasUsed) = (previous, false);
        }
    }

    /// <summary>Removes the unused blocks from where they were found, and records them as deleted. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code 19).</exception>
    internal static void Move(DatabaseSession session) => Move(session, UnusedBlockBatch.MostBlocks);

    /// <summary>The same, with so many blocks held back at most.</summary>
    internal static void Move(DatabaseSession session, int mostBlocks)
    {
        var batch = new UnusedBlockBatch(mostBlocks);
        Collect(session, batch);
        batch.Move(session);
        session.Run(DeleteSql.ClearUnusedRange);
    }

    // Blocks and blocklists are gone through side by side, both in the order of the hashes. What does not fit into the batch is moved
    // on the way: only rows that were read already are deleted meanwhile.
    private static void Collect(DatabaseSession session, UnusedBlockBatch batch)
    {
        using var blocks = session.Take(DeleteSql.BlocksInUnusedRanges);
        using var lists = session.Take(DeleteSql.BlocklistHashes);
        var hasList = lists.Step();
        while (blocks.Step())
        {
            var hash = blocks.GetUtf8(1);
            hasList = hasList && SkipTo(lists, hash);
            if (hasList && lists.GetUtf8(0).SequenceEqual(hash))
                continue;

            batch.Add(blocks.GetInt64(0), hash, blocks.GetInt64(2), blocks.GetInt64(3));
            if (batch.IsFull)
                batch.Move(session);
        }
    }

    // The engine's order of texts is that of their bytes.
    private static bool SkipTo(Statement lists, ReadOnlySpan<byte> hash)
    {
        while (lists.GetUtf8(0).SequenceCompareTo(hash) < 0)
        {
            if (!lists.Step())
                return false;
        }

        return true;
    }
}
