// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Linq;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.VolumeTest;

/// <summary>
/// The part of the database side of comparisons that no index leads to: deleted and duplicate blocks by volume, and the sizes of
/// blocklists. Read once and kept for the next volume as long as nothing they depend on has changed, so that testing all volumes
/// stays linear. Holds about 80 bytes for each deleted or duplicate block and each blocklist.
/// </summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class VolumeContent : ITransactionCache
{
    // {0} stands for the digits of a list.

    // Reads DeletedBlock, which has no index on VolumeID, once for all volumes.
    internal const string StoreDeleted = """
        INSERT OR IGNORE INTO temp."StoredCopy" ("VolumeID", "Hash", "Size") SELECT "VolumeID", "Hash", "Size" FROM "DeletedBlock"
        """;

    // Reads DuplicateBlock, which has no index on VolumeID, once for all volumes; Block by id.
    internal const string StoreDuplicates = """
        INSERT OR IGNORE INTO temp."StoredCopy" ("VolumeID", "Hash", "Size")
        SELECT d."VolumeID", b."Hash", b."Size"
        FROM "DuplicateBlock" d
        CROSS JOIN "Block" b ON b."ID" = d."BlockID"
        """;

    // Reads BlocklistHash, which has no index on Hash, once for all volumes; Blockset by id. Parameters: hashes in a full blocklist, bytes
    // of a hash, bytes of a block.
    internal const string ExpectBlocklists = """
        INSERT OR IGNORE INTO temp."ExpectedBlocklist" ("Hash", "Size")
        SELECT h."Hash", ?2 * CASE
            WHEN h."Index" = ((s."Length" + ?3 - 1) / ?3 - 1) / ?1 AND ((s."Length" + ?3 - 1) / ?3) % ?1 <> 0 THEN ((s."Length" + ?3 - 1) / ?3) % ?1
            ELSE ?1 END
        FROM "BlocklistHash" h
        CROSS JOIN "Blockset" s ON s."ID" = h."BlocksetID"
        """;

    // The last row of each table, by row id.
    private const string LastRows = """
        SELECT (SELECT MAX(rowid) FROM "Block"), (SELECT MAX(rowid) FROM "DeletedBlock"), (SELECT MAX(rowid) FROM "DuplicateBlock"),
            (SELECT MAX(rowid) FROM "BlocklistHash"), (SELECT MAX(rowid) FROM "Blockset")
        """;

    // RemotevolumeNameOnly, Block_IndexByVolumeId.
    private const string LiveBlocks = """
        INSERT OR IGNORE INTO temp."ComparedBlock" ("Hash", "Size")
        SELECT "Hash", "Size" FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // RemotevolumeNameOnly, key of StoredCopy.
    private const string StoredCopies = """
        INSERT OR IGNORE INTO temp."ComparedBlock" ("Hash", "Size")
        SELECT "Hash", "Size" FROM temp."StoredCopy" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // LiveBlocks and StoredCopies.
    private const string VolumeBlocks = """
        SELECT "Hash", "Size" FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        UNION ALL
        SELECT "Hash", "Size" FROM temp."StoredCopy" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

    // RemotevolumeNameOnly; reads IndexBlockLink, one row a volume; Block_IndexByVolumeId, key of ExpectedBlocklist.
    private const string Blocklists = """
        INSERT OR IGNORE INTO temp."ComparedBlock" ("Hash", "Size")
        SELECT b."Hash", b."Size"
        FROM "IndexBlockLink" k
        CROSS JOIN "Block" b ON b."VolumeID" = k."BlockVolumeID"
        CROSS JOIN temp."ExpectedBlocklist" x ON x."Hash" = b."Hash" AND x."Size" = b."Size"
        WHERE k."IndexVolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1)
        """;

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
        return m_session.Take(VolumeBlocks).Bind(1, volume);
    }

    /// <summary>Puts the live, deleted and duplicate blocks of a volume into the table of compared blocks.</summary>
    internal void FillBlocks(string volume)
    {
        StoreCopies();
        TestingTables.ComparedBlock.Reset(m_session);
        Fill(LiveBlocks, volume);
        Fill(StoredCopies, volume);
    }

    /// <summary>Puts the blocklists that the volumes linked to an index volume hold into the table of compared blocks.</summary>
    internal void FillBlocklists(string volume, int hashesPerBlock, int hashSize, int blockSize)
    {
        var shape = (hashesPerBlock, hashSize, blockSize);
        var now = Now();
        if (m_blocklistsSeen != now || m_shape != shape)
        {
            TestingTables.ExpectedBlocklist.Reset(m_session);
            using var expect = m_session.Take(ExpectBlocklists);
            expect.Bind(1, hashesPerBlock).Bind(2, hashSize).Bind(3, blockSize).ExecuteNonQuery();
            (m_blocklistsSeen, m_shape) = (now, shape);
        }

        TestingTables.ComparedBlock.Reset(m_session);
        Fill(Blocklists, volume);
    }

    /// <inheritdoc/>
    public void Discard() => m_copiesSeen = m_blocklistsSeen = Stamp.None;

    // The watch does not see a whole table emptied at once; then its last row is gone. Commits of this connection change nothing, or a
    // test, which commits after each volume, would read everything anew for each.
    private Stamp Now()
    {
        using var rows = m_session.Take(LastRows);
        return rows.Read()
            ? new Stamp(
                m_session.ReadNumber(HousekeepingSql.DataVersion),
                m_session.ExternalAccessCount,
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
            m_session.Run(StoreDeleted);
            m_session.Run(StoreDuplicates);
            m_copiesSeen = now;
        }
    }

    private void Fill(string sql, string volume)
    {
        using var fill = m_session.Take(sql);
        fill.Bind(1, volume).ExecuteNonQuery();
    }

    private readonly record struct Stamp(
        long DataVersion,
        long External,
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
    // Blocks a volume should hold, by hash and size.
    private const string CreateComparedBlock =
        """CREATE TEMP TABLE IF NOT EXISTS "ComparedBlock" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID""";

    // Files a list should hold, by path.
    private const string CreateComparedFile = """
        CREATE TEMP TABLE IF NOT EXISTS "ComparedFile" (
            "Path" TEXT NOT NULL, "ID" INTEGER NOT NULL, "Size" INTEGER NOT NULL, "Hash" TEXT NULL, "Metasize" INTEGER NULL, "Metahash" TEXT NULL,
            PRIMARY KEY ("Path", "ID")) WITHOUT ROWID
        """;

    // Deleted blocks and further copies, by the volume they lie in; kept from one comparison to the next.
    private const string CreateStoredCopy = """
        CREATE TEMP TABLE IF NOT EXISTS "StoredCopy" ("VolumeID" INTEGER NOT NULL, "Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("VolumeID", "Hash", "Size")) WITHOUT ROWID
        """;

    // Blocklists with the sizes they must have, by hash; kept from one comparison to the next.
    private const string CreateExpectedBlocklist = """
        CREATE TEMP TABLE IF NOT EXISTS "ExpectedBlocklist" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID
        """;

    // Files of a list volume by path; the same path may come twice.
    private const string CreateFilelist = """
        CREATE TEMP TABLE "Filelist-{0}" (
            "Path" TEXT NOT NULL, "Serial" INTEGER NOT NULL, "Size" INTEGER NOT NULL, "Hash" TEXT NULL, "Metasize" INTEGER NOT NULL, "Metahash" TEXT NULL,
            PRIMARY KEY ("Path", "Serial")) WITHOUT ROWID
        """;

    // Block volumes named in an index volume; the same name may come twice.
    private const string CreateIndexlist = """
        CREATE TEMP TABLE "Indexlist-{0}" ("Name" TEXT NOT NULL, "Serial" INTEGER NOT NULL, "Hash" TEXT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Name", "Serial")) WITHOUT ROWID
        """;

    // Blocks of a block volume, each pair of hash and size once.
    private const string CreateBlocklist =
        """CREATE TEMP TABLE "Blocklist-{0}" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID""";

    // Blocklists of an index volume, each pair of hash and size once.
    private const string CreateBlocklistHashList =
        """CREATE TEMP TABLE "BlocklistHashList-{0}" ("Hash" TEXT NOT NULL, "Size" INTEGER NOT NULL, PRIMARY KEY ("Hash", "Size")) WITHOUT ROWID""";

    internal static readonly TempTable ComparedBlock = new("ComparedBlock", CreateComparedBlock);
    internal static readonly TempTable ComparedFile = new("ComparedFile", CreateComparedFile);
    internal static readonly TempTable StoredCopy = new("StoredCopy", CreateStoredCopy);
    internal static readonly TempTable ExpectedBlocklist = new("ExpectedBlocklist", CreateExpectedBlocklist);
    internal static readonly TempTableTemplate Filelist = new("Filelist", CreateFilelist);
    internal static readonly TempTableTemplate Indexlist = new("Indexlist", CreateIndexlist);
    internal static readonly TempTableTemplate Blocklist = new("Blocklist", CreateBlocklist);
    internal static readonly TempTableTemplate BlocklistHashList = new("BlocklistHashList", CreateBlocklistHashList);
}
