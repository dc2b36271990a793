// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Library.Main.Database.Delete;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Delete;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// A process that deletes most of a database dies while indexes are missing, or its disk is full: the next one finds everything as it was.
/// </summary>
[TestFixture]
internal sealed class MassDeletionKillTests
{
    private const string Everything = """
        SELECT "name", "sql" FROM "sqlite_master" UNION ALL SELECT "ID", "Hash" || "Size" || "VolumeID" FROM "Block" UNION ALL SELECT "ID", "Hash" FROM "DeletedBlock" UNION ALL SELECT "FilesetID", "FileID" FROM "FilesetEntry"
        UNION ALL SELECT "BlocksetID", "BlockID" FROM "BlocksetEntry" UNION ALL SELECT "ID", "Path" FROM "FileLookup" UNION ALL SELECT "ID", "FullHash" FROM "Blockset"
        """;

    private static readonly DeletionLimits s_always = new() { FewestRows = 1 };

    [TestCase("DELETE FROM \"BlocksetEntry\"", 90)]
    [TestCase("DELETE FROM \"Block\"", 90)]
    [TestCase("CREATE INDEX \"Block_", 90)]
    [TestCase("CREATE UNIQUE INDEX \"DeletedBlock", 90)]
    [TestCase("UPDATE \"Remotevolume\"", 100)]
    [TestCase("DELETE FROM \"Block\"", 20)]
    [TestCase("CREATE INDEX \"BlockSize", 40)]
    public void Nothing_of_a_deletion_is_left_after_a_kill(string statement, int versions)
    {
        using var sample = RandomBackup.OfManyVersions(1);
        var before = sample.Database.Rows(Everything);
        Assert.That(ChildProcess.Run<DeletingChild>(sample.Path, statement, $"{versions}").Output, Does.StartWith("dying"));

        Assert.That(new FileInfo(sample.Path + "-wal").Length, Is.Positive, "what was not committed had been written");
        Assert.That(sample.Database.Rows(Everything), Is.EqualTo(before));
        Databases.AssertSound(sample.Path);
    }

    [TestCase(20)]
    [TestCase(60)]
    public async Task Nothing_of_a_deletion_is_left_after_the_disk_was_full(int versions)
    {
        using var sample = RandomBackup.OfManyVersions(2);
        var before = sample.Database.Rows(Everything);
        await using (var db = await LocalDeleteDatabase.CreateAsync(sample.Path, "Delete", null, default))
        {
            db.Session.Execute("PRAGMA cache_size = 10");
            db.Session.LimitPages(isFull: true);
            Assert.That(
                () => DeleteAsync(db, versions),
                Throws.TypeOf<SqliteException>().With.Property("SqliteErrorCode").EqualTo(raw.SQLITE_FULL)
            );
            db.Session.LimitPages(isFull: false);
            await db.Transaction.RollBackAsync();
            Assert.That(sample.Database.Rows(Everything), Is.EqualTo(before));
            await DeleteAsync(db, versions);
            await db.Transaction.CommitAsync();
        }

        Assert.That(
            sample.Database.Rows("""SELECT COUNT(*) FROM "Fileset" """),
            Is.EqualTo(new[] { $"{RandomBackup.ManyVersions - versions}" })
        );
        Databases.AssertSound(sample.Path);
    }

    private static Task DeleteAsync(LocalDeleteDatabase db, int versions) =>
        db.Session.LongAsync(session => FilesetDeletion.Run(session, RandomBackup.Times(versions), s_always), default);

    /// <summary>
    /// Deletes versions and dies before a statement. Arguments: the database, how the statement begins, and how many versions.
    /// </summary>
    private sealed class DeletingChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            var db = LocalDeleteDatabase.CreateAsync(args[0], "Delete", null, default).GetAwaiter().GetResult();
            db.Session.Execute("PRAGMA cache_size = 10");
            db.Session.Statements.Fault = sql => sql.StartsWith(args[1], StringComparison.Ordinal) ? Die() : 0;
            DeleteAsync(db, int.Parse(args[2])).GetAwaiter().GetResult();
            return 0;
        }

        private static int Die()
        {
            Console.WriteLine("dying");
            Console.Out.Flush();
            ChildProgram.Die();
            return 0;
        }
    }
}
