// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.VolumeTest;

namespace Duplicati.UnitTest.Main.VolumeTest;

[TestFixture]
public class ComparisonTests : SampleTestBase
{
    private static readonly string[] s_none = [];

    [Test]
    public async Task What_no_index_leads_to_is_read_again_after_commits_of_others_but_not_after_own_ones()
    {
        var (index, blocks) = (Data.Volume("i", "Index"), Data.Volume("b"));
        Data.Link(index, blocks);
        Data.Blocklist(Data.Blockset("one", 20), 0, "q0");
        Data.Block("q0", 10, blocks);
        Data.Block("later", 10, blocks);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var read = 0;
        db.Session.Statements.Observe(sql => read += sql is VolumeContent.ExpectBlocklists or VolumeContent.StoreDeleted ? 1 : 0);

        for (var i = 0; i < 3; i++)
        {
            Assert.That(await BlocklistsAsync(db, "i", ("q0", 10)), Is.Empty);
            Assert.That(await BlocksAsync(db, "b", ("q0", 10), ("later", 10)), Is.Empty);
            await db.Transaction.CommitAsync(default);
        }

        Assert.That(read, Is.EqualTo(2));
        Databases.Execute(db.Connection.DataSource, $"""UPDATE "BlocklistHash" SET "Hash" = '{SampleDatabase.Hash("later")}'""");

        Assert.That(await BlocklistsAsync(db, "i", ("later", 10)), Is.Empty);
        Assert.That(read, Is.EqualTo(3));
    }

    [Test]
    [Contract("C 6.4")]
    public async Task A_list_outlives_commits_may_be_compared_again_and_grow()
    {
        var volume = Data.Volume("v");
        Data.Block("a", 1, volume);
        Data.Block("b", 2, volume);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        await using var list = await db.CreateBlocklistAsync("v", default);

        await list.AddBlockAsync(SampleDatabase.Hash("a"), 1, default);
        await db.Transaction.CommitAsync(default);
        for (var i = 0; i < 2; i++)
            Assert.That(await TextsAsync(list.CompareAsync(default)), Is.EqualTo(new[] { $"Missing {SampleDatabase.Hash("b")}" }));
        await list.AddBlockAsync(SampleDatabase.Hash("b"), 2, default);

        Assert.That(await TextsAsync(list.CompareAsync(default)), Is.Empty);
    }

