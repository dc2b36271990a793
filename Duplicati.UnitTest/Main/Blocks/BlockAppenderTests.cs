// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Blocks;

[TestFixture]
public class BlockAppenderTests
{
    private BlockFixture m_fixture = null!;

    [SetUp]
    public void SetUp() => m_fixture = new BlockFixture();

    [TearDown]
    public void TearDown() => m_fixture.Dispose();

    [Test]
    public void Ids_follow_the_greatest_id_of_the_table()
    {
        m_fixture.Connection.Execute("""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (41, 'AAAA', 1, 1)""");
        Assert.That(m_fixture.Add(BlockFixture.Hash(1), 1, 1), Is.EqualTo(42));
        Assert.That(m_fixture.Add(BlockFixture.Hash(2), 1, 1), Is.EqualTo(43));
    }

    [TestCase(
        """INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (41, 7), (57, 8), (57, 9)""",
        TestName = "{m}(further copies)"
    )]
    [TestCase(
        """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (1, 0, 57), (1, 1, 41)""",
        TestName = "{m}(contents)"
    )]
    public void No_block_gets_an_id_that_is_still_named(string names)
    {
        m_fixture.Connection.Execute("""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (41, 'AAAA', 1, 1)""");
        m_fixture.Connection.Execute(names);
        Assert.That(m_fixture.Add(BlockFixture.Hash(1), 1, 1), Is.EqualTo(58));
    }

    [Test]
    public void A_block_is_in_the_table_when_its_id_is_told()
    {
        var id = m_fixture.Add(BlockFixture.Hash(1), 17, 5);
        using var row = m_fixture.Session.Take("""SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" """);
        Assert.That(row.Read(), Is.True);
        Assert.That((row.GetInt64(0), row.GetString(1), row.GetInt64(2), row.GetInt64(3)), Is.EqualTo((id, BlockFixture.Hash(1), 17L, 5L)));
    }

    [TestCase(10)]
    [TestCase(5000)]
    public void Blocks_of_any_number_end_in_the_table_with_the_ids_handed_out(int count)
    {
        var ids = Enumerable.Range(0, count).ToDictionary(i => BlockFixture.Hash(i), i => m_fixture.Add(BlockFixture.Hash(i), 1024, i));
        m_fixture.Transaction.Commit();
        m_fixture.Reopen();

        using var all = m_fixture.Session.Take("""SELECT "ID", "Hash", "VolumeID" FROM "Block" """);
        var rows = 0;
        for (; all.Read(); rows++)
            Assert.That(all.GetInt64(0), Is.EqualTo(ids[all.GetString(1)!]).And.EqualTo(all.GetInt64(2) + 1));
        Assert.That(rows, Is.EqualTo(count));
    }

    [Test]
    public void Digests_of_different_lengths_keep_their_text()
    {
        string[] texts =
        [
            Convert.ToBase64String(new byte[16]),
            Convert.ToBase64String(new byte[20]),
            Convert.ToBase64String(new byte[32]),
            Convert.ToBase64String(new byte[64]),
            "",
        ];
        foreach (var text in texts)
            m_fixture.Add(text, 1, 1);
        m_fixture.Transaction.Commit();
        foreach (var text in texts)
            Assert.That(m_fixture.FindByStatement(text, 1), Is.GreaterThan(0));
    }

    [Test]
    public void What_was_not_committed_is_gone_after_reopening()
    {
        m_fixture.Add(BlockFixture.Hash(1), 1, 1);
        m_fixture.Transaction.Commit();
        m_fixture.Add(BlockFixture.Hash(2), 1, 1);
        m_fixture.Reopen();
        Assert.That(m_fixture.FindByStatement(BlockFixture.Hash(1), 1), Is.EqualTo(1));
        Assert.That(m_fixture.FindByStatement(BlockFixture.Hash(2), 1), Is.EqualTo(-1));
    }

