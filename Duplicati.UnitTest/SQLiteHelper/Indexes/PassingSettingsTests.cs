// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Indexes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.UnitTest.SQLiteHelper.Indexes;

/// <summary>What is set otherwise while indexes are sorted, or rows change all over a table, and as before afterwards.</summary>
[TestFixture]
public class PassingSettingsTests : FolderTestBase
{
    private const long Bytes = 100L << 20;
    private const string Wide = "-102400";

    private const string Fill = """
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000)
        INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") SELECT i, hex(randomblob(16)) || 'abcdefghijkl', 1024, i / 1000 FROM n
        """;

    [TestCase("default", Wide)]
    [TestCase("durable", Wide)]
    [TestCase("throughput", "-262144")]
    [TestCase("small", "-4096")]
    [TestCase("stock", "-2000")]
    public async Task The_cache_grows_with_the_presets_that_have_memory_to_spare(string preset, string during)
    {
        using var use = ConnectionPreset.Use(preset);
        await using var database = await OpenAsync();
        var before = database.Connection.Pragma("cache_size");
        using (var cache = PageCacheSize.AtLeast(database.Session.Statements, Bytes))
        {
            cache.Begin();
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(during));
        }

        Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(before));
    }

    [TestCase("-8192")]
    [TestCase("3000")]
    [TestCase("-2000000")]
    public async Task A_size_that_somebody_has_set_stays(string size)
    {
        await using var database = await OpenAsync();
        database.Connection.Execute($"PRAGMA cache_size = {size}");
        using (var cache = PageCacheSize.AtLeast(database.Session.Statements, Bytes))
        {
            cache.Begin();
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(size));
        }

        Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(size));
    }

    [TestCase("-65536", "-2048")]
    [TestCase("20000", "-2048")]
    [TestCase("-512", "-512")]
    [TestCase("100", "100")]
    public async Task The_cache_is_small_while_a_small_file_is_sorted_and_as_before_afterwards(string before, string during)
    {
        await using var database = await OpenAsync();
        database.Connection.Execute($"PRAGMA cache_size = {before}");
        using var statements = new StatementCache(database.Connection);
        using (SortRuns.Shorten(statements))
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(during));
        Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo(before));
    }

    [Test]
    public void A_sort_in_memory_leaves_the_cache_alone()
    {
        using var connection = Databases.Open(Folder.File("a.sqlite"));
        connection.Execute("PRAGMA temp_store = MEMORY; PRAGMA cache_size = -65536");
        using var statements = new StatementCache(connection);
        using (SortRuns.Shorten(statements))
            Assert.That(connection.Pragma("cache_size"), Is.EqualTo("-65536"));
    }

    [TestCase("default", "67108864")]
    [TestCase("stock", "0")]
    public async Task The_mapping_is_off_until_disposed_within_a_transaction_that_writes_and_reads(string preset, string before)
    {
        using var use = ConnectionPreset.Use(preset);
        await using var database = await OpenAsync();
        var statements = database.Session.Statements;
        database.Session.BeginWriting();
        database.Session.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('a', 'b')""");
        using (var open = statements.Prepare("""SELECT "Version" FROM "Version" """))
        {
            Assert.That(open.Read(), Is.True);
            using (FileMapping.Off(statements))
            {
                Assert.That(
                    database.Connection.Pragma("mmap_size"),
                    Is.EqualTo("0").Or.EqualTo(before),
                    "the engine may keep the pages that are being read"
                );
                using (FileMapping.Off(statements))
                    Assert.That(open.Read(), Is.False);
            }
        }

        using (FileMapping.Off(statements))
            Assert.That(database.Connection.Pragma("mmap_size"), Is.EqualTo("0"));
        Assert.That(database.Connection.Pragma("mmap_size"), Is.EqualTo(before));
        Assert.That(database.Session.ReadNumber("""SELECT COUNT(*) FROM "Configuration" """), Is.EqualTo(1));
    }

    [Test]
    public async Task Indexes_sorted_in_several_runs_are_whole()
    {
        var path = Folder.File("a.sqlite");
        await using (var database = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default))
        {
            var indexes = DeferredIndexes.Of(database.Session);
            Assert.That(indexes.DropIfEmpty(), Is.True);
            database.Session.Execute(Fill);
            indexes.Restore();
            Assert.That(database.Connection.Pragma("temp_store"), Is.EqualTo("1"), "sorted in files, in runs of 2 MiB");
            Assert.That(database.Connection.Pragma("cache_size"), Is.EqualTo("-65536"));
            await database.CommitAsync(default);
        }

        using var check = Databases.Open(path);
        Assert.That(check.Scalar("PRAGMA integrity_check"), Is.EqualTo("ok"));
        Assert.That(check.Scalar("SELECT COUNT(*) FROM \"Block\" INDEXED BY \"BlockHashSize\" WHERE \"Hash\" > ''"), Is.EqualTo("100000"));
    }

    private Task<LocalDatabase> OpenAsync() =>
        LocalDatabase.CreateLocalDatabaseAsync(Folder.File("a.sqlite"), "Recreate", true, null, default);
}