    [Test]
    [Contract("C 6.4")]
    public async Task Lists_of_one_connection_are_independent_and_leave_nothing()
    {
        Data.Block("a", 1, Data.Volume("v"));
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var (first, second) = (await db.CreateBlocklistAsync("v", default), await db.CreateBlocklistAsync("v", default));
        await first.AddBlockAsync(SampleDatabase.Hash("a"), 1, default);

        Assert.That(await TextsAsync(first.CompareAsync(default)), Is.Empty);
        Assert.That(await TextsAsync(second.CompareAsync(default)), Has.Count.EqualTo(1));
        foreach (var list in new[] { first, second, second })
            list.Dispose();

        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM sqlite_temp_master WHERE "name" LIKE 'Blocklist-%'"""), Is.EqualTo("0"));
        Assert.That(() => second.AddBlockAsync("x", 1, default), Throws.InstanceOf<ObjectDisposedException>());
    }

    [Test]
    [Contract("C 6.4")]
    public async Task A_list_can_be_disposed_after_a_rollback()
    {
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var list = await db.CreateFilelistAsync("v", default);
        await list.AddAsync("/a", 1, "h", 1, "m", [], FilelistEntryType.File, default, default);
        await db.Transaction.RollBackAsync(default);

        Assert.That(list.Dispose, Throws.Nothing);
    }

    [Test]
    [Contract("C 6.3 index list")]
    public async Task Links_compare_by_name_with_hash_and_size()
    {
        var (index, other) = (Data.Volume("i", "Index"), Data.Volume("j", "Index"));
        foreach (var name in new[] { "same", "hash", "size", "missing" })
            Data.Link(index, Data.Volume(name, size: 5, hash: "h"));
        Data.Link(index, Data.Volume("unmeasured", size: null, hash: null));
        Data.Link(other, Data.Volume("elsewhere"));
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        await using var list = await db.CreateIndexlistAsync("i", default);
        foreach (
            var (name, hash, size) in new[]
            {
                ("same", "h", 5L),
                ("hash", "g", 5),
                ("size", "h", 6),
                ("elsewhere", "h", 5),
                ("unmeasured", "h", 5),
                ("hash", "g", 5),
            }
        )
            await list.AddBlockLinkAsync(name, hash, size, default);

        Assert.That(
            await TextsAsync(list.CompareAsync(default)),
            Is.EqualTo(new[] { "Missing missing", "Extra elsewhere", "Modified hash", "Modified size" })
        );
    }

    [Test]
    [Contract("C 6.3 file list")]
    public async Task Files_compare_by_path_with_content_and_metadata()
    {
        var metadata = Data.Metadata(Data.Blockset("m", 7));
        long File(string path, string content, long length) => Data.File(path, Data.Blockset(content, length), metadata);
        Data.Fileset(
            1000,
            File("/same", "c1", 5),
            File("/size", "c2", 5),
            File("/hash", "c3", 5),
            File("/metadata", "c4", 5),
            File("/missing", "c5", 5),
            Data.File("/folder/", SampleDatabase.Folder, metadata),
            Data.File("/link", SampleDatabase.Symlink, metadata),
            Data.File("/was-file/", SampleDatabase.Folder, metadata),
            Data.File("/no-metadata", Data.Blockset("c6", 5)),
            Data.File("/no-metadata-blockset", Data.Blockset("c7", 5), Data.Metadata(999))
        );
        Data.Fileset(2000, File("/other", "c8", 5));
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        await using var list = await db.CreateFilelistAsync("duplicati-1000.dlist.zip", default);
        Task Add(string path, string? content, long size, string meta = "m") =>
            list.AddAsync(
                path,
                size,
                content is null ? null! : SampleDatabase.Hash(content),
                7,
                SampleDatabase.Hash(meta),
                s_none,
                FilelistEntryType.File,
                default,
                default
            );

        await Add("/same", "c1", 5);
        await Add("/size", "c2", 6);
        await Add("/hash", "x", 5);
        await Add("/metadata", "c4", 5, "x");
        await Add("/folder/", null, 4096);
        await Add("/link", null, -1);
        await Add("/was-file/", "c1", 5);
        await Add("/no-metadata", "c6", 5);
        await Add("/no-metadata-blockset", "c7", 5);
        await Add("/other", "c8", 5);

        Assert.That(
            await TextsAsync(list.CompareAsync(default)),
            Is.EqualTo(
                new[]
                {
                    "Missing /missing",
                    "Extra /no-metadata",
                    "Extra /other",
                    "Modified /hash",
                    "Modified /metadata",
                    "Modified /size",
                    "Modified /was-file/",
                }
            )
        );
    }

    [Test]
    [Contract("C 6.3 blocklist-hash list")]
    public async Task Blocklists_have_the_size_that_their_place_gives_them()
    {
        var (index, blocks, other) = (Data.Volume("i", "Index"), Data.Volume("b"), Data.Volume("o"));
        Data.Link(index, blocks);
        // Blocks of 10 bytes, 2 hashes of 5 bytes in a blocklist: five blocks need blocklists of 10, 10 and 5 bytes, four need two full
        // ones.
        var five = Data.Blockset("five", 41);
        var four = Data.Blockset("four", 40);
        foreach (
            var (set, seed, place, size, volume) in new[]
            {
                (five, "f0", 0, 10, blocks),
                (five, "f1", 1, 10, blocks),
                (five, "f2", 2, 5, blocks),
                (four, "q0", 0, 10, blocks),
                (four, "q1", 1, 10, other),
            }
        )
        {
            Data.Blocklist(set, place, seed);
            Data.Block(seed, size, volume);
        }

        Data.Block("no blocklist", 10, blocks);
        Data.Blocklist(Data.Blockset("odd", 20), 0, "odd");
        Data.Block("odd", 5, blocks);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);

        Assert.That(await BlocklistsAsync(db, "i", ("f0", 10), ("f1", 10), ("f2", 5), ("q0", 10)), Is.Empty);
        Assert.That(
            await BlocklistsAsync(db, "i", ("f0", 10), ("f1", 10), ("f2", 10), ("q1", 10)),
            Is.EquivalentTo(
                new[]
                {
                    $"Missing {SampleDatabase.Hash("f2")}",
                    $"Extra {SampleDatabase.Hash("f2")}",
                    $"Missing {SampleDatabase.Hash("q0")}",
                    $"Extra {SampleDatabase.Hash("q1")}",
                }
            )
        );
        Assert.That(await BlocklistsAsync(db, "unknown", ("f0", 10)), Is.EqualTo(new[] { $"Extra {SampleDatabase.Hash("f0")}" }));
    }

    [Test]
    [Contract("C 0.3 from a parent")]
    public async Task A_child_compares_in_the_transaction_of_its_parent()
    {
        var volume = Data.Volume("v");
        await using var parent = await LocalDatabase.CreateLocalDatabaseAsync(Data.Close(), "Backup", true, null, default);
        parent.Connection.Execute($"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('x', 5, {volume})""");
        await using (var db = await LocalTestDatabase.CreateAsync(parent, null, default))
            Assert.That(await BlocksAsync(db, "v"), Is.EqualTo(new[] { "Missing x" }));

