// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.VolumeTest;

[TestFixture]
public class TargetSelectionTests : SampleTestBase
{
    [Test]
    [Contract("C 6.1 step 1")]
    [Contract("C 6.1 step 2")]
    [Contract("C 6.1 step 3")]
    [Contract("C 6.1 step 4")]
    [Contract("C 12 row 10")]
    public async Task Unmeasured_volumes_then_lists_indexes_and_blocks_are_chosen()
    {
        Data.Fileset(2000);
        Data.Fileset(1000);
        Data.Volume("index", "Index");
        Data.Volume("blocks", state: "Uploaded");
        Data.Volume("unhashed", hash: null);
        Data.Volume("empty", size: 0);
        Data.Volume("list-of-nothing", "Files");
        foreach (var state in new[] { "Uploading", "Temporary", "Deleting", "Deleted" })
            Data.Volume(state, state: state);
        Data.Insert("""UPDATE "Remotevolume" SET "ArchiveTime" = 5 WHERE "ID" = ?1""", Data.Volume("archived"));
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);

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
        Data.EmptyFileset(1000, Data.Volume("list", "Files"));
        Data.Volume("index", "Index");
        Data.Volume("blocks");
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);

        Assert.That(string.Join(' ', await SelectAsync(db, 1, ("full-remote-verification", strategy))), Is.EqualTo(kinds));
    }

    [Test]
    [Contract("C 11.2 row 17")]
    [Contract("C 6.1 step 2")]
    public async Task Without_any_list_only_unmeasured_volumes_are_chosen_unless_indexes_are_wanted()
    {
        Data.Volume("index", "Index");
        Data.Volume("blocks");
        Data.Volume("unknown", size: null);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);

        Assert.That(await SelectAsync(db, 10), Is.EqualTo(new[] { "unknown" }));
        Assert.That(await SelectAsync(db, 10, ("full-remote-verification", "IndexesOnly")), Is.EqualTo(new[] { "index" }));
    }

    [Test]
    [Contract("C 6.1 step 2")]
    [Contract("C 11 Q14")]
    public async Task All_lists_of_the_chosen_versions_come_oldest_first()
    {
        foreach (var time in new[] { 3000, 1000, 4000, 2000 })
            Data.Fileset(time);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
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
        Assert.That(await SelectAsync(db, 1), Has.Count.EqualTo(1), "without a choice a Data");
    }

    [Test]
    [Contract("C 6.1 sampling")]
    public async Task Of_random_volumes_the_least_tested_ones_of_each_kind_are_chosen()
    {
        var random = new Random(LongRun.Seed());
        var counts = new Dictionary<string, List<int>>
        {
            ["Files"] = [],
            ["Index"] = [],
            ["Blocks"] = [],
        };
        for (var i = 0; i < 60; i++)
        {
            var (type, count) = (counts.Keys.ElementAt(random.Next(3)), random.Next(-1, 4));
            var volume = Data.Volume($"{type} {Math.Max(0, count)} {i}", type);
            if (type == "Files")
                Data.EmptyFileset(1000 + i, volume);
            counts[type].Add(Math.Max(0, count));
            Data.Insert("""UPDATE "Remotevolume" SET "VerificationCount" = ?2 WHERE "ID" = ?1""", volume, (long)count);
        }

        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        foreach (var samples in new[] { 0, 1, 5, 15, 100 })
        {
            var names = await SelectAsync(db, samples);

            Assert.That(names, Is.Unique);
            Assert.That(
                names.Select(x => x[..x.LastIndexOf(' ')]),
                Is.EqualTo(counts.SelectMany(kind => kind.Value.Order().Take(Math.Max(1, samples)).Select(count => $"{kind.Key} {count}"))),
                $"{samples} samples, at least one"
            );
        }
    }

    [Test]
    [Contract("C 6.1 step 1")]
    public async Task A_volume_of_unknown_hash_has_an_empty_one()
    {
        Data.Volume("unknown", size: null, hash: null);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);

        var volume = await db.SelectTestTargetsAsync(1, new Options([]), default).SingleAsync();

        Assert.That((volume.Name, volume.Hash, volume.Size), Is.EqualTo(("unknown", "", -1L)));
    }

    [Test]
    [Contract("C 6.2")]
    public async Task A_new_volume_catches_up_with_the_most_tested_and_others_count_up()
    {
        foreach (var (name, count) in new[] { ("new", 0L), ("some", 2L), ("most", 5L) })
            Data.Insert("""UPDATE "Remotevolume" SET "VerificationCount" = ?2 WHERE "ID" = ?1""", Data.Volume(name), count);
        await using (var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default))
        {
            foreach (var name in new[] { "new", "some", "most", "unknown" })
                await db.UpdateVerificationCountAsync(name, default);
            await db.Transaction.CommitAsync(default);
        }

        Assert.That(
            Data.Rows("""SELECT "Name", "VerificationCount" FROM "Remotevolume" """),
            Is.EqualTo(new[] { "most|6", "new|5", "some|3" })
        );
    }

    [Test]
    [Contract("C 6.2")]
    public async Task The_first_test_ever_counts_as_one_and_is_not_committed()
    {
        Data.Volume("a");
        await using (var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default))
        {
            await db.UpdateVerificationCountAsync("a", default);
            Assert.That(db.Connection.Scalar("""SELECT "VerificationCount" FROM "Remotevolume" """), Is.EqualTo("1"));
        }

        Assert.That(Data.Rows("""SELECT "VerificationCount" FROM "Remotevolume" """), Is.EqualTo(new[] { "0" }));
    }

    [Test]
    [Contract("C 6.1 sampling")]
    public async Task Among_volumes_tested_as_often_chance_decides_and_every_one_gets_its_turn()
    {
        Data.EmptyFileset(1000, Data.Volume("list", "Files"));
        for (var i = 0; i < 6; i++)
            Data.Volume($"index{i}", "Index");
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var seen = new HashSet<string>();

        // With a fair choice of 2 of 6, the chance that one is never chosen in 400 rounds is below 1e-69.
        for (var i = 0; i < 400; i++)
        {
            var names = await db.SelectTestTargetsAsync(2, new Options([]), default).Select(x => x.Name).ToListAsync(default);
            Assert.That(names, Has.Count.EqualTo(3).And.Unique);
            Assert.That(names[0], Is.EqualTo("list"));
            seen.UnionWith(names);
        }

        Assert.That(seen, Has.Count.EqualTo(7));
    }

    [Test]
    [Contract("C 6.1 sampling")]
    [Contract("C 6.2")]
    public async Task Rounds_of_tests_reach_every_volume_before_any_a_second_time()
    {
        for (var i = 0; i < 5; i++)
            Data.Volume($"index{i}", "Index");
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var options = new Options(new Dictionary<string, string?> { ["full-remote-verification"] = "IndexesOnly" });
        var tested = new List<string>();

        for (var i = 0; i < 5; i++)
        {
            var target = await db.SelectTestTargetsAsync(-3, options, default).SingleAsync(default);
            await db.UpdateVerificationCountAsync(target.Name, default);
            tested.Add(target.Name);
        }

        Assert.That(tested, Is.Unique);
        Assert.That(await db.SelectTestTargetsAsync(long.MaxValue, options, default).CountAsync(default), Is.EqualTo(5));
    }

    [Test]
    [Contract("C 6.1 step 2")]
    [Contract("C 0.8 starting late")]
    public async Task The_choice_is_made_when_the_first_volume_is_asked_for()
    {
        Data.Fileset(1000);
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);
        var targets = db.SelectTestTargetsAsync(1, new Options([]), default);
        db.Connection.Execute("""UPDATE "Remotevolume" SET "ArchiveTime" = 7""");

        Assert.That(await targets.ToListAsync(default), Is.Empty);
        await db.Transaction.RollBackAsync(default);
        Assert.That(await targets.CountAsync(default), Is.EqualTo(1));
    }

    [Test]
    [Contract("C 6.2")]
    public async Task The_highest_count_is_that_of_all_volumes_also_of_those_that_cannot_be_tested()
    {
        Data.Volume("a", "Index");
        Data.Insert("""UPDATE "Remotevolume" SET "VerificationCount" = 9 WHERE "ID" = ?1""", Data.Volume("deleted", state: "Deleted"));
        await using var db = await LocalTestDatabase.CreateAsync(Data.Close(), null, default);

        await db.UpdateVerificationCountAsync("a", default);

        Assert.That(db.Connection.Scalar("""SELECT "VerificationCount" FROM "Remotevolume" WHERE "Name" = 'a'"""), Is.EqualTo("9"));
    }

    private static async Task<List<string>> SelectAsync(LocalTestDatabase db, long samples, params (string Name, string Value)[] options)
    {
        var parsed = new Options(options.ToDictionary(x => x.Name, x => (string?)x.Value));
        return await db.SelectTestTargetsAsync(samples, parsed, default).Select(x => x.Name).ToListAsync();
    }
}
