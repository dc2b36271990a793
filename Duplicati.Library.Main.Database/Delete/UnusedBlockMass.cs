#nullable enable

using System.Linq;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Moves a large share of all blocks, or more than can be sorted in memory, to the deleted ones. Nothing is sorted to find their order: two
/// indexes of Block, gone through side by side, have all columns. DeletedBlock is filled in that order without its indexes, which are
/// then built of rows that are in order already. Block is emptied, or loses its rows: all indexes are dropped and rows go in the order
/// of the ids, or, if less than that is worth goes, those indexes that are built quickly, or none, and rows go in the order of the others.
/// </summary>
/// <remarks>Four bytes a block that goes, if not all indexes are dropped.</remarks>
/// <param name="session">The session, with its gate held, in a transaction that has the write lock.</param>
/// <param name="limits">Says which indexes are dropped.</param>
/// <param name="used">The ids of the blocks in use.</param>
/// <param name="blocks">Number of all blocks.</param>
internal sealed class UnusedBlockMass(DatabaseSession session, DeletionLimits limits, BlockIdSet used, long blocks)
{
    // Their entries are in the order of the ids, if the volumes were filled one after the other and most blocks have the same size.
    private static readonly string[] s_indexesInOrder = ["Block_IndexByVolumeId", "BlockSize"];

    private readonly TableDeletion m_tables = new(session, limits);
    private long m_moved;

    /// <summary>Moves them. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code 19).</exception>
    internal void Move()
    {
        var going = blocks - used.Count;
        // 0 if the indexes have to stay, because what stays cannot be sorted again.
        var share = m_tables.CanSort(used.Count) ? going / (double)blocks : 0;
        using var byHash = share < limits.ShareOfBlocks ? new NativeArray<uint>(blocks) : null;
        var deleted = m_tables.CountUpTo(MassDeletionSql.CountDeletedBlocks, going);
        if (deleted <= going && m_tables.CanSort(deleted + going))
            DroppedIndexes.During(session.Statements, "DeletedBlock", null, deleted + going, () => Remember(byHash));
        else
            Remember(byHash);

        if (m_moved == blocks)
            session.Empty("Block", MassDeletionSql.DeleteAllBlocks);
        else if (byHash is null)
            DroppedIndexes.During(session.Statements, "Block", null, blocks - m_moved, DeleteById);
        else if (share < limits.ShareOfBlocksInOrder)
            DeleteByHash(byHash);
        else
            DroppedIndexes.During(session.Statements, "Block", s_indexesInOrder.Contains, blocks - m_moved, () => DeleteByHash(byHash));
    }

    // Both statements give each block once, and those of one hash together: where the ids differ, the volume is looked up.
    private void Remember(NativeArray<uint>? order)
    {
        using var sizes = session.Take(MassDeletionSql.SizesByHash);
        using var volumes = session.Take(MassDeletionSql.VolumesByHash);
        using var lists = new BlocklistsByHash(session);
        using var insert = session.Take(DeleteSql.RememberDeletedBlock);
        while (sizes.Step())
        {
            var isBeside = volumes.Step();
            var id = sizes.GetInt64(0);
            if (used.Contains(id))
                continue;

            var hash = sizes.GetUtf8(1);
            if (lists.HaveNext(hash))
            {
                used.Add(id);
                continue;
            }

            var volume = isBeside && volumes.GetInt64(0) == id ? volumes.GetInt64(1) : ReadVolume(id);
            insert.BindUtf8(1, hash).Bind(2, sizes.GetInt64(2)).Bind(3, volume).Execute();
            if (order is not null)
                order.Slice(m_moved, 1)[0] = (uint)(id - used.First);
            m_moved++;
        }
    }

    private long ReadVolume(long id)
    {
        using var volume = session.Take(MassDeletionSql.VolumeOf);
        return volume.Bind(1, id).ExecuteInt64();
    }

    private void DeleteByHash(NativeArray<uint> order)
    {
        if (m_moved > 0)
            session.ServiceInUse<BlockMap>()?.Invalidate();
        using var cache = PageCacheSize.AtLeast(session.Statements, limits.UnsortedPageCacheBytes);
        cache.Begin();
        using var delete = session.Take(DeleteSql.DeleteBlock);
        for (var i = 0L; i < m_moved; i++)
            delete.Bind(1, used.First + order.Slice(i, 1)[0]).Execute();
    }

    private void DeleteById()
    {
        using var delete = session.Take(MassDeletionSql.DeleteBlocksBetween);
        foreach (var (first, last) in used.Gaps())
            delete.Bind(1, first).Bind(2, last).Execute();
    }
}
