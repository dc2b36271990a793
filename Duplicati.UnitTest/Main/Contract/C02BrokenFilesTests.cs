// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>What a broken file is, word for word, and the books that are kept of them.</summary>
[TestFixture]
public sealed class C02BrokenFilesTests : SampleTestBase
{
    private long m_volume;
    private long m_metadata;

    [SetUp]
    public void Make()
    {
        m_volume = Data.Volume("blocks");
        m_metadata = Data.Metadata(Data.Blockset("meta", 3, Data.Block("meta", 3, m_volume)));
    }

    [Test]
    [Contract("C 2.1")]
    [Contract("C 2.3")]
    public async Task A_file_is_broken_when_its_data_or_metadata_cannot_be_rebuilt()
    {
        var (index, list, uploading) = (
            Data.Volume("index", "Index"),
            Data.Volume("list", "Files"),
            Data.Volume("uploading", state: "Temporary")
        );
        long Content(string seed, long length, params long[] blocks) => Data.Blockset(seed, length, blocks);
        long Block(string seed, long volume) => Data.Block(seed, 5, volume);
        var files = new Dictionary<string, (long Blockset, long Metadata, bool IsBroken)>
        {
            ["/whole"] = (Content("whole", 5, Block("whole", m_volume)), m_metadata, false),
            ["/state-does-not-matter"] = (Content("state", 5, Block("state", uploading)), m_metadata, false),
            ["/no-volume"] = (Content("no-volume", 5, Block("no-volume", -1)), m_metadata, true),
            ["/in-index"] = (Content("in-index", 5, Block("in-index", index)), m_metadata, true),
            ["/in-list"] = (Content("in-list", 5, Block("in-list", list)), m_metadata, true),
            ["/unknown-volume"] = (Content("unknown-volume", 5, Block("unknown-volume", 999)), m_metadata, true),
            ["/one-block-missing"] = (Content("one", 10, Block("there", m_volume), 9999), m_metadata, true),
            ["/no-entries"] = (Content("no-entries", 5), m_metadata, true),
            ["/empty"] = (Content("empty", 0), m_metadata, false),
            ["/empty-with-lost-block"] = (Content("empty2", 0, 8888), m_metadata, false),
            ["/unknown-blockset"] = (777, m_metadata, false),
            ["/folder/"] = (SampleDatabase.Folder, m_metadata, false),
            ["/link"] = (SampleDatabase.Symlink, m_metadata, false),
            ["/folder-of-lost-metadata/"] = (SampleDatabase.Folder, Data.Metadata(Content("lost-meta", 5, 7777)), true),
            ["/link-of-lost-metadata"] = (SampleDatabase.Symlink, Data.Metadata(Content("lost-meta2", 5, 7778)), true),
            ["/no-metadata"] = (Content("no-metadata", 5, Block("nm", m_volume)), 555, true),
            ["/empty-metadata"] = (Content("em", 5, Block("em", m_volume)), Data.Metadata(Content("zero", 0)), false),
            ["/metadata-of-unknown-blockset"] = (Content("mu", 5, Block("mu", m_volume)), Data.Metadata(666), false),
        };
        var listed = Content("listed", 5, Block("l", m_volume));
        Data.Blocklist(listed, 0, "lost-blocklist");
        files["/lost-blocklist"] = (listed, m_metadata, true);
        var kept = Content("kept", 5, Block("k", m_volume));
        Data.Blocklist(kept, 0, "kept-blocklist");
        Data.Block("kept-blocklist", 1, m_volume);
        files["/kept-blocklist-of-any-size"] = (kept, m_metadata, false);
        var fileset = Data.Fileset(1000, [.. files.Select(x => Data.File(x.Key, x.Value.Blockset, x.Value.Metadata))]);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);

        var found = await db.GetBrokenFilenamesAsync(fileset, default).ToListAsync(default);

