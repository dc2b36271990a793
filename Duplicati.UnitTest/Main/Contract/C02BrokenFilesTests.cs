// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>What a broken file is, word for word, and the books that are kept of them.</summary>
[TestFixture]
public sealed class C02BrokenFilesTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    private SampleDatabase m_data = null!;
    private long m_volume;
    private long m_metadata;

    [SetUp]
    public void Make()
    {
        m_data = new SampleDatabase();
        m_volume = m_data.Volume("blocks");
        m_metadata = m_data.Metadata(m_data.Blockset("meta", 3, m_data.Block("meta", 3, m_volume)));
    }

    [TearDown]
    public void Remove() => m_data.Dispose();

    [Test]
    [Contract("C 2.1")]
    [Contract("C 2.3")]
    public async Task A_file_is_broken_when_its_data_or_metadata_cannot_be_rebuilt()
    {
        var (index, list, uploading) = (
            m_data.Volume("index", "Index"),
            m_data.Volume("list", "Files"),
            m_data.Volume("uploading", state: "Temporary")
        );
        long Data(string seed, long length, params long[] blocks) => m_data.Blockset(seed, length, blocks);
        long Block(string seed, long volume) => m_data.Block(seed, 5, volume);
        var files = new Dictionary<string, (long Blockset, long Metadata, bool IsBroken)>
        {
            ["/whole"] = (Data("whole", 5, Block("whole", m_volume)), m_metadata, false),
            ["/state-does-not-matter"] = (Data("state", 5, Block("state", uploading)), m_metadata, false),
            ["/no-volume"] = (Data("no-volume", 5, Block("no-volume", -1)), m_metadata, true),
            ["/in-index"] = (Data("in-index", 5, Block("in-index", index)), m_metadata, true),
            ["/in-list"] = (Data("in-list", 5, Block("in-list", list)), m_metadata, true),
            ["/unknown-volume"] = (Data("unknown-volume", 5, Block("unknown-volume", 999)), m_metadata, true),
            ["/one-block-missing"] = (Data("one", 10, Block("there", m_volume), 9999), m_metadata, true),
            ["/no-entries"] = (Data("no-entries", 5), m_metadata, true),
            ["/empty"] = (Data("empty", 0), m_metadata, false),
            ["/empty-with-lost-block"] = (Data("empty2", 0, 8888), m_metadata, false),
            ["/unknown-blockset"] = (777, m_metadata, false),
            ["/folder/"] = (SampleDatabase.Folder, m_metadata, false),
            ["/link"] = (SampleDatabase.Symlink, m_metadata, false),
            ["/folder-of-lost-metadata/"] = (SampleDatabase.Folder, m_data.Metadata(Data("lost-meta", 5, 7777)), true),
            ["/link-of-lost-metadata"] = (SampleDatabase.Symlink, m_data.Metadata(Data("lost-meta2", 5, 7778)), true),
            ["/no-metadata"] = (Data("no-metadata", 5, Block("nm", m_volume)), 555, true),
            ["/empty-metadata"] = (Data("em", 5, Block("em", m_volume)), m_data.Metadata(Data("zero", 0)), false),
            ["/metadata-of-unknown-blockset"] = (Data("mu", 5, Block("mu", m_volume)), m_data.Metadata(666), false),
        };
        var listed = Data("listed", 5, Block("l", m_volume));
        m_data.Blocklist(listed, 0, "lost-blocklist");
        files["/lost-blocklist"] = (listed, m_metadata, true);
        var kept = Data("kept", 5, Block("k", m_volume));
        m_data.Blocklist(kept, 0, "kept-blocklist");
        m_data.Block("kept-blocklist", 1, m_volume);
        files["/kept-blocklist-of-any-size"] = (kept, m_metadata, false);
        var fileset = m_data.Fileset(1000, [.. files.Select(x => m_data.File(x.Key, x.Value.Blockset, x.Value.Metadata))]);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(m_data.Close(), null, s_none);

        var found = await db.GetBrokenFilenamesAsync(fileset, s_none).ToListAsync(s_none);

        Assert.That(found.Select(x => x.Item1), Is.EquivalentTo(files.Where(x => x.Value.IsBroken).Select(x => x.Key)));
        Assert.That(found.Single(x => x.Item1 == "/one-block-missing").Item2, Is.EqualTo(10));
        Assert.That(found.Where(x => x.Item1.Contains("-of-lost-", StringComparison.Ordinal)).Select(x => x.Item2), Is.All.EqualTo(-1));
        Assert.That(
            await db.GetBrokenFilesetsAsync(default, null, s_none).Select(x => x.RemoveFileCount).SingleAsync(s_none),
            Is.EqualTo(found.Count)
        );
    }

    [Test]
    [Contract("C 2.1 changes are noticed")]
    [Contract("C 2.3")]
    public async Task What_is_changed_on_the_connection_is_noticed_also_when_the_connection_was_taken_long_before()
    {
        var block = m_data.Block("b", 5, m_volume);
        var file = m_data.File("/f", m_data.Blockset("f", 5, block), m_metadata);
        var fileset = m_data.Fileset(1000, file);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(m_data.Close(), null, s_none);
        var connection = db.Connection;
        async Task<long> CountAsync() => await db.GetBrokenFilenamesAsync(fileset, s_none).CountAsync(s_none);

        Assert.That(await CountAsync(), Is.Zero);
        connection.Execute("""DELETE FROM "Block" """);
        Assert.That(await CountAsync(), Is.EqualTo(1));
        await db.Transaction.RollBackAsync(s_none);
        Assert.That(await CountAsync(), Is.Zero);
        connection.Execute($"""UPDATE "FileLookup" SET "MetadataID" = 99 WHERE "ID" = {file}; DELETE FROM "PathPrefix" """);
        Assert.That(await CountAsync(), Is.Zero, "it is broken, but has no path");
        Assert.That(await db.GetBrokenFilesetsAsync(default, null, s_none).CountAsync(s_none), Is.EqualTo(1));
    }

    [Test]
    [Contract("C 2.5")]
    [Contract("C 11 Q9")]
    public async Task Ids_of_broken_files_of_one_fileset_go_into_a_table_once()
    {
        var (mine, other) = (m_data.File("/mine", SampleDatabase.Folder, 555), m_data.File("/other", SampleDatabase.Folder, 556));
        var fileset = m_data.Fileset(1000, mine);
        m_data.Fileset(2000, other);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(m_data.Close(), null, s_none);
        db.Connection.Execute("""CREATE TEMP TABLE "a ""table" ("a ""column" INTEGER PRIMARY KEY)""");

        await db.InsertBrokenFileIDsIntoTableAsync(fileset, "a \"table", "a \"column", s_none);

        Assert.That(db.Connection.Scalar("""SELECT GROUP_CONCAT("a ""column") FROM "a ""table" """), Is.EqualTo($"{mine}"));
        Assert.That(
            async () => await db.InsertBrokenFileIDsIntoTableAsync(fileset, "a \"table", "a \"column", s_none),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(19)
        );
    }

    [Test]
    [Contract("C 2.6")]
    [Contract("C 11 Q21")]
    public async Task A_replacement_without_entries_counts_again()
    {
        var lost = m_data.Blockset("lost", 5, 9999);
        var nothing = m_data.Blockset("nothing", 0);
        var shared = m_data.Metadata(lost);
        var (first, second) = (
            m_data.Fileset(1000, m_data.File("/a/", SampleDatabase.Folder, shared), m_data.File("/b/", SampleDatabase.Folder, shared)),
            m_data.Fileset(2000, m_data.File("/c/", SampleDatabase.Folder, shared))
        );
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(m_data.Close(), null, s_none);

        Assert.That(await db.ReplaceMetadataAsync(first, nothing, s_none), Is.EqualTo(1), "rows of Metadataset, not files");
        Assert.That(await db.ReplaceMetadataAsync(second, nothing, s_none), Is.EqualTo(1));
        Assert.That(await db.ReplaceMetadataAsync(777, nothing, s_none), Is.Zero);
        Assert.That(db.Connection.Scalar($"""SELECT "BlocksetID" FROM "Metadataset" WHERE "ID" = {shared}"""), Is.EqualTo($"{nothing}"));
    }

    [Test]
    [Contract("C 2.7")]
    public async Task All_that_lies_in_lost_volumes_is_forgotten_and_nothing_else()
    {
        var (lost, index) = (m_data.Volume("lost"), m_data.Volume("index", "Index"));
        m_data.Link(index, lost);
        m_data.Link(index, m_volume);
        m_data.Link(lost, m_volume);
        var (gone, stays) = (m_data.Block("gone", 1, lost), m_data.Block("stays", 1, m_volume));
        m_data.DeletedBlock("d1", 1, lost);
        m_data.DeletedBlock("d2", 1, m_volume);
        m_data.DuplicateBlock(stays, lost);
        m_data.DuplicateBlock(gone, m_volume);
        m_data.Fileset(1000, m_data.File("/a", m_data.Blockset("a", 1, gone), m_metadata));
        var path = m_data.Close();
        await using (var db = await LocalListBrokenFilesDatabase.CreateAsync(path, null, s_none))
        {
            await db.RemoveMissingBlocksAsync(null!, s_none);
            await db.RemoveMissingBlocksAsync([], s_none);
            await db.RemoveMissingBlocksAsync(["unknown"], s_none);
            Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("3"));

            await db.RemoveMissingBlocksAsync(Enumerable.Repeat("lost", 2).Append("unknown"), s_none);

            Assert.That(m_data.Rows("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(new[] { "3" }), "nothing is committed");
            Assert.That(
                db.Connection.Scalar(
                    """SELECT (SELECT COUNT(*) FROM "Block" WHERE "VolumeID" = 1) || (SELECT COUNT(*) FROM "Block") || (SELECT COUNT(*) FROM "DeletedBlock") || (SELECT COUNT(*) FROM "DuplicateBlock") || (SELECT COUNT(*) FROM "IndexBlockLink")"""
                ),
                Is.EqualTo("22111")
            );
            Assert.That(
                db.Connection.Scalar(
                    """SELECT (SELECT COUNT(*) FROM "Remotevolume") || (SELECT COUNT(*) FROM "Fileset") || (SELECT COUNT(*) FROM "BlocksetEntry")"""
                ),
                Is.EqualTo("412")
            );
        }
    }

    [Test]
    [Contract("C 2.2")]
    [Contract("C 2.8")]
    [Contract("C 0.9")]
    public async Task Filesets_with_broken_files_can_be_restricted_and_counts_are_of_the_same_rows()
    {
        var broken = m_data.File("/x", SampleDatabase.Folder, 555);
        m_data.Fileset(3000, broken);
        m_data.Fileset(1000, broken, m_data.File("/y", SampleDatabase.Folder, m_metadata));
        m_data.Fileset(2000);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(m_data.Close(), null, s_none);
        async Task<string> FindAsync(DateTime time, params long[] versions) =>
            string.Join(
                ' ',
                await db.GetBrokenFilesetsAsync(time, versions, s_none)
                    .Select(x => $"{x.FilesetID}:{x.RemoveFileCount}")
                    .ToListAsync(s_none)
            );

        Assert.That(await FindAsync(default), Is.EqualTo("1:1 2:1"), "by id, not by time");
        Assert.That(await FindAsync(default, 2), Is.EqualTo("2:1"));
        Assert.That(await FindAsync(default, 1), Is.Empty);
        Assert.That(await FindAsync(DateTime.UnixEpoch.AddSeconds(1500)), Is.EqualTo("2:1"));
        Assert.That(await FindAsync(DateTime.UnixEpoch.AddSeconds(1500).ToLocalTime(), 0), Is.EqualTo("1:1 2:1"));
        Assert.That(
            async () => await FindAsync(new DateTime(2020, 1, 1)),
            Throws.Exception.With.Message.EqualTo("Invalid DateTime given, must be either local or UTC")
        );
        Assert.That(
            (
                await db.GetFilesetFileCountAsync(1, s_none),
                await db.GetFilesetFileCountAsync(2, s_none),
                await db.GetFilesetFileCountAsync(99, s_none)
            ),
            Is.EqualTo((1L, 2L, 0L))
        );
    }

    [Test]
    [Contract("C 2.4")]
    public async Task Index_volumes_that_describe_nothing_are_orphans_in_any_state()
    {
        m_data.Link(m_data.Volume("linked", "Index"), m_volume);
        m_data.Volume("orphan", "Index", "Deleted", null, null);
        m_data.Volume("list", "Files");
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(m_data.Close(), null, s_none);

        Assert.That(
            await db.GetOrphanedIndexFilesAsync(s_none).Select(x => (x.Name, x.Hash, x.Size)).ToListAsync(s_none),
            Is.EqualTo(new[] { ("orphan", "", -1L) })
        );
    }
}
