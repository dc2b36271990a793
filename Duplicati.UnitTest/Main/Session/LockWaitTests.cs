// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>Another connection holds the write lock while members work.</summary>
[TestFixture]
internal sealed class LockWaitTests : OtherConnectionTestBase
{
    private const int HeldMilliseconds = 100;

    // Then the lock is let go, so that a test whose call was not cancelled fails, rather than waits for ever.
    private const int LongestMilliseconds = 20_000;

    [Test]
    public async Task A_lock_that_is_released_is_waited_for(
        [Values("wal", "delete")] string journal,
        [Values] bool afterRead,
        [Values] bool cancellable,
        [Values] bool rollsBack
    )
    {
        using var source = new CancellationTokenSource();
        var token = cancellable ? source.Token : CancellationToken.None;
        await using var db = await OpenAsync(journal);
        if (afterRead)
            await BeginReadingAsync(db, token);
        var released = HoldAsync(journal, rollsBack);
        if (journal == "delete" && afterRead)
            await GetOutOfTheWayAsync(db, token);

        await db.RegisterRemoteVolumeAsync("later.dblock.zip", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token);
        Assert.That(await db.AddBlockAsync(SampleDatabase.Hash("new"), 5, 1, token), Is.True);
        await db.Transaction.CommitAsync();

        await released;
        Assert.That(Rows("SELECT COUNT(*) FROM \"Remotevolume\" WHERE \"Name\" = 'later.dblock.zip'"), Is.EqualTo("1"));
        Assert.That(Rows("SELECT COUNT(*) FROM \"Configuration\" WHERE \"Key\" = 'theirs'"), Is.EqualTo(rollsBack ? "0" : "1"));
    }

    [Test]
    public async Task Each_member_of_a_backup_that_looks_up_and_adds_waits_and_looks_again(
        [Values("block", "blockset", "metadata", "file", "prefix")] string what
    )
    {
        await using var db = await OpenAsync("wal");
        var volume = await db.RegisterRemoteVolumeAsync("list.dlist.zip", RemoteVolumeType.Files, RemoteVolumeState.Temporary, default);
        await db.CreateFilesetAsync(volume, new DateTime(2030, 1, 1, 0, 0, 0, DateTimeKind.Utc), default);
        await db.Transaction.CommitAsync();
        Assert.That(await db.FilesetTimesAsync(default).CountAsync(), Is.Positive, "it has begun to read");
        Other.Execute("BEGIN IMMEDIATE");
        Other.Execute(Theirs(what));
        var released = ReleaseAsync("COMMIT");

        Assert.That(await AddAsync(db, what), Is.EqualTo(1_000_000), "the row of the other connection");
        await db.Transaction.CommitAsync();
        await released;
    }

    [Test]
    public async Task A_lock_that_stays_is_a_busy_error_and_the_session_is_usable_after_it(
        [Values("wal", "delete")] string journal,
        [Values] bool afterRead,
        [Values] bool cancellable
    )
    {
        using var source = new CancellationTokenSource();
        var token = cancellable ? source.Token : CancellationToken.None;
        await using var db = await OpenAsync(journal);
        db.Connection.Execute("PRAGMA busy_timeout = 50");
        db.Connection.DefaultTimeout = -1;
        if (afterRead)
            await BeginReadingAsync(db, token);
        Hold(journal);

        Assert.That(() => Register(db, token), Refused.Engine(ResultCode.Busy, text: Backup.Path));
        Assert.That(() => db.AddBlockAsync(SampleDatabase.Hash("new"), 5, 1, token), Refused.Engine(ResultCode.Busy));
        Assert.That(db.Connection.Pragma("busy_timeout"), Is.EqualTo("50"));

        Other.Execute("ROLLBACK");
        await Register(db, token);
        Assert.That(await db.AddBlockAsync(SampleDatabase.Hash("new"), 5, 1, token), Is.True);
        await db.Transaction.CommitAsync();
        Assert.That(Rows("""SELECT COUNT(*) FROM "Block" WHERE "Size" = 5"""), Is.EqualTo("1"));
    }

