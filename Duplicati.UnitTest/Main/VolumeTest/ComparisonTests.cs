// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.VolumeTest;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.VolumeTest;

[TestFixture]
public class ComparisonTests
{
    private static readonly string[] s_none = [];

    [Test]
    [Contract("C 6.3 blocklist")]
    [Contract("C 11.2 row 18")]
    public async Task Blocks_of_a_volume_are_live_deleted_and_duplicate_ones()
    {
        using var sample = new SampleDatabase();
        var (volume, other) = (sample.Volume("v"), sample.Volume("other"));
        sample.Block("live", 10, volume);
        sample.DuplicateBlock(sample.Block("copy", 20, other), volume);
        sample.DeletedBlock("deleted", 30, volume);
        sample.Block("elsewhere", 40, other);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

        Assert.That(await BlocksAsync(db, "v", ("live", 10), ("copy", 20), ("deleted", 30)), Is.Empty);
        Assert.That(
            await BlocksAsync(db, "v", ("live", 11), ("live", 11), ("copy", 20), ("new", 1), ("elsewhere", 40)),
            Is.EquivalentTo(
                new[]
                {
                    $"Missing {SampleDatabase.Hash("deleted")}",
                    $"Extra {SampleDatabase.Hash("new")}",
                    $"Extra {SampleDatabase.Hash("elsewhere")}",
                    $"Modified {SampleDatabase.Hash("live")}",
                }
            )
        );
        Assert.That(await BlocksAsync(db, "other"), Has.Count.EqualTo(2).And.All.StartsWith("Missing"));
        Assert.That(await BlocksAsync(db, "unknown", ("live", 10)), Is.EqualTo(new[] { $"Extra {SampleDatabase.Hash("live")}" }));
    }

    [Test]
    [Contract("C 6.3 blocklist")]
    public async Task A_hash_of_two_sizes_is_modified_once()
    {
        using var sample = new SampleDatabase();
        sample.Block("x", 10, sample.Volume("v"));
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

        Assert.That(
            await BlocksAsync(db, "v", ("x", 10), ("x", 11), ("x", 12)),
            Is.EqualTo(new[] { $"Modified {SampleDatabase.Hash("x")}" })
        );
    }

    [Test]
    [Contract("C 6.3 Issue6504")]
    public async Task Changes_between_two_comparisons_are_seen()
    {
        using var sample = new SampleDatabase();
        var (a, b) = (sample.Volume("a"), sample.Volume("b"));
        var block = sample.Block("x", 10, a);
        sample.DuplicateBlock(block, b);
        sample.DeletedBlock("y", 20, a);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
        Assert.That(await BlocksAsync(db, "b", ("x", 10)), Is.Empty);

        var raw = db.Connection;
        raw.Execute($"""UPDATE "Block" SET "VolumeID" = {b}; UPDATE "DuplicateBlock" SET "VolumeID" = {a}""");
        Assert.That(await BlocksAsync(db, "b", ("x", 10)), Is.Empty);
        Assert.That(await BlocksAsync(db, "a", ("x", 10), ("y", 20)), Is.Empty);
        raw.Execute("""DELETE FROM "DeletedBlock" WHERE "Size" = 20""");
        Assert.That(await BlocksAsync(db, "a", ("x", 10)), Is.Empty);
        await db.Transaction.RollBackAsync(default);
        Assert.That(await BlocksAsync(db, "a", ("x", 10), ("y", 20)), Is.Empty, "as before the changes");
    }

    [Test]
    public async Task What_no_index_leads_to_is_read_again_after_commits_of_others_but_not_after_own_ones()
    {
        using var sample = new SampleDatabase();
        var (index, blocks) = (sample.Volume("i", "Index"), sample.Volume("b"));
        sample.Link(index, blocks);
        sample.Blocklist(sample.Blockset("one", 20), 0, "q0");
        sample.Block("q0", 10, blocks);
        sample.Block("later", 10, blocks);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
        var read = 0;
        db.Session.Statements.Fault = sql =>
        {
            read += sql == VolumeContent.ExpectBlocklists || sql == VolumeContent.StoreDeleted ? 1 : 0;
            return raw.SQLITE_OK;
        };

        for (var i = 0; i < 3; i++)
        {
            Assert.That(await BlocklistsAsync(db, "i", ("q0", 10)), Is.Empty);
            Assert.That(await BlocksAsync(db, "b", ("q0", 10), ("later", 10)), Is.Empty);
            await db.Transaction.CommitAsync(default);
        }

        Assert.That(read, Is.EqualTo(2));
        using (var other = new SqliteConnection($"Data Source={db.Connection.DataSource};Pooling=false"))
        {
            other.Open();
            other.Execute($"""UPDATE "BlocklistHash" SET "Hash" = '{SampleDatabase.Hash("later")}'""");
        }

        Assert.That(await BlocklistsAsync(db, "i", ("later", 10)), Is.Empty);
        Assert.That(read, Is.EqualTo(3));
    }

