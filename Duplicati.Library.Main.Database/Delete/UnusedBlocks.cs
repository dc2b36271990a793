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
/// blocklists pass through the engine's sorter, which goes to files when it is large.
/// </remarks>
internal static class UnusedBlocks
{
    // Asking for a range costs as much as looking up so many blocks.
    private const long BlocksWorthOneRange = 8;

    /// <summary>Removes the unused blocks and records them as deleted. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code 19).</exception>
    internal static void Delete(DatabaseSession session)
    {
        TempTables.UnusedRange.Reset(session);
        FindRanges(session);
        MoveBlocks(session);
        session.Run(DeleteSql.ClearUnusedRange);
    }

    // Blocks without a blockset lie in the gaps between the ids in use. Gaps that are close together become one range, in which what
    // is in use has to be left out when its blocks are read.
    private static void FindRanges(DatabaseSession session)
    {
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

    // One row a statement, in the order of the hashes: so each page of the indexes by hash, the largest there are, is changed and
    // written once. A statement for all of them would do the same only on engines that delete while they search: newer ones collect
    // row ids first and go through them in their order.
    private static void MoveBlocks(DatabaseSession session)
    {
        using var blocks = session.Take(DeleteSql.BlocksInUnusedRanges);
        using var lists = session.Take(DeleteSql.BlocklistHashes);
        using var remember = session.Take(DeleteSql.RememberDeletedBlock);
        using var delete = session.Take(DeleteSql.DeleteBlock);
        var hasList = lists.Step();
        while (blocks.Step())
        {
            var hash = blocks.GetUtf8(1);
            hasList = hasList && SkipTo(lists, hash);
            if (hasList && lists.GetUtf8(0).SequenceEqual(hash))
                continue;

            remember.BindUtf8(1, hash).Bind(2, blocks.GetInt64(2)).Bind(3, blocks.GetInt64(3)).Execute();
            delete.Bind(1, blocks.GetInt64(0)).Execute();
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
