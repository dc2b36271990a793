// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.VolumeTest;

[TestFixture]
public class TargetSelectionTests
{
    [Test]
    [Contract("C 6.1 step 1")]
    [Contract("C 6.1 step 2")]
    [Contract("C 6.1 step 3")]
    [Contract("C 6.1 step 4")]
    [Contract("C 12 row 10")]
    public async Task Unmeasured_volumes_then_lists_indexes_and_blocks_are_chosen()
    {
        using var sample = new SampleDatabase();
        sample.Fileset(2000);
        sample.Fileset(1000);
        sample.Volume("index", "Index");
        sample.Volume("blocks", state: "Uploaded");
        sample.Volume("unhashed", hash: null);
        sample.Volume("empty", size: 0);
        sample.Volume("list-of-nothing", "Files");
        foreach (var state in new[] { "Uploading", "Temporary", "Deleting", "Deleted" })
            sample.Volume(state, state: state);
        sample.Insert("""UPDATE "Remotevolume" SET "ArchiveTime" = 5 WHERE "ID" = ?1""", sample.Volume("archived"));
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

        var names = await SelectAsync(db, long.MaxValue);

        Assert.That(names.Take(2), Is.EqualTo(new[] { "unhashed", "empty" }));
        Assert.That(names.Skip(2).Take(2), Is.EquivalentTo(new[] { "duplicati-1000.dlist.zip", "duplicati-2000.dlist.zip" }));
        Assert.That(names[4], Is.EqualTo("index"));
        Assert.That(
            names.Skip(5),
            Is.EquivalentTo(new[] { "blocks", "unhashed", "empty" }),
            "volumes of unknown size or hash are sampled too"
        );
    }

    [TestCase("True", "list index blocks")]
    [TestCase("False", "list index blocks")]
    [TestCase("ListAndIndexes", "list index")]
    [TestCase("IndexesOnly", "index")]
    [TestCase("IndexOnly", "index")]
    [Contract("C 6.1 strategies")]
    public async Task The_strategy_decides_the_kinds(string strategy, string kinds)
    {
        using var sample = new SampleDatabase();
        sample.EmptyFileset(1000, sample.Volume("list", "Files"));
        sample.Volume("index", "Index");
        sample.Volume("blocks");
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

        Assert.That(string.Join(' ', await SelectAsync(db, 1, ("full-remote-verification", strategy))), Is.EqualTo(kinds));
    }

    [Test]
    [Contract("C 11.2 row 17")]
    [Contract("C 6.1 step 2")]
    public async Task Without_any_list_only_unmeasured_volumes_are_chosen_unless_indexes_are_wanted()
    {
        using var sample = new SampleDatabase();
        sample.Volume("index", "Index");
        sample.Volume("blocks");
        sample.Volume("unknown", size: null);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

        Assert.That(await SelectAsync(db, 10), Is.EqualTo(new[] { "unknown" }));
        Assert.That(await SelectAsync(db, 10, ("full-remote-verification", "IndexesOnly")), Is.EqualTo(new[] { "index" }));
    }

    [Test]
    [Contract("C 6.1 step 2")]
    [Contract("C 11 Q14")]
    public async Task All_lists_of_the_chosen_versions_come_oldest_first()
    {
        using var sample = new SampleDatabase();
        foreach (var time in new[] { 3000, 1000, 4000, 2000 })
            sample.Fileset(time);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
        var until = DateTime.UnixEpoch.AddSeconds(1500).ToLocalTime().ToString("yyyy-MM-ddTHH:mm:ss", CultureInfo.InvariantCulture);

        Assert.That(
            await SelectAsync(db, 1, ("version", "0,2")),
            Is.EqualTo(new[] { "duplicati-2000.dlist.zip", "duplicati-4000.dlist.zip" })
        );
        Assert.That(await SelectAsync(db, 1, ("time", until)), Is.EqualTo(new[] { "duplicati-1000.dlist.zip" }));
        Assert.That(
            await SelectAsync(db, 1, ("time", until), ("version", "0")),
            Is.EqualTo(new[] { "duplicati-1000.dlist.zip", "duplicati-4000.dlist.zip" }),
            "each once"
        );
        Assert.That(await SelectAsync(db, 1), Has.Count.EqualTo(1), "without a choice a sample");
    }

