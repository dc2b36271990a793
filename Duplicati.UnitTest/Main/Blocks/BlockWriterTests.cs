// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Blocks;

[TestFixture]
public class BlockWriterTests
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
        Assert.That(m_fixture.Writer.Add(BlockFixture.Hash(1), 1, 1), Is.EqualTo(42));
        Assert.That(m_fixture.Writer.Add(BlockFixture.Hash(2), 1, 1), Is.EqualTo(43));
    }

    [Test]
    public void No_block_gets_an_id_whose_further_copies_are_still_listed()
    {
        m_fixture.Connection.Execute("""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (41, 'AAAA', 1, 1)""");
        m_fixture.Connection.Execute("""INSERT INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (41, 7), (57, 8), (57, 9)""");
        Assert.That(m_fixture.Writer.Add(BlockFixture.Hash(1), 1, 1), Is.EqualTo(58));
    }

    [Test]
    public void A_statement_of_the_session_sees_what_is_pending()
    {
        var id = m_fixture.Writer.Add(BlockFixture.Hash(1), 17, 5);
        Assert.That(m_fixture.Writer.HasPending, Is.True);
        using var row = m_fixture.Session.Take("""SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" """);
        Assert.That(row.Read(), Is.True);
        Assert.That((row.GetInt64(0), row.GetString(1), row.GetInt64(2), row.GetInt64(3)), Is.EqualTo((id, BlockFixture.Hash(1), 17L, 5L)));
    }

    [TestCase(10)]
    [TestCase(5000)]
    public void Batches_of_any_size_end_in_the_table_with_the_ids_handed_out(int count)
    {
        var ids = Enumerable
            .Range(0, count)
            .ToDictionary(i => BlockFixture.Hash(i), i => m_fixture.Writer.Add(BlockFixture.Hash(i), 1024, i));
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
            m_fixture.Writer.Add(text, 1, 1);
        m_fixture.Transaction.Commit();
        foreach (var text in texts)
            Assert.That(m_fixture.FindByStatement(text, 1), Is.GreaterThan(0));
    }

    [Test]
    public void What_was_not_committed_is_gone_after_reopening()
    {
        m_fixture.Writer.Add(BlockFixture.Hash(1), 1, 1);
        m_fixture.Transaction.Commit();
        m_fixture.Writer.Add(BlockFixture.Hash(2), 1, 1);
        m_fixture.Reopen();
        Assert.That(m_fixture.FindByStatement(BlockFixture.Hash(1), 1), Is.EqualTo(1));
        Assert.That(m_fixture.FindByStatement(BlockFixture.Hash(2), 1), Is.EqualTo(-1));
    }

    [Test]
    public void A_failed_write_loses_nothing_and_repeats_nothing([Values(1, 7, 2000)] int failAt)
    {
        for (var i = 0; i < 2000; i++)
            m_fixture.Writer.Add(BlockFixture.Hash(i), 1024, 1);
        var inserts = 0;
        m_fixture.Session.Statements.Fault = sql => sql == BlockSql.Insert && ++inserts == failAt ? SQLitePCL.raw.SQLITE_BUSY : 0;

        Assert.That(
            () => m_fixture.Transaction.Commit(),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(SQLitePCL.raw.SQLITE_BUSY)
        );
        m_fixture.Transaction.Commit();

        Assert.That(m_fixture.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("2000"));
        Assert.That(inserts, Is.EqualTo(2001));
    }

    [Test]
    public void Without_the_hash_indexes_a_failed_write_loses_nothing_and_repeats_nothing([Values(1, 16, 17, 23, 2000)] int failingId)
    {
        for (var i = 0; i < 10; i++)
            m_fixture.Writer.Add(BlockFixture.Hash(i), 1024, 1);
        BlockIndexes.Of(m_fixture.Session).Drop();
        using (
            var trigger = m_fixture.Session.Statements.Prepare(
                $"""
                CREATE TEMP TRIGGER "Failing" BEFORE INSERT ON "Block" WHEN NEW."ID" = {10
                    + failingId} BEGIN SELECT RAISE(FAIL, 'failing'); END
                """
            )
        )
            trigger.ExecuteNonQuery();
        var ids = Enumerable
            .Range(10, 2005)
            .ToDictionary(i => BlockFixture.Hash(i), i => m_fixture.Writer.Add(BlockFixture.Hash(i), 1024, 1));

        Assert.That(
            () => m_fixture.Session.Flush(),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(SQLitePCL.raw.SQLITE_CONSTRAINT)
        );
        using (var count = m_fixture.Session.TakeDirect("""SELECT COUNT(*) FROM "Block" """))
            Assert.That(count.ExecuteInt64(), Is.EqualTo(10 + failingId - 1), "what came before the failing row is written");
        Assert.That(
            m_fixture.Map.Find(BlockFixture.Hash(10 + failingId), 1024),
            Is.EqualTo(10 + failingId + 1),
            "what is pending is still found"
        );

        using (var end = m_fixture.Session.Statements.Prepare("""DROP TRIGGER "Failing" """))
            end.ExecuteNonQuery();
        m_fixture.Transaction.Commit();
        BlockIndexes.Of(m_fixture.Session).Complete();
        m_fixture.Transaction.Commit();
        foreach (var (hash, id) in ids)
            Assert.That(m_fixture.FindByStatement(hash, 1024), Is.EqualTo(id));
        Assert.That(m_fixture.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("2015"));
    }

    [Test]
    public void After_a_failed_write_a_rollback_forgets_everything()
    {
        m_fixture.Writer.Add(BlockFixture.Hash(1), 1024, 1);
        m_fixture.Session.Statements.Fault = sql => sql == BlockSql.Insert ? SQLitePCL.raw.SQLITE_FULL : 0;
        Assert.That(() => m_fixture.Session.Flush(), Throws.TypeOf<SqliteException>());
        m_fixture.Session.Statements.Fault = null;
        m_fixture.Transaction.RollBackAsync(default).GetAwaiter().GetResult();
        m_fixture.Transaction.Commit();
        Assert.That(m_fixture.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo("0"));
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-1));
    }

    [Test]
    public void No_more_than_the_allowed_rows_are_held_back()
    {
        BlockOptions.Of(m_fixture.Session).PendingRows = 10;
        for (var i = 0; i < 25; i++)
            m_fixture.Writer.Add(BlockFixture.Hash(i), 1024, 1);
        using var count = m_fixture.Session.TakeDirect("""SELECT COUNT(*) FROM "Block" """);
        Assert.That(count.ExecuteInt64(), Is.EqualTo(20));
    }

    [Test]
    public void A_block_that_is_held_back_keeps_others_from_writing_as_if_it_were_written()
    {
        using var other = m_fixture.Open();
        other.Execute("PRAGMA busy_timeout = 0");
        Assert.That(m_fixture.Map.Find(BlockFixture.Hash(1), 1024), Is.EqualTo(-1), "the transaction has begun to read");
        m_fixture.Writer.Add(BlockFixture.Hash(1), 1024, 1);
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
            () => m_fixture.Writer.Add(BlockFixture.Hash(1), 1024, 1),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(SQLitePCL.raw.SQLITE_BUSY)
        );
        Assert.That(m_fixture.Writer.HasPending, Is.False);
        other.Execute("COMMIT");
        m_fixture.Transaction.RollBackAsync(default).GetAwaiter().GetResult();
        Assert.That(m_fixture.Writer.Add(BlockFixture.Hash(1), 1024, 1), Is.EqualTo(1));
    }
}
