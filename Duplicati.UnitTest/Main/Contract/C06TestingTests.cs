// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>Choosing volumes to test and comparing them: the details that no other test holds.</summary>
[TestFixture]
public sealed class C06TestingTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    private SampleDatabase m_data = null!;

    [SetUp]
    public void Make() => m_data = new SampleDatabase();

    [TearDown]
    public void Remove() => m_data.Dispose();

    [Test]
    [Contract("C 6.1 sampling")]
    public async Task Among_volumes_tested_as_often_chance_decides_and_every_one_gets_its_turn()
    {
        m_data.EmptyFileset(1000, m_data.Volume("list", "Files"));
        for (var i = 0; i < 6; i++)
            m_data.Volume($"index{i}", "Index");
        await using var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);
        var seen = new HashSet<string>();

        // With a fair choice of 2 of 6, the chance that one is never chosen in 400 rounds is below 1e-69.
        for (var i = 0; i < 400; i++)
        {
            var names = await db.SelectTestTargetsAsync(2, new Options([]), s_none).Select(x => x.Name).ToListAsync(s_none);
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
            m_data.Volume($"index{i}", "Index");
        await using var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);
        var options = new Options(new Dictionary<string, string?> { ["full-remote-verification"] = "IndexesOnly" });
        var tested = new List<string>();

        for (var i = 0; i < 5; i++)
        {
            var target = await db.SelectTestTargetsAsync(-3, options, s_none).SingleAsync(s_none);
            await db.UpdateVerificationCountAsync(target.Name, s_none);
            tested.Add(target.Name);
        }

        Assert.That(tested, Is.Unique);
        Assert.That(await db.SelectTestTargetsAsync(long.MaxValue, options, s_none).CountAsync(s_none), Is.EqualTo(5));
    }

    [Test]
    [Contract("C 6.2")]
    public async Task The_highest_count_is_that_of_all_volumes_also_of_those_that_cannot_be_tested()
    {
        m_data.Volume("a", "Index");
        m_data.Insert("""UPDATE "Remotevolume" SET "VerificationCount" = 9 WHERE "ID" = ?1""", m_data.Volume("deleted", state: "Deleted"));
        await using var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);

        await db.UpdateVerificationCountAsync("a", s_none);

        Assert.That(db.Connection.Scalar("""SELECT "VerificationCount" FROM "Remotevolume" WHERE "Name" = 'a'"""), Is.EqualTo("9"));
    }

    [Test]
    [Contract("C 6.1 step 2")]
    [Contract("C 0.8 starting late")]
    public async Task The_choice_is_made_when_the_first_volume_is_asked_for()
    {
        m_data.Fileset(1000);
        await using var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);
        var targets = db.SelectTestTargetsAsync(1, new Options([]), s_none);
        db.Connection.Execute("""UPDATE "Remotevolume" SET "ArchiveTime" = 7""");

        Assert.That(await targets.ToListAsync(s_none), Is.Empty);
        await db.Transaction.RollBackAsync(s_none);
        Assert.That(await targets.CountAsync(s_none), Is.EqualTo(1));
    }

    [Test]
    [Contract("C 6.3 Issue6504")]
    [Contract("C 12 row 10")]
    public async Task Blocks_that_change_places_with_their_copies_are_the_same_content()
    {
        var (a, b) = (m_data.Volume("a"), m_data.Volume("b"));
        var (x, y) = (m_data.Block("x", 1, a), m_data.Block("y", 2, b));
        m_data.DuplicateBlock(x, b);
        m_data.DuplicateBlock(y, a);
        await using var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);
        var connection = db.Connection;
        async Task<List<string>> CompareAsync(string volume)
        {
            await using var list = await db.CreateBlocklistAsync(volume, s_none);
            await list.AddBlockAsync(SampleDatabase.Hash("x"), 1, s_none);
            await list.AddBlockAsync(SampleDatabase.Hash("y"), 2, s_none);
            return await list.CompareAsync(s_none).Select(z => $"{z.Key} {z.Value}").ToListAsync(s_none);
        }

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
    }

    [Test]
    [Contract("C 6.3")]
    [Contract("C 0.8 leaving early")]
    public async Task Differences_come_by_status_and_key_and_a_comparison_may_be_abandoned_and_begun_again()
    {
        var volume = m_data.Volume("v");
        foreach (var i in Enumerable.Range(0, 5))
            m_data.Insert("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES (?1, 1, ?2)""", $"b{4 - i}", volume);
        await using var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var list = await db.CreateBlocklistAsync("v", s_none);
        foreach (var (hash, size) in new[] { ("x2", 1L), ("b4", 2), ("X1", 1), ("b3", 3), ("x2", 1) })
            await list.AddBlockAsync(hash, size, s_none);

        Assert.That((await list.CompareAsync(s_none).FirstAsync(s_none)).Value, Is.EqualTo("b0"));
        Assert.That(
            await list.CompareAsync(s_none).Select(x => $"{(int)x.Key}{x.Value}").ToListAsync(s_none),
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
        var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);
        var list = await db.CreateFilelistAsync("v", s_none);
        await list.AddAsync("/a", 1, "h", 1, "m", [], default, default, s_none);
        var comparison = list.CompareAsync(s_none).GetAsyncEnumerator(s_none);
        Assert.That(await comparison.MoveNextAsync(), Is.True);
        await db.DisposeAsync();

        Assert.That(
            Directory.GetFiles(Path.GetDirectoryName(m_data.Path)!).Select(Path.GetFileName),
            Is.EqualTo(new[] { "backup.sqlite" })
        );
        Assert.That(comparison.Current.Value, Is.EqualTo("/a"));
        await comparison.DisposeAsync();
        Assert.That(list.Dispose, Throws.Nothing);
    }

    [Test]
    [Contract("C 6.3 file list")]
    public async Task A_file_without_hash_has_no_size_on_either_side_and_metadata_that_is_not_known_is_no_difference()
    {
        var metadata = m_data.Metadata(m_data.Blockset("m", 7));
        m_data.Fileset(1000, m_data.File("/d/", SampleDatabase.Folder, metadata), m_data.File("/gone", 555, metadata));
        await using var db = await LocalTestDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var list = await db.CreateFilelistAsync("duplicati-1000.dlist.zip", s_none);
        await list.AddAsync("/d/", 99, null!, 7, SampleDatabase.Hash("m"), null!, FilelistEntryType.Folder, DateTime.MinValue, s_none);
        await list.AddAsync("/gone", 5, "h", 7, SampleDatabase.Hash("m"), [], FilelistEntryType.File, DateTime.MaxValue, s_none);

        Assert.That(
            await list.CompareAsync(s_none).ToListAsync(s_none),
            Is.EqualTo(new[] { KeyValuePair.Create(TestEntryStatus.Modified, "/gone") }),
            "a size against none"
        );
    }
}
