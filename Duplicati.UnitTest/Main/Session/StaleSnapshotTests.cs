// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// A transaction that has only read so far, while another connection commits: in the simplest case the statistics that it writes at open.
/// </summary>
[TestFixture]
internal sealed class StaleSnapshotTests : OtherConnectionTestBase
{
    [Test]
    public async Task Statistics_written_by_another_open_do_not_stop_the_first_write()
    {
        Other.Execute("ANALYZE; DELETE FROM sqlite_stat1");
        await using var db = await OpenWithoutRefreshAsync();
        Assert.That(await db.FilesetTimesAsync(default).CountAsync(), Is.EqualTo(RandomBackup.Versions), "it has begun to read");
        using (var other = SQLiteLoader.LoadConnection(Backup.Path))
        {
            PlannerStatistics.RefreshAtOpen(other);
            Assert.That(
                Backup.Database.Rows("SELECT COUNT(*) > 0 FROM sqlite_stat1"),
                Is.EqualTo(new[] { "1" }),
                "the other connection has written"
            );
        }

        await db.RegisterRemoteVolumeAsync("later.dblock.zip", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
        await db.Transaction.CommitAsync();

        Assert.That(
            Backup.Database.Rows("""SELECT COUNT(*) FROM "Remotevolume" WHERE "Name" = 'later.dblock.zip'"""),
            Is.EqualTo(new[] { "1" })
        );
    }

    [Test]
    public async Task What_others_committed_meanwhile_is_there_and_what_is_known_of_blocks_is_asked_again()
    {
        await using var db = await OpenAsync();
        await InsertTheirsAsync(db);

        await db.RegisterRemoteVolumeAsync("later.dblock.zip", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);

        Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, default), Is.GreaterThan(0));
    }

    [Test]
    public void Without_an_owner_of_the_transaction_the_error_is_reported()
    {
        using var connection = SQLiteLoader.LoadConnection(Backup.Path);
        using var statements = new StatementCache(connection);
        using var limit = WaitLong(connection, statements);
        BeginReading(statements);
        Other.Execute("""UPDATE "Fileset" SET "IsFullBackup" = 0""");

        using var update = statements.Take("""UPDATE "Fileset" SET "IsFullBackup" = 1""");
        Assert.That(() => update.ExecuteNonQuery(), Refused.Engine(ResultCode.Busy, raw.SQLITE_BUSY_SNAPSHOT));
    }

    [Test]
    public void A_renewed_transaction_runs_the_statement_once_more_with_its_values()
    {
        using var connection = SQLiteLoader.LoadConnection(Backup.Path);
        var renewed = 0;
        StatementCache? cache = null;
        using var statements = cache = new StatementCache(connection)
        {
            RenewTransaction = _ =>
            {
                renewed++;
                return Renew(cache!);
            },
        };
        BeginReading(statements);
        Other.Execute("""UPDATE "Fileset" SET "IsFullBackup" = 0""");

        using (var update = statements.Take("""UPDATE "Fileset" SET "IsFullBackup" = ?1"""))
            Assert.That(update.Bind(1, 7).ExecuteNonQuery(), Is.EqualTo(RandomBackup.Versions));
        statements.Execute("COMMIT");

        Assert.That(renewed, Is.EqualTo(1));
        Assert.That(Backup.Database.Rows("""SELECT DISTINCT "IsFullBackup" FROM "Fileset" """), Is.EqualTo(new[] { "7" }));
    }

    [Test]
    public void A_reader_that_is_still_open_keeps_the_old_content_and_the_error_is_reported()
    {
        using var connection = SQLiteLoader.LoadConnection(Backup.Path);
        StatementCache? cache = null;
        using var statements = cache = new StatementCache(connection) { RenewTransaction = _ => Renew(cache!) };
        using var limit = WaitLong(connection, statements);
        statements.Execute("BEGIN");
        using var reader = statements.Take("""SELECT "ID" FROM "Fileset" """);
        Assert.That(reader.Read(), Is.True);
        Other.Execute("""UPDATE "Fileset" SET "IsFullBackup" = 0""");

        using var update = statements.Take("""UPDATE "Fileset" SET "IsFullBackup" = 1""");
        Assert.That(() => update.ExecuteNonQuery(), Refused.Engine(ResultCode.Busy));
        Assert.That(reader.Read(), Is.True, "the reader goes on");
    }

    [Test]
    public async Task A_block_that_another_connection_has_added_since_it_was_looked_for_is_not_added_again()
    {
        await using var db = await OpenAsync();
        await InsertTheirsAsync(db);

        Assert.That(await db.AddBlockAsync(SampleDatabase.Hash("theirs"), 5, 2, default), Is.False);
        Assert.That(await db.AddBlockAsync(SampleDatabase.Hash("ours"), 5, 2, default), Is.True);
        await db.Transaction.CommitAsync();

        Assert.That(
            Backup.Database.Rows("""SELECT COUNT(*), COUNT(DISTINCT "ID") FROM "Block" WHERE "Size" = 5"""),
            Is.EqualTo(new[] { "2|2" })
        );
    }

    [Test]
    public async Task A_commit_that_fails_on_a_lock_makes_what_is_known_of_blocks_be_asked_again()
    {
        using var scope = TestOptions.Of("default", ("busy_timeout", 50)).Use();
        await using var db = await OpenAsync();
        db.Session.Connection.DefaultTimeout = -1;
        for (var i = 0; i < 200; i++)
            Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, default), Is.EqualTo(-1));
        await db.Transaction.CommitAsync();
        Assert.That(await db.GetBlocksLargerThanAsync(0, default), Is.Positive, "what cannot be asked again");
        Other.Execute($"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{SampleDatabase.Hash("theirs")}', 5, 1)""");
        await db.LogMessageAsync("Warning", "waits for the commit", null, default);
        Other.Execute("BEGIN IMMEDIATE");
        Assert.That(() => db.CommitAsync(default), Refused.Engine(ResultCode.Busy));
        Other.Execute("ROLLBACK");

        Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, default), Is.GreaterThan(0));
        Assert.That(await db.AddBlockAsync(SampleDatabase.Hash("theirs"), 5, 2, default), Is.False);
        await db.CommitAsync(default);
        Assert.That(Other.Scalar("""SELECT COUNT(*) FROM "LogData" WHERE "Message" = 'waits for the commit'"""), Is.EqualTo("1"));
    }

    [Test]
    public async Task Behind_a_commit_by_a_statement_each_look_up_sees_what_others_have_committed()
    {
        await using var db = await OpenAsync();
        db.Connection.Execute("COMMIT");
        for (var i = 0; i < 200; i++)
            Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, default), Is.EqualTo(-1));
        SampleDatabase.Rows(
            Backup.Path,
            $"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{SampleDatabase.Hash("theirs")}', 5, 1)"""
        );

        Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, default), Is.Positive);
        Assert.That(await db.AddBlockAsync(SampleDatabase.Hash("theirs"), 5, 2, default), Is.False);
        db.Connection.Execute("BEGIN");
    }

    [Test]
    public async Task Behind_the_last_transaction_of_an_object_no_block_is_looked_up()
    {
        await using var db = await OpenAsync();
        await db.Transaction.CommitAsync(restart: false);

        Assert.That(() => db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, default), Throws.TypeOf<InvalidOperationException>());
    }

    // Who waits for what cannot come free is cancelled in the end, which is another error than the one that is expected.
    private static CancellationTokenSource WaitLong(SqliteConnection connection, StatementCache statements)
    {
        connection.Execute("PRAGMA busy_timeout = 3600000");
        var limit = new CancellationTokenSource(TimeSpan.FromMinutes(1));
        statements.CancelWaitsBy(limit.Token);
        return limit;
    }

    private static SnapshotRenewal Renew(StatementCache statements)
    {
        statements.Execute("COMMIT; BEGIN");
        return SnapshotRenewal.Renewed;
    }

    private static void BeginReading(StatementCache statements)
    {
        statements.Execute("BEGIN");
        using var select = statements.Take("""SELECT COUNT(*) FROM "Fileset" """);
        Assert.That(select.ExecuteInt64(), Is.EqualTo(RandomBackup.Versions));
    }

    private async Task<LocalDatabase> OpenWithoutRefreshAsync()
    {
        using var scope = TestOptions.WithoutStatistics().Use();
        var db = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, "Backup", true, null, default);
        await db.Transaction.CommitAsync();
        return db;
    }

    private async Task<LocalBackupDatabase> OpenAsync()
    {
        var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), default);
        await db.Transaction.CommitAsync();
        return db;
    }

    // What is told in the transaction of this connection stays true.
    private async Task InsertTheirsAsync(LocalBackupDatabase db)
    {
        Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, default), Is.EqualTo(-1));
        await db.Transaction.CommitAsync();
        Assert.That(await db.FilesetTimesAsync(default).CountAsync(), Is.EqualTo(RandomBackup.Versions), "it has begun to read");
        Other.Execute($"""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('{SampleDatabase.Hash("theirs")}', 5, 1)""");
    }
}

/// <summary>A new backup of a few versions for each test, and another connection to its database.</summary>
internal abstract class OtherConnectionTestBase
{
    private protected RandomBackup Backup { get; private set; } = null!;

    private protected SqliteConnection Other { get; private set; } = null!;

    [SetUp]
    public void MakeBackup()
    {
        Backup = new RandomBackup(1);
        Other = Databases.Open(Backup.Path);
    }

    [TearDown]
    public void RemoveBackup()
    {
        Other.Dispose();
        Backup.Dispose();
    }
}