    [Test]
    public async Task A_cancelled_wait_ends_at_once_and_leaves_nothing(
        [Values("wal", "delete")] string journal,
        [Values] bool afterRead,
        [Values("short", "long", "block")] string member
    )
    {
        using var source = new CancellationTokenSource();
        await using var db = await OpenAsync(journal);
        // The engine's own wait, or that of the provider, would outlast the test.
        db.Connection.Execute("PRAGMA busy_timeout = 3600000");
        if (afterRead)
            await BeginReadingAsync(db, source.Token);
        Hold(journal);
        if (journal == "delete" && afterRead)
            await GetOutOfTheWayAsync(db, source.Token);

        var cancelled = Task.Delay(HeldMilliseconds).ContinueWith(_ => source.CancelAsync(), TaskScheduler.Default).Unwrap();

        var call = Task.Run(() => CallAsync(db, member, source.Token), default);
        await Task.WhenAny(call, Task.Delay(LongestMilliseconds, default));
        Other.Execute("ROLLBACK");

        Assert.That(async () => await call, Throws.InstanceOf<OperationCanceledException>());
        await cancelled;
        Assert.That(db.Connection.Pragma("busy_timeout"), Is.EqualTo("3600000"));
        await db.Transaction.CommitAsync();
        Assert.That(
            Rows(
                """SELECT (SELECT COUNT(*) FROM "Block" WHERE "Size" = 5) + (SELECT COUNT(*) FROM "Remotevolume" WHERE "Name" LIKE 'later%')"""
            ),
            Is.EqualTo("0")
        );
        await CallAsync(db, member, default);
    }

    // Milliseconds are those of the engine's timeout, seconds those of the provider's. The shorter one would end the wait at once.
    [TestCase(-1, 3_600_000)]
    [TestCase(3_600, 0)]
    public async Task The_longer_of_the_two_timeouts_counts(int seconds, int milliseconds)
    {
        using var connection = SQLiteLoader.LoadConnection(Backup.Path);
        using var statements = new StatementCache(connection);
        using var source = new CancellationTokenSource();
        statements.CancelWaitsBy(source.Token);
        connection.Execute($"PRAGMA busy_timeout = {milliseconds}");
        connection.DefaultTimeout = seconds;
        var released = HoldAsync("wal", rollsBack: true);

        statements.Execute("BEGIN IMMEDIATE");

        Assert.That(statements.IsAutoCommit, Is.False);
        await released;
    }

    [TestCase(null)]
    [TestCase("")]
    [TestCase("unknown.dblock.zip|another.dblock.zip")]
    [Contract("C 2.7")]
    public async Task To_forget_the_blocks_of_no_known_volume_takes_no_lock(string? names)
    {
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Backup.Path, null, default);
        await db.Transaction.CommitAsync();
        db.Connection.Execute("PRAGMA busy_timeout = 50");
        db.Connection.DefaultTimeout = -1;
        Hold("wal");

        await db.RemoveMissingBlocksAsync(names?.Split('|', StringSplitOptions.RemoveEmptyEntries)!, default);

