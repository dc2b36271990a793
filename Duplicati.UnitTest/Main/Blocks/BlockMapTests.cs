// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Blocks;

[TestFixture]
public class BlockMapTests
{
    private BlockFixture m_fixture = null!;

    [SetUp]
    public void SetUp() => m_fixture = new BlockFixture();

    [TearDown]
    public void TearDown() => m_fixture.Dispose();

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
        BlockOptions.Of(m_fixture.Session).MapBytes = bytes;
        m_fixture.Fill(0, 5000);
        for (var i = 0; i < 10_000; i++)
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i < 5000 ? i + 1 : -1));

        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(7), 1023), Is.EqualTo(-1), "the size is part of the key");
        Assert.That(m_fixture.Map.Tier, Is.EqualTo(tier));
        Assert.That(m_fixture.Map.Bytes, Is.LessThanOrEqualTo(bytes));
    }

    [TestCaseSource(nameof(Limits))]
    public void Each_structure_learns_new_blocks_as_they_are_added(long bytes, string tier)
    {
        BlockOptions.Of(m_fixture.Session).MapBytes = bytes;
        for (var i = 0; i < 6000; i++)
        {
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(-1));
            Assert.That(m_fixture.Add(BlockFixture.Hash(i), 1024, 1), Is.EqualTo(i + 1));
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i + 1));
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(i / 2), 1024), Is.EqualTo((i / 2) + 1));
        }

        Assert.That(m_fixture.Map.Tier, Is.EqualTo(tier));
        m_fixture.Transaction.Commit();
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(5999), 1024), Is.EqualTo(6000));
        Assert.That(m_fixture.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("6000"));
    }

    [Test]
    public void A_filter_that_could_not_be_filled_denies_no_block()
    {
        BlockOptions.Of(m_fixture.Session).MapBytes = 40_000;
        var (added, fails) = (0, true);
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(0), 1024), Is.EqualTo(-1));
        m_fixture.Session.Statements.Fault = sql => fails && sql == BlockSql.All ? ResultCode.Interrupt : 0;
        Assert.That(
            () =>
            {
                for (; added < 6000; added++)
                    m_fixture.Add(BlockFixture.Hash(added), 1024, 1);
            },
            Throws.TypeOf<SqliteException>()
        );
        fails = false;

        for (var i = 0; i < added; i++)
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i + 1));
    }

    [Test]
    public void Random_plans_give_the_answers_of_plain_statements(
        [Values(0L, 20_000L, 60_000L, 1L << 30)] long bytes,
        [Values(1, 2)] int seed
    )
    {
        TestContext.Out.WriteLine($"seed {seed}");
        var plan = new BlockPlan(m_fixture, new Random(seed));
        BlockOptions.Of(m_fixture.Session).MapBytes = bytes;
        for (var step = 0; step < 6000; step++)
            plan.Step();
        plan.CompareTables();
    }

    [Test]
    public void On_an_empty_table_everything_is_in_memory_from_the_first_look_up()
    {
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-1));
        Assert.That(m_fixture.Map.Tier, Is.EqualTo("keys"));
    }

    [Test]
    public void The_small_preset_allows_less_memory()
    {
        Assert.That(BlockOptions.Of(m_fixture.Session).MapBytes, Is.GreaterThan(BlockOptions.SmallMapBytes));
        m_fixture.Reopen();
        using (ConnectionPreset.Small.ToOptions().Use())
            Assert.That(BlockOptions.Of(m_fixture.Session).MapBytes, Is.LessThanOrEqualTo(BlockOptions.SmallMapBytes));
    }

    [Test]
    public void A_few_look_ups_do_not_fill_the_map()
    {
        m_fixture.Fill(0, 5000);
        for (var i = 0; i < 50; i++)
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(i), 1024), Is.EqualTo(i + 1));
        Assert.That(m_fixture.Map.Tier, Is.EqualTo("unloaded"));
    }

    [Test]
    public void A_rollback_takes_back_what_was_added()
    {
        m_fixture.Add(BlockFixture.Hash(1), 1024, 1);
        m_fixture.Transaction.Commit();
        m_fixture.Add(BlockFixture.Hash(2), 1024, 1);
        m_fixture.Add(BlockFixture.Hash(3), 1024, 1);
        m_fixture.Transaction.RollBackAsync(default).GetAwaiter().GetResult();

        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(1));
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(2), 1024), Is.EqualTo(-1));
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(3), 1024), Is.EqualTo(-1));
        Assert.That(m_fixture.Add(BlockFixture.Hash(4), 1024, 1), Is.EqualTo(2));
    }

    [Test]
    public void A_rollback_without_changed_blocks_keeps_the_map()
    {
        m_fixture.Map.Find(BlockFixture.Hash(1), 1024);
        m_fixture.Add(BlockFixture.Hash(1), 1024, 1);
        m_fixture.Transaction.Commit();
        m_fixture.Map.Find(BlockFixture.Hash(1), 1024);
        m_fixture.Transaction.RollBackAsync(default).GetAwaiter().GetResult();
        Assert.That(m_fixture.Map.Tier, Is.EqualTo("keys"));
    }

    [TestCase("""DELETE FROM "Block" WHERE "ID" = 10""")]
    [TestCase("""DELETE FROM "Block" """)]
    [TestCase("""UPDATE "Block" SET "Size" = 1 WHERE "ID" = 10""")]
    [TestCase("""UPDATE "Block" SET "ID" = 100000 WHERE "ID" = 10""")]
    [TestCase("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('AAAA', 1, 1)""")]
    public void Rows_changed_by_the_caller_are_noticed(string sql)
    {
        var hashes = Enumerable.Range(0, 100).Select(i => BlockFixture.Hash(i)).Append("AAAA").ToArray();
        foreach (var hash in hashes[..100])
        {
            Assert.That(m_fixture.Map.Find(hash, 1024), Is.EqualTo(-1));
            m_fixture.Add(hash, 1024, 1);
        }

        m_fixture.Session.HandOut().Execute(sql);

        foreach (var hash in hashes)
        {
            Assert.That(m_fixture.Map.Find(hash, 1024), Is.EqualTo(m_fixture.FindByStatement(hash, 1024)));
            Assert.That(m_fixture.Map.Find(hash, 1), Is.EqualTo(m_fixture.FindByStatement(hash, 1)));
        }

        var last = long.Parse(m_fixture.Connection.Scalar("""SELECT IFNULL(MAX("ID"), 0) FROM "Block" """)!);
        Assert.That(m_fixture.Add(BlockFixture.Hash(500), 1024, 1), Is.EqualTo(last + 1));
    }

    [Test]
    public void A_rollback_after_rows_changed_by_the_caller_is_noticed()
    {
        m_fixture.Fill(0, 3);
        var connection = m_fixture.Session.HandOut();
        connection.Execute("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('AAAA', 1, 1)""");
        for (var i = 0; i < 100; i++)
            Assert.That(m_fixture.Map.Find("AAAA", 1), Is.EqualTo(4));
        Assert.That(m_fixture.Map.Tier, Is.EqualTo("keys"));
        m_fixture.Transaction.RollBackAsync(default).GetAwaiter().GetResult();
        Assert.That(m_fixture.Map.Find("AAAA", 1), Is.EqualTo(-1));
    }

    [Test]
    public void Blocks_committed_by_another_connection_are_noticed_in_the_next_transaction()
    {
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-1));
        using (var other = m_fixture.Open())
        {
            other.Execute($"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{BlockFixture.Hash(1)}', 1024, 1)""");
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-1), "the transaction keeps its view");
        }

        m_fixture.Transaction.Commit();
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(1));
        Assert.That(m_fixture.Add(BlockFixture.Hash(2), 1024, 1), Is.EqualTo(2));
    }

    [Test]
    public void Hashes_that_are_no_plain_Base64_are_found_as_they_are()
    {
        string[] texts = ["QR==", "QQ==", "no base64", "", "Ł"];
        foreach (var text in texts)
        {
            Assert.That(m_fixture.Map.Find(text, 5), Is.EqualTo(-1));
            m_fixture.Add(text, 5, 1);
        }

        m_fixture.Add("QQ==", -5, 1);
        m_fixture.Add("QQ==", 1L << 40, 1);
        foreach (var text in texts)
            Assert.That(m_fixture.Map.Find(text, 5), Is.EqualTo(m_fixture.FindByStatement(text, 5)).And.GreaterThan(0));
        Assert.That(m_fixture.Map.Find("QQ==", -5), Is.EqualTo(6));
        Assert.That(m_fixture.Map.Find("QQ==", 1L << 40), Is.EqualTo(7));
        Assert.That(m_fixture.Map.Find("QR==", -5), Is.EqualTo(-1));
    }

    [Test]
    public void Rows_with_ids_that_no_structure_holds_are_found()
    {
        m_fixture.Connection.Execute(
            $"""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (-3, '{BlockFixture.Hash(1)}', 1024, 1), (0, '{BlockFixture.Hash(2)}', 1024, 1), ({1L << 60}, '{BlockFixture.Hash(3)}', 1024, 1)"""
        );
        for (var i = 0; i < 200; i++)
            Assert.That(m_fixture.Map.Find(BlockFixture.Hash(3), 1024), Is.EqualTo(1L << 60));
        m_fixture.Map.Invalidate();
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(3), 1024), Is.EqualTo(1L << 60));
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(2), 1024), Is.Zero);
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-3));
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(4), 1024), Is.EqualTo(-1));
    }

    [Test]
    public void Look_ups_allocate_nothing()
    {
        var hashes = Enumerable.Range(0, 20_000).Select(i => BlockFixture.Hash(i)).ToArray();
        m_fixture.Map.Find(hashes[0], 1024);
        foreach (var hash in hashes)
            m_fixture.Add(hash, 1024, 1);
        m_fixture.Transaction.Commit();
        m_fixture.Map.Find(hashes[0], 1024);

        var before = GC.GetAllocatedBytesForCurrentThread();
        foreach (var hash in hashes)
            m_fixture.Map.Find(hash, 1024);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
    }

    [Test]
    public void Adds_allocate_nothing_but_what_the_map_grows_by()
    {
        var hashes = Enumerable.Range(0, 40_000).Select(i => BlockFixture.Hash(i)).ToArray();
        m_fixture.Map.Find(hashes[0], 1024);
        foreach (var hash in hashes[..20_000])
            m_fixture.Add(hash, 1024, 1);
        m_fixture.Transaction.Commit();
        m_fixture.Map.Find(hashes[0], 1024);

        // Each growth of a segment by a quarter allocates the whole segment anew.
        var bytes = m_fixture.Map.Bytes;
        var before = GC.GetAllocatedBytesForCurrentThread();
        foreach (var hash in hashes[20_000..])
            m_fixture.Add(hash, 1024, 1);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan((m_fixture.Map.Bytes - bytes) * 6));
    }
}
