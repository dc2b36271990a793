// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Linq;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>
/// The part of the database side of comparisons that no index leads to: deleted and duplicate blocks by volume, and the sizes of
/// blocklists. Read once and kept for the next volume as long as nothing they depend on has changed, so that testing all volumes
/// stays linear. Holds about 80 bytes for each deleted or duplicate block and each blocklist.
/// </summary>
/// <remarks>Must be called with the session's gate held.</remarks>
internal sealed class VolumeContent : ITransactionCache
{
    private readonly DatabaseSession m_session;
    private readonly TableChanges[] m_watched;
    private Stamp m_copiesSeen = Stamp.None;
    private Stamp m_blocklistsSeen = Stamp.None;
    private (int HashesPerBlock, int HashSize, int BlockSize) m_shape;

    private VolumeContent(DatabaseSession session)
    {
        m_session = session;
        var watch = TableWatch.Of(session.Connection);
        m_watched =
        [
            watch.Table("Block"),
            watch.Table("DeletedBlock"),
            watch.Table("DuplicateBlock"),
            watch.Table("BlocklistHash"),
            watch.Table("Blockset"),
        ];
    }

    internal static VolumeContent Of(DatabaseSession session) => session.Service(static x => new VolumeContent(x));

    /// <summary>
    /// Hashes and sizes of the live, deleted and duplicate blocks of a volume, in no order; some may come twice. To be disposed before
    /// anything else of this object is used.
    /// </summary>
    internal Statement ReadBlocks(string volume)
    {
        StoreCopies();
        return m_session.TakeDirect(ComparisonSql.VolumeBlocks).Bind(1, volume);
    }

    /// <summary>Puts the live, deleted and duplicate blocks of a volume into the table of compared blocks.</summary>
    internal void FillBlocks(string volume)
    {
        StoreCopies();
        TestingTables.ComparedBlock.Reset(m_session);
        Fill(ComparisonSql.LiveBlocks, volume);
        Fill(ComparisonSql.StoredCopies, volume);
    }

    /// <summary>Puts the blocklists that the volumes linked to an index volume hold into the table of compared blocks.</summary>
    internal void FillBlocklists(string volume, int hashesPerBlock, int hashSize, int blockSize)
    {
        var shape = (hashesPerBlock, hashSize, blockSize);
        var now = Now();
        if (m_blocklistsSeen != now || m_shape != shape)
        {
            TestingTables.ExpectedBlocklist.Reset(m_session);
            using var expect = m_session.TakeDirect(ComparisonSql.ExpectBlocklists);
            expect.Bind(1, hashesPerBlock).Bind(2, hashSize).Bind(3, blockSize).ExecuteNonQuery();
            (m_blocklistsSeen, m_shape) = (now, shape);
        }

        TestingTables.ComparedBlock.Reset(m_session);
        Fill(ComparisonSql.Blocklists, volume);
    }

    /// <inheritdoc/>
    public void Discard() => m_copiesSeen = m_blocklistsSeen = Stamp.None;

    // The watch does not see a whole table emptied at once; then its last row is gone. Commits of this connection change nothing, or a
    // test, which commits after each volume, would read everything anew for each.
    private Stamp Now()
    {
        using var rows = m_session.TakeDirect(ComparisonSql.LastRows);
        return rows.Read()
            ? new Stamp(
                m_session.ReadNumberDirect(HousekeepingSql.DataVersion),
                m_session.ForeignAccessCount,
                m_watched.Sum(x => x.Count),
                rows.GetInt64(0, 0),
                rows.GetInt64(1, 0),
                rows.GetInt64(2, 0),
                rows.GetInt64(3, 0),
                rows.GetInt64(4, 0)
            )
            : Stamp.None;
    }

    private void StoreCopies()
    {
        var now = Now();
        if (m_copiesSeen != now)
        {
            TestingTables.StoredCopy.Reset(m_session);
            m_session.Run(ComparisonSql.StoreDeleted);
            m_session.Run(ComparisonSql.StoreDuplicates);
            m_copiesSeen = now;
        }
    }

    private void Fill(string sql, string volume)
    {
        using var fill = m_session.TakeDirect(sql);
        fill.Bind(1, volume).ExecuteNonQuery();
    }

    private readonly record struct Stamp(
        long DataVersion,
        long Foreign,
        long Changes,
        long Block,
        long Deleted,
        long Duplicate,
        long Blocklist,
        long Blockset
    )
    {
        internal static readonly Stamp None = new(-1, -1, -1, 0, 0, 0, 0, 0);
    }
}

/// <summary>
/// The temporary tables of comparing volumes with the database. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class TestingTables
{
    internal static readonly TempTable ComparedBlock = new(
        "ComparedBlock",
        ComparisonSql.CreateComparedBlock,
        ComparisonSql.ClearComparedBlock
    );
    internal static readonly TempTable ComparedFile = new(
        "ComparedFile",
        ComparisonSql.CreateComparedFile,
        ComparisonSql.ClearComparedFile
    );
    internal static readonly TempTable StoredCopy = new("StoredCopy", ComparisonSql.CreateStoredCopy, ComparisonSql.ClearStoredCopy);
    internal static readonly TempTable ExpectedBlocklist = new(
        "ExpectedBlocklist",
        ComparisonSql.CreateExpectedBlocklist,
        ComparisonSql.ClearExpectedBlocklist
    );
    internal static readonly TempTableTemplate Filelist = new(
        "Filelist",
        ListSql.CreateFilelist,
        ListSql.ClearFilelist,
        ListSql.DropFilelist
    );
    internal static readonly TempTableTemplate Indexlist = new(
        "Indexlist",
        ListSql.CreateIndexlist,
        ListSql.ClearIndexlist,
        ListSql.DropIndexlist
    );
    internal static readonly TempTableTemplate Blocklist = new(
        "Blocklist",
        ListSql.CreateBlocklist,
        ListSql.ClearBlocklist,
        ListSql.DropBlocklist
    );
    internal static readonly TempTableTemplate BlocklistHashList = new(
        "BlocklistHashList",
        ListSql.CreateBlocklistHashList,
        ListSql.ClearBlocklistHashList,
        ListSql.DropBlocklistHashList
    );
}
