#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Finds the blocks that nothing refers to, whatever left them behind, and moves them to the deleted ones. The blocks in use are read
/// from their index alone; only where ids are missing in it is Block itself read. What goes is sorted by hash before it is written.
/// </summary>
/// <remarks>Linear in BlocksetEntry, BlocklistHash and the blocks that go. About 16 bytes a block without blockset and 80 a block that goes, in temporary tables.</remarks>
internal static class UnusedBlocks
{
    // Asking for a range costs as much as looking up so many blocks.
    private const long BlocksWorthOneRange = 8;

    /// <summary>Removes the unused blocks and records them as deleted. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code 19).</exception>
    internal static void Delete(DatabaseSession session)
    {
        TempTables.UnusedBlockId.Reset(session);
        TempTables.UnusedBlock.Reset(session);
        FindWithoutBlockset(session);
        session.Run(DeleteSql.ListUnusedBlocks);
        session.Run(DeleteSql.RememberDeletedBlocks);
        session.Run(DeleteSql.DeleteBlocks);
        session.Run(DeleteSql.ClearUnusedBlock);
        session.Run(DeleteSql.ClearUnusedBlockId);
    }

    // Blocks without a blockset lie in the gaps between the ids in use. Gaps that are close together are asked for as one range,
    // in which the statement itself leaves out what is in use.
    private static void FindWithoutBlockset(DatabaseSession session)
    {
        using var used = session.Take(DeleteSql.UsedBlockIds);
        using var find = session.Take(DeleteSql.FindUnusedBetween);
        var (previous, after, before) = (long.MinValue, long.MinValue, long.MinValue);
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
        find.Bind(1, after).Bind(2, long.MaxValue).Execute();

        // Asks for what lies before the ids that were read one after the other, if these are too many to ask across them.
        void EndRange()
        {
            if (previous - before < BlocksWorthOneRange)
                return;

            find.Bind(1, after).Bind(2, before).Execute();
            after = previous;
        }
    }
}