    [Test]
    [Contract("C 6.1 sampling")]
    public async Task The_least_tested_volumes_are_sampled_first()
    {
        using var sample = new SampleDatabase();
        var counts = new[] { 3, 0, 1, 7, 0, 2, 7 };
        for (var i = 0; i < counts.Length; i++)
            sample.Insert(
                """UPDATE "Remotevolume" SET "VerificationCount" = ?2 WHERE "ID" = ?1""",
                sample.Volume($"{counts[i]}-{i}", "Index"),
                (long)counts[i]
            );
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

        for (var samples = 1; samples <= counts.Length; samples++)
        {
            var names = await SelectAsync(db, samples, ("full-remote-verification", "IndexesOnly"));

            Assert.That(names.Select(x => x[0] - '0'), Is.EqualTo(counts.Order().Take(samples)));
            Assert.That(names, Is.Unique);
        }

        Assert.That(await SelectAsync(db, 0, ("full-remote-verification", "IndexesOnly")), Has.Count.EqualTo(1), "at least one");
    }

    [Test]
    public async Task Of_random_volumes_the_least_tested_ones_of_each_kind_are_chosen()
    {
        var random = new Random(LongRun.Seed());
        using var sample = new SampleDatabase();
        var counts = new Dictionary<string, List<int>>
        {
            ["Files"] = [],
            ["Index"] = [],
            ["Blocks"] = [],
        };
        for (var i = 0; i < 60; i++)
        {
            var (type, count) = (counts.Keys.ElementAt(random.Next(3)), random.Next(-1, 4));
            var volume = sample.Volume($"{type} {Math.Max(0, count)} {i}", type);
            if (type == "Files")
                sample.EmptyFileset(1000 + i, volume);
            counts[type].Add(Math.Max(0, count));
            sample.Insert("""UPDATE "Remotevolume" SET "VerificationCount" = ?2 WHERE "ID" = ?1""", volume, (long)count);
        }

        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);
        foreach (var samples in new[] { 1, 5, 15, 100 })
        {
            var names = await SelectAsync(db, samples);

            Assert.That(names, Is.Unique);
            Assert.That(
                names.Select(x => x[..x.LastIndexOf(' ')]),
                Is.EqualTo(counts.SelectMany(kind => kind.Value.Order().Take(samples).Select(count => $"{kind.Key} {count}"))),
                $"{samples} samples"
            );
        }
    }

    [Test]
    [Contract("C 6.1 step 1")]
    public async Task A_volume_of_unknown_hash_has_an_empty_one()
    {
        using var sample = new SampleDatabase();
        sample.Volume("unknown", size: null, hash: null);
        await using var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default);

        var volume = await db.SelectTestTargetsAsync(1, new Options([]), default).SingleAsync();

        Assert.That((volume.Name, volume.Hash, volume.Size), Is.EqualTo(("unknown", "", -1L)));
    }

    [Test]
    [Contract("C 6.2")]
    public async Task A_new_volume_catches_up_with_the_most_tested_and_others_count_up()
    {
        using var sample = new SampleDatabase();
        foreach (var (name, count) in new[] { ("new", 0L), ("some", 2L), ("most", 5L) })
            sample.Insert("""UPDATE "Remotevolume" SET "VerificationCount" = ?2 WHERE "ID" = ?1""", sample.Volume(name), count);
        await using (var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default))
        {
            foreach (var name in new[] { "new", "some", "most", "unknown" })
                await db.UpdateVerificationCountAsync(name, default);
            await db.Transaction.CommitAsync(default);
        }

        Assert.That(
            sample.Rows("""SELECT "Name", "VerificationCount" FROM "Remotevolume" """),
            Is.EqualTo(new[] { "most|6", "new|5", "some|3" })
        );
    }

    [Test]
    [Contract("C 6.2")]
    public async Task The_first_test_ever_counts_as_one_and_is_not_committed()
    {
        using var sample = new SampleDatabase();
        sample.Volume("a");
        await using (var db = await LocalTestDatabase.CreateAsync(sample.Close(), null, default))
        {
            await db.UpdateVerificationCountAsync("a", default);
            Assert.That(db.Connection.Scalar("""SELECT "VerificationCount" FROM "Remotevolume" """), Is.EqualTo("1"));
        }

        Assert.That(sample.Rows("""SELECT "VerificationCount" FROM "Remotevolume" """), Is.EqualTo(new[] { "0" }));
    }

    private static async Task<List<string>> SelectAsync(LocalTestDatabase db, long samples, params (string Name, string Value)[] options)
    {
        var parsed = new Options(options.ToDictionary(x => x.Name, x => (string?)x.Value));
        return await db.SelectTestTargetsAsync(samples, parsed, default).Select(x => x.Name).ToListAsync();
    }
}