        Assert.That(found.Select(x => x.Item1), Is.EquivalentTo(files.Where(x => x.Value.IsBroken).Select(x => x.Key)));
        Assert.That(found.Single(x => x.Item1 == "/one-block-missing").Item2, Is.EqualTo(10));
        Assert.That(found.Where(x => x.Item1.Contains("-of-lost-", StringComparison.Ordinal)).Select(x => x.Item2), Is.All.EqualTo(-1));
        Assert.That(
            await db.GetBrokenFilesetsAsync(default, null, default).Select(x => x.RemoveFileCount).SingleAsync(default),
            Is.EqualTo(found.Count)
        );
    }

    [Test]
    [Contract("C 2.1 changes are noticed")]
    [Contract("C 2.3")]
    public async Task What_is_changed_on_the_connection_is_noticed_also_when_the_connection_was_taken_long_before()
    {
        var block = Data.Block("b", 5, m_volume);
        var file = Data.File("/f", Data.Blockset("f", 5, block), m_metadata);
        var fileset = Data.Fileset(1000, file);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);
        var connection = db.Connection;
        async Task<long> CountAsync() => await db.GetBrokenFilenamesAsync(fileset, default).CountAsync(default);

        Assert.That(await CountAsync(), Is.Zero);
        connection.Execute("""DELETE FROM "Block" """);
        Assert.That(await CountAsync(), Is.EqualTo(1));
        await db.Transaction.RollBackAsync(default);
        Assert.That(await CountAsync(), Is.Zero);
        connection.Execute($"""UPDATE "FileLookup" SET "MetadataID" = 99 WHERE "ID" = {file}; DELETE FROM "PathPrefix" """);
        Assert.That(await CountAsync(), Is.Zero, "it is broken, but has no path");
        Assert.That(await db.GetBrokenFilesetsAsync(default, null, default).CountAsync(default), Is.EqualTo(1));
    }

    [Test]
    [Contract("C 2.5")]
    [Contract("C 11 Q9")]
    public async Task Ids_of_broken_files_of_one_fileset_go_into_a_table_once()
    {
        var (mine, other) = (Data.File("/mine", SampleDatabase.Folder, 555), Data.File("/other", SampleDatabase.Folder, 556));
        var fileset = Data.Fileset(1000, mine);
        Data.Fileset(2000, other);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);
        db.Connection.Execute("""CREATE TEMP TABLE "a ""table" ("a ""column" INTEGER PRIMARY KEY)""");

        await db.InsertBrokenFileIDsIntoTableAsync(fileset, "a \"table", "a \"column", default);

        Assert.That(db.Connection.Scalar("""SELECT GROUP_CONCAT("a ""column") FROM "a ""table" """), Is.EqualTo($"{mine}"));
        Assert.That(
            async () => await db.InsertBrokenFileIDsIntoTableAsync(fileset, "a \"table", "a \"column", default),
            Refused.Engine(19)
        );
    }

    [Test]
    [Contract("C 2.6")]
    [Contract("C 11 Q21")]
    public async Task A_replacement_without_entries_counts_again()
    {
        var lost = Data.Blockset("lost", 5, 9999);
        var nothing = Data.Blockset("nothing", 0);
        var shared = Data.Metadata(lost);
        var (first, second) = (
            Data.Fileset(1000, Data.File("/a/", SampleDatabase.Folder, shared), Data.File("/b/", SampleDatabase.Folder, shared)),
            Data.Fileset(2000, Data.File("/c/", SampleDatabase.Folder, shared))
        );
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);

        Assert.That(await db.ReplaceMetadataAsync(first, nothing, default), Is.EqualTo(1), "rows of Metadataset, not files");
        Assert.That(await db.ReplaceMetadataAsync(second, nothing, default), Is.EqualTo(1));
        Assert.That(await db.ReplaceMetadataAsync(777, nothing, default), Is.Zero);
        Assert.That(db.Connection.Scalar($"""SELECT "BlocksetID" FROM "Metadataset" WHERE "ID" = {shared}"""), Is.EqualTo($"{nothing}"));
    }

    [Test]
    [Contract("C 2.6")]
    public async Task A_replacement_that_is_not_there_is_refused_where_it_would_be_used()
    {
        var lost = Data.Metadata(Data.Blockset("lost", 5, 9999));
        var fileset = Data.Fileset(1000, Data.File("/a/", SampleDatabase.Folder, lost));
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);
        var before = AllRows.Of(db.Connection);

        Assert.That(() => db.ReplaceMetadataAsync(fileset, 4711, default), Refused.HelpId("ReplacementMetadataNotUsable"));
        Assert.That(await db.ReplaceMetadataAsync(777, 4711, default), Is.Zero);
        Assert.That(AllRows.Of(db.Connection), Is.EqualTo(before));
    }

    [Test]
    [Contract("C 2.6")]
    public async Task The_text_of_lost_metadata_goes_with_them()
    {
        var replacement = Data.Blockset("replacement", 3, Data.Block("replacement", 3, m_volume));
        var lost = Data.Metadata(Data.Blockset("lost", 5, 9999));
        var fileset = Data.Fileset(
            1000,
            Data.File("/a/", SampleDatabase.Folder, lost),
            Data.File("/b/", SampleDatabase.Folder, m_metadata)
        );
        Data.Insert("""UPDATE "Metadataset" SET "Content" = 'text ' || "ID" """);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);

        Assert.That(await db.ReplaceMetadataAsync(fileset, replacement, default), Is.EqualTo(1));

        Assert.That(
            db.Connection.Lines("""SELECT "ID", IFNULL("Content", 'none') FROM "Metadataset" ORDER BY "ID" """),
            Is.EqualTo(new[] { $"{m_metadata}|text {m_metadata}", $"{lost}|none" })
        );
    }

    [Test]
    [Contract("C 2.2")]
    [Contract("C 2.8")]
    [Contract("C 0.9")]
    public async Task Filesets_with_broken_files_can_be_restricted_and_counts_are_of_the_same_rows()
    {
        var broken = Data.File("/x", SampleDatabase.Folder, 555);
        Data.Fileset(3000, broken);
        Data.Fileset(1000, broken, Data.File("/y", SampleDatabase.Folder, m_metadata));
        Data.Fileset(2000);
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);
        async Task<string> FindAsync(DateTime time, params long[] versions) =>
            string.Join(
                ' ',
                await db.GetBrokenFilesetsAsync(time, versions, default)
                    .Select(x => $"{x.FilesetID}:{x.RemoveFileCount}")
                    .ToListAsync(default)
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
                await db.GetFilesetFileCountAsync(1, default),
                await db.GetFilesetFileCountAsync(2, default),
                await db.GetFilesetFileCountAsync(99, default)
            ),
            Is.EqualTo((1L, 2L, 0L))
        );
    }

    [Test]
    [Contract("C 2.4")]
    public async Task Index_volumes_that_describe_nothing_are_orphans_in_any_state()
    {
        Data.Link(Data.Volume("linked", "Index"), m_volume);
        Data.Volume("orphan", "Index", "Deleted", null, null);
        Data.Volume("list", "Files");
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Data.Close(), null, default);

        Assert.That(
            await db.GetOrphanedIndexFilesAsync(default).Select(x => (x.Name, x.Hash, x.Size)).ToListAsync(default),
            Is.EqualTo(new[] { ("orphan", "", -1L) })
        );
    }
}
