#nullable enable

using System;
using System.Linq;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Moves a large share of all blocks, or more than can be sorted in memory, to the deleted ones. Nothing is sorted to find their order: two
/// indexes of Block, gone through side by side, have all columns, in the order in which DeletedBlock and its indexes are filled. Blocks
/// leave Block and each of its indexes apart, all in their own order; or, if most of them go, Block without its indexes, which are built
/// again; or Block is emptied.
/// </summary>
/// <remarks>Linear in Block. 2 bytes for each id that a block may have, up to <see cref="DeletionLimits.MostIdsWithVolumes"/>, and the sorts of indexes that are built again.</remarks>
/// <param name="session">The session, with its gate held, in a transaction that has the write lock.</param>
/// <param name="limits">Says whether indexes are dropped.</param>
/// <param name="used">The ids of the blocks in use.</param>
/// <param name="blocks">Number of all blocks.</param>
internal sealed class UnusedBlockMass(DatabaseSession session, DeletionLimits limits, BlockIdSet used, long blocks)
{
    private const string Blocks = "Block";
    private const string DeletedBlocks = "DeletedBlock";

    // A statement for a run of blocks takes as long as going through so many entries of an index.
    private const int EntriesWorthOneRun = 10;

    private static readonly string[] s_sizes = ["Hash", "Size", "ID"];
    private static readonly string[] s_volumes = ["Hash", "VolumeID", "ID"];
    private static readonly string[] s_bySize = ["Size", "ID"];
    private static readonly string[] s_byVolume = ["VolumeID", "ID"];
    private static readonly string[] s_deleted = ["Hash", "Size", "VolumeID"];

    private readonly TableDeletion m_tables = new(session, limits);
    private long m_moved;

    private bool FitVolumes => used.Length <= limits.MostIdsWithVolumes;

    /// <summary>Moves them. Does not commit.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">One of them is recorded as deleted in the same volume already (code 19), or an index of Block has not its rows (code 11).</exception>
    internal void Move()
    {
        // It will be wrong, and its memory is wanted for pages.
        session.ServiceInUse<BlockMap>()?.Invalidate();
        using var mapping = FileMapping.Off(session.Statements);
        var drops = blocks - used.Count >= blocks * limits.ShareOfBlocks && m_tables.CanSort(used.Count);
        // Nothing may be asked by hash once the indexes are apart.
        if (!drops && FitVolumes)
            KeepBlocklists();
        using (new AbsentIds(session.Statements, used.Words, used.First, used.Length))
        {
            if (!drops && ImposterTables.During(session.Statements, Blocks, MoveApart, s_sizes, s_volumes, s_bySize, s_byVolume))
                return;
            Remember(RememberAll);
        }

        if (m_moved == blocks)
            session.Empty(Blocks, MassDeletionSql.DeleteAllBlocks);
        else if (drops)
            DroppedIndexes.During(session.Statements, Blocks, null, blocks - m_moved, () => DeleteById());
        else
            DeleteById();
    }

    private void MoveApart(ImposterTables indexes)
    {
        if (!TryCopyByHash(indexes))
            Remember(lists => MoveByHash(indexes, (sizes, volumes, range) => Remember(sizes.SelectAbsent(range), volumes.SelectAbsent(range), lists)));
        if (AreRunsFew())
            DeleteRuns(indexes.Get(s_bySize), indexes.Get(s_byVolume));
        indexes.DeleteAbsent(limits.EntriesAtOnce);
        indexes.Check(DeleteById());
    }

    // Blocks that are blocklists are in no blockset.
    private void KeepBlocklists()
    {
        using var lists = session.Take(MassDeletionSql.BlocksOfLists);
        while (lists.Step())
            used.Add(lists.GetInt64(0));
    }

    // By statements alone, which need the volumes in memory. False if there are too many ids or volumes.
    private bool TryCopyByHash(ImposterTables indexes)
    {
        if (!FitVolumes)
            return false;

        using var values = new IdValues(session.Statements, used.First, used.Length);
        indexes.Get(s_byVolume).NoteValues();
        if (!values.IsWhole)
            return false;

        FillDeleted(() => MoveByHash(indexes, (sizes, _, range) => Copy(sizes, range)));
        return true;
    }

    private bool Copy(ImposterTable sizes, ImposterRange range)
    {
        var copied = sizes.CopyAbsent(range, DeletedBlocks, s_deleted);
        m_moved += copied;
        return copied > 0;
    }