        Assert.That(db.Session.Statements.HasUncommittedWrites, Is.False);
    }

    [Test]
    public void The_busy_timeout_reads_back_what_was_set_while_a_statement_waits()
    {
        using var connection = SQLiteLoader.LoadConnection(Backup.Path);
        using var statements = new StatementCache(connection);
        using var source = new CancellationTokenSource();
        statements.CancelWaitsBy(source.Token);
        Hold("wal");
        var waiting = Task.Run(() => statements.Execute("BEGIN IMMEDIATE"));
        for (var i = 0; i < 1000; i++)
            Assert.That(connection.Pragma("busy_timeout"), Is.EqualTo("10000"));
        source.Cancel();
        Assert.That(async () => await waiting, Throws.InstanceOf<OperationCanceledException>());
        Assert.That(statements.IsAutoCommit, Is.True);
    }

    [Test]
    public async Task Opening_waits_for_a_database_that_is_locked_for_a_while()
    {
        Databases.Execute(Backup.Path, "PRAGMA journal_mode = delete");

        Other.Execute("BEGIN EXCLUSIVE");
        var released = ReleaseAsync("COMMIT");
        using var scope = TestOptions.Of("default", ("busy_timeout", 0)).Use();
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, "Test", true, null, default);
        Assert.That(await db.FilesetTimesAsync(default).CountAsync(), Is.EqualTo(RandomBackup.Versions));
        Assert.That(db.Connection.Pragma("journal_mode"), Is.EqualTo("wal"));
        await released;
    }

    private static async Task BeginReadingAsync(LocalBackupDatabase db, CancellationToken token) =>
        Assert.That(await db.GetRemoteVolumeIDAsync("later.dblock.zip", token), Is.EqualTo(-1));

    // The one that writes waits for this reader with its commit.
    private static async Task GetOutOfTheWayAsync(LocalBackupDatabase db, CancellationToken token)
    {
        Assert.That(() => Register(db, token), Refused.Engine(ResultCode.Busy));
        await db.Transaction.RollBackAsync(CancellationToken.None);
    }

    private static Task CallAsync(LocalBackupDatabase db, string member, CancellationToken token) =>
        member switch
        {
            "short" => Register(db, token),
            "long" => db.RemoveRemoteVolumesAsync(["v0.dblock.zip"], token),
            _ => db.AddBlockAsync(SampleDatabase.Hash("new"), 5, 1, token),
        };

    private static Task Register(LocalBackupDatabase db, CancellationToken token) =>
        db.RegisterRemoteVolumeAsync("later.dblock.zip", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token);

    // The answer is the id of what the other connection has added.
    private static async Task<long> AddAsync(LocalBackupDatabase db, string what)
    {
        var hash = SampleDatabase.Hash("theirs");
        switch (what)
        {
            case "block":
                Assert.That(await db.AddBlockAsync(hash, 5, 1, default), Is.False);
                return await db.FindBlockIDAsync(hash, 5, default);
            case "blockset":
                return (await db.AddBlocksetAsync(hash, 7, 100, [], [], default)).Item2;
            case "metadata":
                return (await db.AddMetadatasetAsync(hash, 7, 1, null!, default)).Item2;
            case "file":
                await db.AddFileAsync(1, "theirs", DateTime.UnixEpoch, 1, 1, default);
                return db.Connection.Scalar("""SELECT "FileID" FROM "FilesetEntry" ORDER BY "FilesetID" DESC, "FileID" DESC""") is { } id
                    ? long.Parse(id, null)
                    : -1;
            default:
                return await db.GetOrCreatePathPrefixAsync("/theirs/", default);
        }
    }

    private static string Theirs(string what)
    {
        var hash = SampleDatabase.Hash("theirs");
        return what switch
        {
            "block" => $"""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (1000000, '{hash}', 5, 1)""",
            "blockset" => $"""INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (1000000, 7, '{hash}')""",
            "metadata" => $"""
                INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (1000000, 7, '{hash}');
                INSERT INTO "Metadataset" ("ID", "BlocksetID") VALUES (1000000, 1000000)
                """,
            "file" =>
                """INSERT INTO "FileLookup" ("ID", "PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (1000000, 1, 'theirs', 1, 1)""",
            _ => """INSERT INTO "PathPrefix" ("ID", "Prefix") VALUES (1000000, '/theirs/')""",
        };
    }

    private async Task<LocalBackupDatabase> OpenAsync(string journal)
    {
        using var scope = TestOptions.Of("default", ("journal_mode", journal)).Use();
        var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), default);
        await db.Transaction.CommitAsync();
        return db;
    }

    // With a rollback journal a lock that keeps others from reading too cannot be had beside readers.
    private void Hold(string journal) => Other.Execute($"""BEGIN IMMEDIATE; INSERT INTO "Configuration" VALUES ('theirs', '{journal}')""");

    private Task HoldAsync(string journal, bool rollsBack)
    {
        Hold(journal);
        return ReleaseAsync(rollsBack ? "ROLLBACK" : "COMMIT");
    }

    private Task ReleaseAsync(string how) => Task.Delay(HeldMilliseconds).ContinueWith(_ => Other.Execute(how), TaskScheduler.Default);

    private string Rows(string sql) => Backup.Database.Rows(sql).Single();
}