    [Test]
    [Contract("C 6.4")]
    public async Task A_list_outlives_commits_may_be_compared_again_and_grow()
    {
        using var sample = new SampleDatabase();
        var volume = sample.Volume("v");
        sample.Block("a", 1, volume);
        sample.Block("b", 2, volume);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
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
        using var sample = new SampleDatabase();
        sample.Block("a", 1, sample.Volume("v"));
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
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
        using var sample = new SampleDatabase();
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
        var list = await db.CreateFilelistAsync("v", default);
        await list.AddAsync("/a", 1, "h", 1, "m", [], FilelistEntryType.File, default, default);
        await db.Transaction.RollBackAsync(default);

        Assert.That(list.Dispose, Throws.Nothing);
    }

    [Test]
    [Contract("C 6.3 index list")]
    public async Task Links_compare_by_name_with_hash_and_size()
    {
        using var sample = new SampleDatabase();
        var (index, other) = (sample.Volume("i", "Index"), sample.Volume("j", "Index"));
        foreach (var name in new[] { "same", "hash", "size", "missing" })
            sample.Link(index, sample.Volume(name, size: 5, hash: "h"));
        sample.Link(index, sample.Volume("unmeasured", size: null, hash: null));
        sample.Link(other, sample.Volume("elsewhere"));
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
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
        using var sample = new SampleDatabase();
        var metadata = sample.Metadata(sample.Blockset("m", 7));
        long File(string path, string content, long length) => sample.File(path, sample.Blockset(content, length), metadata);
        sample.Fileset(
            1000,
            File("/same", "c1", 5),
            File("/size", "c2", 5),
            File("/hash", "c3", 5),
            File("/metadata", "c4", 5),
            File("/missing", "c5", 5),
            sample.File("/folder/", SampleDatabase.Folder, metadata),
            sample.File("/link", SampleDatabase.Symlink, metadata),
            sample.File("/was-file/", SampleDatabase.Folder, metadata),
            sample.File("/no-metadata", sample.Blockset("c6", 5)),
            sample.File("/no-metadata-blockset", sample.Blockset("c7", 5), sample.Metadata(999))
        );
        sample.Fileset(2000, File("/other", "c8", 5));
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
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
        using var sample = new SampleDatabase();
        var (index, blocks, other) = (sample.Volume("i", "Index"), sample.Volume("b"), sample.Volume("o"));
        sample.Link(index, blocks);
        // Blocks of 10 bytes, 2 hashes of 5 bytes in a blocklist: five blocks need blocklists of 10, 10 and 5 bytes, four need two full
        // ones.
        var five = sample.Blockset("five", 41);
        var four = sample.Blockset("four", 40);
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
            sample.Blocklist(set, place, seed);
            sample.Block(seed, size, volume);
        }

        sample.Block("no blocklist", 10, blocks);
        sample.Blocklist(sample.Blockset("odd", 20), 0, "odd");
        sample.Block("odd", 5, blocks);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

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
        using var sample = new SampleDatabase();
        var volume = sample.Volume("v");
        await using var parent = await LocalDatabase.CreateLocalDatabaseAsync(sample.Close(), "Backup", true, null, default);
        parent.Connection.Execute($"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") VALUES ('x', 5, {volume})""");
        await using (var db = await LocalTestDatabase.CreateAsync(parent, null, default))
            Assert.That(await BlocksAsync(db, "v"), Is.EqualTo(new[] { "Missing x" }));

        Assert.That(parent.Connection.Scalar("""SELECT COUNT(*) FROM "DeletedBlock" """), Is.EqualTo("1"), "the connection is still open");
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