    [Test]
    public void A_block_that_cannot_be_written_is_not_accepted([Values(1, 7, 200)] int failAt)
    {
        var inserts = 0;
        m_fixture.Session.Statements.Fault = sql => sql == BlockSql.Insert && ++inserts == failAt ? SQLitePCL.raw.SQLITE_BUSY : 0;
        for (var i = 1; i < failAt; i++)
            m_fixture.Add(BlockFixture.Hash(i), 1024, 1);

        Assert.That(
            () => m_fixture.Add(BlockFixture.Hash(failAt), 1024, 1),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(SQLitePCL.raw.SQLITE_BUSY)
        );
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(failAt), 1024), Is.EqualTo(-1));
        Assert.That(m_fixture.Add(BlockFixture.Hash(failAt), 1024, 1), Is.EqualTo(failAt), "the id is given to the next one");
        m_fixture.Transaction.Commit();
        Assert.That(m_fixture.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo($"{failAt}"));
    }

    [Test]
    public void Several_blocks_of_a_call_are_written_in_order([Values(1, 31, 32, 33, 64, 100)] int count)
    {
        m_fixture.Fill(0, 3);
        var appender = new BlockAppender(m_fixture.Session);
        for (var i = 0; i < count; i++)
            Assert.That(appender.AddOneOfMany(Convert.FromBase64String(BlockFixture.Hash(100 + i)), 1024, 1), Is.EqualTo(4 + i));
        Assert.That(appender.IsWaiting(4 + count - 1), Is.True);
        appender.Flush();

        Assert.That(appender.IsWaiting(4 + count - 1), Is.False);
        Assert.That(appender.RowsWritten, Is.EqualTo(count));
        for (var i = 0; i < count; i++)
            Assert.That(m_fixture.FindByStatement(BlockFixture.Hash(100 + i), 1024), Is.EqualTo(4 + i));
        Assert.That(appender.Add("AAAA", 1, 1), Is.EqualTo(4 + count));
    }

    [Test]
    public void Blocks_that_are_forgotten_while_they_wait_are_not_written()
    {
        var appender = new BlockAppender(m_fixture.Session);
        appender.AddOneOfMany(Convert.FromBase64String(BlockFixture.Hash(1)), 1024, 1);
        appender.Forget();
        appender.Flush();
        Assert.That(m_fixture.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("0"));
        Assert.That(appender.Add("AAAA", 1, 1), Is.EqualTo(1));
    }

    [Test]
    public void A_block_that_is_not_committed_keeps_others_from_writing()
    {
        using var other = m_fixture.Open();
        other.Execute("PRAGMA busy_timeout = 0");
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-1), "the transaction has begun to read");
        m_fixture.Add(BlockFixture.Hash(1), 1024, 1);
        using (var command = other.CreateCommand())
        {
            command.CommandText = """INSERT INTO "Configuration" VALUES ('a', 'b')""";
            command.CommandTimeout = 1;
            Assert.That(
                () => command.ExecuteNonQuery(),
                Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(SQLitePCL.raw.SQLITE_BUSY)
            );
        }

        m_fixture.Transaction.Commit();
        Assert.That(other.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("1"));
    }

    [Test]
    public void While_another_connection_writes_no_block_is_accepted()
    {
        using var other = m_fixture.Open();
        m_fixture.Map.Find(BlockFixture.Hash(1), 1024);
        m_fixture.Connection.DefaultTimeout = -1;
        m_fixture.Connection.Execute("PRAGMA busy_timeout = 0");
        other.Execute("""BEGIN IMMEDIATE; INSERT INTO "Configuration" VALUES ('a', 'b')""");
        Assert.That(
            () => m_fixture.Add(BlockFixture.Hash(1), 1024, 1),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(SQLitePCL.raw.SQLITE_BUSY)
        );
        other.Execute("COMMIT");
        m_fixture.Transaction.RollBackAsync(default).GetAwaiter().GetResult();
        Assert.That(m_fixture.Add(BlockFixture.Hash(1), 1024, 1), Is.EqualTo(1));
    }
}
