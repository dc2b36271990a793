// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Main.Backup;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Blocks;

[TestFixture]
public class BlockAppenderTests : BackupTestBase
{
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
        Backup.Execute("""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (41, 'AAAA', 1, 1)""");
        Backup.Execute(names);
        Assert.That(Backup.Add(BlockFixture.Hash(1), 1, 1), Is.EqualTo(58));
    }

    [Test]
    public void A_block_that_cannot_be_written_is_not_accepted([Values(1, 7, 200)] int failAt)
    {
        var inserts = 0;
        Db.Session.Statements.Fault = sql => sql == BlockSql.Insert && ++inserts == failAt ? SQLitePCL.raw.SQLITE_BUSY : 0;
        for (var i = 1; i < failAt; i++)
            Backup.Add(BlockFixture.Hash(i), 1024, 1);

        Assert.That(
            () => Backup.Add(BlockFixture.Hash(failAt), 1024, 1),
            Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(SQLitePCL.raw.SQLITE_BUSY)
        );
        Assert.That(Backup.Map.Find(BlockFixture.Hash(failAt), 1024), Is.EqualTo(-1));
        Assert.That(Backup.Add(BlockFixture.Hash(failAt), 1024, 1), Is.EqualTo(failAt), "the id is given to the next one");
        Db.Transaction.Commit();
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(failAt));
    }

    [Test]
    public void Several_blocks_of_a_call_are_written_in_order([Values(1, 31, 32, 33, 64, 100)] int count)
    {
        Backup.Fill(0, 3);
        var appender = new BlockAppender(Db.Session);
        for (var i = 0; i < count; i++)
            Assert.That(appender.AddOneOfMany(Convert.FromBase64String(BlockFixture.Hash(100 + i)), 1024, 1), Is.EqualTo(4 + i));
        Assert.That(appender.IsWaiting(4 + count - 1), Is.True);
        appender.Flush();

        Assert.That(appender.IsWaiting(4 + count - 1), Is.False);
        Assert.That(appender.RowsWritten, Is.EqualTo(count));
        for (var i = 0; i < count; i++)
            Assert.That(Backup.FindByStatement(BlockFixture.Hash(100 + i), 1024), Is.EqualTo(4 + i));
        Assert.That(appender.Add("AAAA", 1, 1), Is.EqualTo(4 + count));
    }

    [Test]
    public void Blocks_that_are_forgotten_while_they_wait_are_not_written()
    {
        var appender = new BlockAppender(Db.Session);
        appender.AddOneOfMany(Convert.FromBase64String(BlockFixture.Hash(1)), 1024, 1);
        appender.Forget();
        appender.Flush();
        Assert.That(Backup.Number("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
        Assert.That(appender.Add("AAAA", 1, 1), Is.EqualTo(1));
    }
}