    private void Remember(Action<BlocklistsByHash> fill) => FillDeleted(() =>
    {
        using var lists = new BlocklistsByHash(session);
        fill(lists);
    });

    // DeletedBlock gets its rows first, and then each of its indexes the entries.
    private void FillDeleted(Action fill)
    {
        var last = session.ReadNumber(MassDeletionSql.LastDeletedBlock);
        // Past the largest possible id, the engine chooses smaller ones at random.
        var isApart = last <= long.MaxValue - blocks && ImposterTables.During(session.Statements, DeletedBlocks, indexes =>
        {
            fill();
            indexes.AddAfter(last);
        });
        if (!isApart)
            fill();
    }

    private void RememberAll(BlocklistsByHash lists)
    {
        using var sizes = session.Take(MassDeletionSql.AbsentByHash);
        using var volumes = session.Take(MassDeletionSql.AbsentByHashAndVolume);
        Remember(sizes, volumes, lists);
    }

    // Both indexes part by part, so that each page is read once. Whoever remembers a part says whether any of its blocks go.
    private void MoveByHash(ImposterTables indexes, Func<ImposterTable, ImposterTable, ImposterRange, bool> remember)
    {
        var (sizes, volumes) = (indexes.Get(s_sizes), indexes.Get(s_volumes));
        foreach (var range in sizes.Ranges(limits.EntriesAtOnce))
        {
            if (!remember(sizes, volumes, range))
                continue;

            sizes.DeleteAbsent(range);
            volumes.DeleteAbsent(range);
        }
    }

    // Both statements give each block once, and those of one hash together: where the ids differ, the volume is looked up.
    private bool Remember(Statement sizes, Statement volumes, BlocklistsByHash lists)
    {
        var before = m_moved;
        using var insert = session.Take(DeleteSql.RememberDeletedBlock);
        while (sizes.Step())
        {
            var isBeside = volumes.Step();
            var hash = sizes.GetUtf8(0);
            var id = sizes.GetInt64(2);
            if (lists.HaveNext(hash))
            {
                used.Add(id);
                continue;
            }

            var volume = isBeside && volumes.GetInt64(2) == id ? volumes.GetInt64(1) : ReadVolume(id);
            insert.BindUtf8(1, hash).Bind(2, sizes.GetInt64(1)).Bind(3, volume).Execute();
            m_moved++;
        }

        volumes.Reset();
        return m_moved > before;
    }

    private long ReadVolume(long id)
    {
        using var volume = session.Take(MassDeletionSql.VolumeOf);
        return volume.Bind(1, id).ExecuteInt64();
    }

    // At worst each block is one, at best each gap.
    private bool AreRunsFew() => m_moved <= blocks / EntriesWorthOneRun || used.Gaps().LongCount() <= blocks / (EntriesWorthOneRun * EntriesWorthOneRun);

    // Blocks get their ids when they are put into a volume, one volume after the other, and most are full: mostly many that follow each
    // other have the same size, and the same volume.
    private void DeleteRuns(ImposterTable bySize, ImposterTable byVolume)
    {
        using var rows = session.Take(MassDeletionSql.BlocksBetween);
        foreach (var (first, last) in used.Gaps())
        {
            var (sizes, volumes) = (new Run(bySize), new Run(byVolume));
            rows.Bind(1, first).Bind(2, last);
            while (rows.Step())
            {
                sizes.Add(rows.GetInt64(1), rows.GetInt64(0));
                volumes.Add(rows.GetInt64(2), rows.GetInt64(0));
            }

            sizes.End();
            volumes.End();
        }
    }

    private long DeleteById()
    {
        var deleted = 0L;
        using var delete = session.Take(MassDeletionSql.DeleteBlocksBetween);
        foreach (var (first, last) in used.Gaps())
            deleted += delete.Bind(1, first).Bind(2, last).Execute();
        return deleted;
    }

    // Ids of one gap with the same value.
    private struct Run(ImposterTable index)
    {
        private long m_value;
        private long m_first;
        private long? m_last;

        internal void Add(long value, long id)
        {
            if (value != m_value)
                End();
            if (m_last is null)
                (m_value, m_first) = (value, id);
            m_last = id;
        }

        internal void End()
        {
            if (m_last is { } last)
                index.DeleteRun(m_value, m_first, last);
            m_last = null;
        }
    }
}
