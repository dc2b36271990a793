// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.VolumeTest;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.UnitTest.Main.VolumeTest;

/// <summary>The blocks of a volume are compared in memory, and past a bound in a temporary table, with the same answers.</summary>
[TestFixture]
internal sealed class FoundBlocksTests : SampleTestBase
{
    private const string CountTables = """SELECT COUNT(*) FROM sqlite_temp_master WHERE "name" LIKE 'Blocklist-%'""";
    private const int Rounds = 40;
    private const int Seeds = 40;

    [Test]
    [Contract("C 6.3 blocklist")]
    public async Task Random_lists_have_the_same_differences_in_memory_and_in_tables()
    {
        var random = new Random(LongRun.Seed());
        for (var round = 0; round < Rounds; round++)
        {
            using var sample = new SampleDatabase();
            Fill(sample, random);
            await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
            await using var memory = new FoundBlocks(db.Session, "v", int.MaxValue);
            await using var both = new FoundBlocks(db.Session, "v", random.Next(10));
            await using var stored = db.Session.Do(session => new StoredBlocks(session, "v"), default);
            for (var comparison = 0; comparison < 3; comparison++)
            {
                for (var left = random.Next(Seeds); left > 0; left--)
                {
                    var (hash, size) = (SampleDatabase.Hash($"{random.Next(Seeds * 5 / 4)}"), random.Next(1, 4));
                    await memory.AddBlockAsync(hash, size, default);
                    await both.AddBlockAsync(hash, size, default);
                    db.Session.Do(_ => stored.Add(hash, size), default);
                }

                var expected = db.Session.Do(stored.Compare, default);
                Assert.That(await memory.CompareAsync(default).ToListAsync(), Is.EqualTo(expected));
                Assert.That(await both.CompareAsync(default).ToListAsync(), Is.EqualTo(expected));
            }
        }
    }

    [TestCase("default", 100_000)]
    [TestCase("small", 10_000)]
    public async Task More_than_the_bound_go_into_a_table_that_goes_with_the_list(string preset, int bound)
    {
        using var use = ConnectionPreset.Use(preset);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var list = await db.CreateBlocklistAsync("v", default);
        for (var i = 0; i < bound; i++)
            await list.AddBlockAsync($"{i}", 1, default);
        await list.AddBlockAsync("0", 2, default);
        Assert.That(db.Session.Do(session => session.ReadNumber(CountTables), default), Is.EqualTo(1));

        await list.AddBlockAsync("one more", 1, default);
        Assert.That(await list.CompareAsync(default).CountAsync(), Is.EqualTo(bound + 1));
        await list.DisposeAsync();
        Assert.That(db.Session.Do(session => session.ReadNumber(CountTables), default), Is.Zero);
    }

    [Test]
    [Contract("C 6.4")]
    public async Task A_list_is_compared_with_what_the_database_says_then([Values(0, int.MaxValue)] int mostBlocks)
    {
        Data.DeletedBlock("x", 1, Data.Volume("v"));
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        await using var list = new FoundBlocks(db.Session, "v", mostBlocks);
        await list.AddBlockAsync(SampleDatabase.Hash("x"), 1, default);
        Assert.That(await list.CompareAsync(default).ToListAsync(), Is.Empty);
        db.Connection.Execute("""DELETE FROM "DeletedBlock" """);
        Assert.That(
            await list.CompareAsync(default).ToListAsync(),
            Is.EqualTo(new[] { KeyValuePair.Create(TestEntryStatus.Extra, SampleDatabase.Hash("x")) })
        );
    }

    [Test]
    public async Task Any_text_is_a_hash_and_none_is_passed_over([Values(0, int.MaxValue)] int mostBlocks)
    {
        var hashes = new[] { "", "ä", "💾", new string('x', 500), new string('ö', 100) };
        Data.Volume("v");
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        foreach (var hash in hashes)
            db.Connection.Execute(
                $"""INSERT INTO "DeletedBlock" ("Hash", "Size", "VolumeID") SELECT '{hash}', 1, "ID" FROM "Remotevolume" """
            );
        await using var list = new FoundBlocks(db.Session, "v", mostBlocks);
        await list.AddBlockAsync(null!, 1, default);
        Assert.That(await list.CompareAsync(default).CountAsync(), Is.EqualTo(hashes.Length));
        foreach (var hash in hashes)
            await list.AddBlockAsync(hash, 1, default);
        Assert.That(await list.CompareAsync(default).ToListAsync(), Is.Empty);
        await list.AddBlockAsync(hashes[^1], 2, default);
        Assert.That(
            await list.CompareAsync(default).ToListAsync(),
            Is.EqualTo(new[] { KeyValuePair.Create(TestEntryStatus.Modified, hashes[^1]) })
        );
    }

    [Test]
    public async Task A_cancelled_or_disposed_list_takes_nothing([Values(0, int.MaxValue)] int mostBlocks)
    {
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var list = new FoundBlocks(db.Session, "v", mostBlocks);
        Assert.That(list.AddBlockAsync("x", 1, new CancellationToken(canceled: true)).IsCanceled, Is.True);
        Assert.That(
            async () => await list.CompareAsync(new CancellationToken(canceled: true)).CountAsync(),
            Throws.InstanceOf<OperationCanceledException>()
        );
        Assert.That(await list.CompareAsync(default).CountAsync(), Is.Zero);
        list.Dispose();
        list.Dispose();
        Assert.That(() => list.AddBlockAsync("x", 1, default), Throws.TypeOf<ObjectDisposedException>());
    }

    private static void Fill(SampleDatabase sample, Random random)
    {
        var (volume, other) = (sample.Volume("v"), sample.Volume("other"));
        for (var seed = 0; seed < Seeds; seed++)
        {
            for (var size = 1; size < 3; size++)
            {
                switch (random.Next(5))
                {
                    case 0:
                        sample.Block($"{seed}", size, volume);
                        break;
                    case 1:
                        sample.DuplicateBlock(sample.Block($"{seed}", size, other), volume);
                        break;
                    case 2:
                        sample.DeletedBlock($"{seed}", size, volume);
                        break;
                    case 3:
                        sample.DuplicateBlock(sample.Block($"{seed}", size, volume), volume);
                        break;
                    default:
                        sample.Block($"{seed}", size, other);
                        break;
                }
            }
        }
    }
}
