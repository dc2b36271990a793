// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Main.Backup;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Blocks;

[TestFixture]
public class BlockMapTests : BackupTestBase
{
    /// <summary>Memory limits that lead to each structure at a few thousand blocks, and the structure they lead to.</summary>
    private static IEnumerable<TestCaseData> Limits()
    {
        yield return new TestCaseData(1L << 30, "keys");
        yield return new TestCaseData(160_000L, "fingerprints");
        yield return new TestCaseData(40_000L, "filter");
        yield return new TestCaseData(0L, "off");
    }

    [TestCaseSource(nameof(Limits))]
    public void Each_structure_answers_as_the_table(long bytes, string tier)
    {
        BlockOptions.Of(Db.Session).MapBytes = bytes;
        Backup.Fill(0, 5000);
        for (var i = 0; i < 10_000; i++)
            Assert.That(Backup.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i < 5000 ? i + 1 : -1));

        Assert.That(Backup.Map.Find(BlockFixture.Hash(7), 1023), Is.EqualTo(-1), "the size is part of the key");
        Assert.That(Backup.Map.Tier, Is.EqualTo(tier));
        Assert.That(Backup.Map.Bytes, Is.LessThanOrEqualTo(bytes));
    }

    [TestCaseSource(nameof(Limits))]
    public void Each_structure_learns_new_blocks_as_they_are_added(long bytes, string tier)
    {
        BlockOptions.Of(Db.Session).MapBytes = bytes;
        for (var i = 0; i < 6000; i++)
        {
            Assert.That(Backup.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(-1));
            Assert.That(Backup.Add(BlockFixture.Hash(i), 1024, 1), Is.EqualTo(i + 1));
            Assert.That(Backup.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i + 1));
            Assert.That(Backup.Map.Find(BlockFixture.Hash(i / 2), 1024), Is.EqualTo((i / 2) + 1));
        }

        Assert.That(Backup.Map.Tier, Is.EqualTo(tier));
        Db.Transaction.Commit();
        Assert.That(Backup.Map.Find(BlockFixture.Hash(5999), 1024), Is.EqualTo(6000));
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(6000));
    }

    [Test]
    public void A_filter_that_could_not_be_filled_denies_no_block()
    {
        BlockOptions.Of(Db.Session).MapBytes = 40_000;
        var (added, fails) = (0, true);
        Assert.That(Backup.Map.Find(BlockFixture.Hash(0), 1024), Is.EqualTo(-1));
        Db.Session.Statements.Fault = sql => fails && sql == BlockSql.All ? ResultCode.Interrupt : 0;
        Assert.That(
            () =>
            {
                for (; added < 6000; added++)
                    Backup.Add(BlockFixture.Hash(added), 1024, 1);
            },
            Throws.TypeOf<SqliteException>()
        );
        fails = false;

        for (var i = 0; i < added; i++)
            Assert.That(Backup.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i + 1));
    }

    [Test]
    public void On_an_empty_table_everything_is_in_memory_from_the_first_look_up()
    {
        Assert.That(Backup.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-1));
        Assert.That(Backup.Map.Tier, Is.EqualTo("keys"));
    }

    [Test]
    public async Task The_small_preset_allows_less_memory()
    {
        Assert.That(BlockOptions.Of(Db.Session).MapBytes, Is.GreaterThan(BlockOptions.SmallMapBytes));
        using (ConnectionPreset.Small.ToOptions().Use())
        {
            await Backup.ReopenAsync();
            Assert.That(BlockOptions.Of(Db.Session).MapBytes, Is.LessThanOrEqualTo(BlockOptions.SmallMapBytes));
        }
    }

    [Test]
    public void A_few_look_ups_do_not_fill_the_map()
    {
        Backup.Fill(0, 5000);
        for (var i = 0; i < 50; i++)
            Assert.That(Backup.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i + 1));
        Assert.That(Backup.Map.Tier, Is.EqualTo("unloaded"));
    }

    [Test]
    public void A_rollback_without_changed_blocks_keeps_the_map()
    {
        Backup.Map.Find(BlockFixture.Hash(1), 1024);
        Backup.Add(BlockFixture.Hash(1), 1024, 1);
        Db.Transaction.Commit();
        Backup.Map.Find(BlockFixture.Hash(1), 1024);
        Db.Transaction.RollBackAsync(default).GetAwaiter().GetResult();
        Assert.That(Backup.Map.Tier, Is.EqualTo("keys"));
    }

    [Test]
    public void Hashes_that_are_no_plain_Base64_are_found_as_they_are()
    {
        string[] texts = ["QR==", "QQ==", "no base64", "", "Ł"];
        foreach (var text in texts)
        {
            Assert.That(Backup.Map.Find(text, 5), Is.EqualTo(-1));
            Backup.Add(text, 5, 1);
        }

        Backup.Add("QQ==", -5, 1);
        Backup.Add("QQ==", 1L << 40, 1);
        foreach (var text in texts)
            Assert.That(Backup.Map.Find(text, 5), Is.EqualTo(Backup.FindByStatement(text, 5)).And.GreaterThan(0));
        Assert.That(Backup.Map.Find("QQ==", -5), Is.EqualTo(6));
        Assert.That(Backup.Map.Find("QQ==", 1L << 40), Is.EqualTo(7));
        Assert.That(Backup.Map.Find("QR==", -5), Is.EqualTo(-1));
    }

    [Test]
    public void Rows_with_ids_that_no_structure_holds_are_found()
    {
        Backup.Execute(
            $"""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (-3, '{BlockFixture.Hash(1)}', 1024, 1), (0, '{BlockFixture.Hash(2)}', 1024, 1), ({1L << 60}, '{BlockFixture.Hash(3)}', 1024, 1)"""
        );
        for (var i = 0; i < 200; i++)
            Assert.That(Backup.Map.Find(BlockFixture.Hash(3), 1024), Is.EqualTo(1L << 60));
        Backup.Map.Invalidate();
        Assert.That(Backup.Map.Find(BlockFixture.Hash(3), 1024), Is.EqualTo(1L << 60));
        Assert.That(Backup.Map.Find(BlockFixture.Hash(2), 1024), Is.Zero);
        Assert.That(Backup.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-3));
        Assert.That(Backup.Map.Find(BlockFixture.Hash(4), 1024), Is.EqualTo(-1));
    }

    [Test]
    public void Look_ups_allocate_nothing()
    {
        var hashes = Enumerable.Range(0, 20_000).Select(i => BlockFixture.Hash(i)).ToArray();
        Backup.Map.Find(hashes[0], 1024);
        foreach (var hash in hashes)
            Backup.Add(hash, 1024, 1);
        Db.Transaction.Commit();
        Backup.Map.Find(hashes[0], 1024);

        var before = GC.GetAllocatedBytesForCurrentThread();
        foreach (var hash in hashes)
            Backup.Map.Find(hash, 1024);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
    }

    [Test]
    public void Adds_allocate_nothing_but_what_the_map_grows_by()
    {
        var hashes = Enumerable.Range(0, 40_000).Select(i => BlockFixture.Hash(i)).ToArray();
        Backup.Map.Find(hashes[0], 1024);
        foreach (var hash in hashes[..20_000])
            Backup.Add(hash, 1024, 1);
        Db.Transaction.Commit();
        Backup.Map.Find(hashes[0], 1024);

        // Each growth of a segment by a quarter allocates the whole segment anew.
        var bytes = Backup.Map.Bytes;
        var before = GC.GetAllocatedBytesForCurrentThread();
        foreach (var hash in hashes[20_000..])
            Backup.Add(hash, 1024, 1);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan((Backup.Map.Bytes - bytes) * 6));
    }
}