        Assert.That(parent.Connection.Scalar("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo("1"), "the connection is still open");
    }

    [Test]
    [Contract("C 6.3 Issue6504")]
    [Contract("C 12 row 10")]
    public async Task Blocks_that_change_places_with_their_copies_are_the_same_content()
    {
        var (a, b) = (Data.Volume("a"), Data.Volume("b"));
        var (x, y) = (Data.Block("x", 1, a), Data.Block("y", 2, b));
        Data.DuplicateBlock(x, b);
        Data.DuplicateBlock(y, a);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var connection = db.Connection;
        Task<List<string>> CompareAsync(string volume) => BlocksAsync(db, volume, ("x", 1), ("y", 2));

        Assert.That(await CompareAsync("a"), Is.Empty);
        connection.Execute(
            $"""UPDATE "Block" SET "VolumeID" = CASE "VolumeID" WHEN {a} THEN {b} ELSE {a} END; UPDATE "DuplicateBlock" SET "VolumeID" = CASE "VolumeID" WHEN {a} THEN {b} ELSE {a} END"""
        );
        Assert.That((await CompareAsync("a")).Concat(await CompareAsync("b")), Is.Empty);
        connection.Execute("""DELETE FROM "DuplicateBlock" """);
        Assert.That(
            await CompareAsync("a"),
            Is.EqualTo(new[] { $"Extra {SampleDatabase.Hash("x")}" }),
            "a whole table emptied on a connection that was taken long before"
        );
        connection.Execute($"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('z', 3, {a})""");
        Assert.That(await CompareAsync("a"), Is.EqualTo(new[] { "Missing z", $"Extra {SampleDatabase.Hash("x")}" }));
        await db.Transaction.RollBackAsync(default);
        Assert.That((await CompareAsync("a")).Concat(await CompareAsync("b")), Is.Empty, "as before the changes");
    }

    [Test]
    [Contract("C 6.3")]
    [Contract("C 0.8 leaving early")]
    public async Task Differences_come_by_status_and_key_and_a_comparison_may_be_abandoned_and_begun_again()
    {
        var volume = Data.Volume("v");
        foreach (var i in Enumerable.Range(0, 5))
            Data.Insert("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, 1, ?2)""", $"b{4 - i}", volume);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        await using var list = await db.CreateBlocklistAsync("v", default);
        foreach (var (hash, size) in new[] { ("x2", 1L), ("b4", 2), ("X1", 1), ("b3", 3), ("x2", 1) })
            await list.AddBlockAsync(hash, size, default);

        Assert.That((await list.CompareAsync(default).FirstAsync(default)).Value, Is.EqualTo("b0"));
        Assert.That(
            await list.CompareAsync(default).Select(x => $"{(int)x.Key}{x.Value}").ToListAsync(default),
            Is.EqualTo(new[] { "0b0", "0b1", "0b2", "1X1", "1x2", "2b3", "2b4" })
        );
        Assert.That(
            (TestEntryStatus.Missing, TestEntryStatus.Extra, TestEntryStatus.Modified, TestEntryStatus.Error),
            Is.EqualTo(((TestEntryStatus)0, (TestEntryStatus)1, (TestEntryStatus)2, (TestEntryStatus)3))
        );
        Assert.That(db.Connection.Scalar("SELECT COUNT(*) FROM sqlite_temp_master WHERE name LIKE 'CmpTable%'"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("C 6.4")]
    public async Task A_list_may_be_disposed_after_its_database_which_nothing_keeps_open()
    {
        var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var list = await db.CreateFilelistAsync("v", default);
        await list.AddAsync("/a", 1, "h", 1, "m", [], default, default, default);
        var comparison = list.CompareAsync(default).GetAsyncEnumerator(default);
        Assert.That(await comparison.MoveNextAsync(), Is.True);
        await db.DisposeAsync();

        Assert.That(Directory.GetFiles(Path.GetDirectoryName(Data.Path)!).Select(Path.GetFileName), Is.EqualTo(new[] { "backup.sqlite" }));
        Assert.That(comparison.Current.Value, Is.EqualTo("/a"));
        await comparison.DisposeAsync();
        Assert.That(list.Dispose, Throws.Nothing);
    }

    [Test]
    [Contract("C 6.3 file list")]
    public async Task A_file_without_hash_has_no_size_on_either_side_and_metadata_that_is_not_known_is_no_difference()
    {
        var metadata = Data.Metadata(Data.Blockset("m", 7));
        Data.Fileset(1000, Data.File("/d/", SampleDatabase.Folder, metadata), Data.File("/gone", 555, metadata));
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        await using var list = await db.CreateFilelistAsync("duplicati-1000.dlist.zip", default);
        await list.AddAsync("/d/", 99, null!, 7, SampleDatabase.Hash("m"), null!, FilelistEntryType.Folder, DateTime.MinValue, default);
        await list.AddAsync("/gone", 5, "h", 7, SampleDatabase.Hash("m"), [], FilelistEntryType.File, DateTime.MaxValue, default);

        Assert.That(
            await list.CompareAsync(default).ToListAsync(default),
            Is.EqualTo(new[] { KeyValuePair.Create(TestEntryStatus.Modified, "/gone") }),
            "a size against none"
        );
    }

    private static async Task<List<string>> BlocksAsync(LocalTestDatabase db, string volume, params (string Seed, long Size)[] found)
    {
        await using var list = await db.CreateBlocklistAsync(volume, default);
        foreach (var (seed, size) in found)
            await list.AddBlockAsync(SampleDatabase.Hash(seed), size, default);
        return await TextsAsync(list.CompareAsync(default));
    }

    private static async Task<List<string>> BlocklistsAsync(LocalTestDatabase db, string volume, params (string Seed, long Size)[] found)
    {
        await using var list = await db.CreateBlocklistHashListAsync(volume, default);
        foreach (var (seed, size) in found)
            await list.AddBlockHashAsync(SampleDatabase.Hash(seed), size, default);
        return await TextsAsync(list.CompareAsync(2, 5, 10, default));
    }

    private static async Task<List<string>> TextsAsync(IAsyncEnumerable<KeyValuePair<TestEntryStatus, string>> differences) =>
        await differences.Select(x => $"{x.Key} {x.Value}").ToListAsync();
}
