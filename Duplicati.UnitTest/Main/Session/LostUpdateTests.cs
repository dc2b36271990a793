// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;
using NUnit.Framework.Constraints;
using SQLitePCL;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>Another connection commits between what a caller was told and what he decides on it.</summary>
[TestFixture]
internal sealed class LostUpdateTests : OtherConnectionTestBase
{
    private const string Volume = "v0.dblock.zip";
    private const string Another = "v1.dblock.zip";

    // What nobody is told of, so that others have committed and changed nothing that matters.
    private const string Unrelated =
        """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message") VALUES (1, 5, 'Result', 'x')""";

    // What waits for a lock that cannot come free would wait for ever; then it is cancelled, and that is another error than the one that is
    // expected.
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(5);

    private CancellationTokenSource m_limit = null!;

    private static Constraint IsOutdated => OutdatedWith("roll back");

    private CancellationToken Limit => m_limit.Token;

    [SetUp]
    public void SetUp() => m_limit = new CancellationTokenSource(s_longest);

    [TearDown]
    public void TearDown() => m_limit.Dispose();

    [Test]
    public async Task A_volume_that_was_listed_and_then_deleted_by_another_is_not_marked_as_verified([Values] bool isAlone)
    {
        await using var db = await OpenAsync();
        if (isAlone)
            Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).State, Is.EqualTo(RemoteVolumeState.Verified));
        else
            Assert.That(await db.GetRemoteVolumesAsync(Limit).AnyAsync(x => x.Name == Volume), Is.True);
        SetState(Volume, "Deleted");

        Assert.That(() => MarkAsync(db, Volume), OutdatedWith(Backup.Path));
        Assert.That(() => MarkAsync(db, Another), IsOutdated, "nothing can be written in this transaction");
        Assert.That(
            (await db.GetRemoteVolumeAsync(Volume, Limit)).State,
            Is.EqualTo(RemoteVolumeState.Verified),
            "it goes on reading what it has read"
        );
        Assert.That(db.Session.Statements.HasUncommittedWrites, Is.False);
        Assert.That(StateOf(Volume), Is.EqualTo("Deleted"));

        await db.Transaction.RollBackAsync(default(CancellationToken));
        Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).State, Is.EqualTo(RemoteVolumeState.Deleted));
        await MarkAsync(db, Another);
        await db.Transaction.CommitAsync();
        Assert.That(StateOf(Another), Is.EqualTo("Uploaded"));
    }

    [Test]
    public async Task A_commit_after_a_refused_write_commits_nothing_and_ends_the_promise()
    {
        await using var db = await OpenAsync();
        Assert.That(await db.GetRemoteVolumesAsync(Limit).CountAsync(), Is.Positive);
        SetState(Volume, "Deleted");
        Assert.That(() => MarkAsync(db, Another), IsOutdated);

        await db.Transaction.CommitAsync();
        await MarkAsync(db, Another);
        await db.Transaction.CommitAsync();

        Assert.That(StateOf(Volume), Is.EqualTo("Deleted"));
        Assert.That(StateOf(Another), Is.EqualTo("Uploaded"));
    }

    [TestCase("""INSERT INTO "Operation" ("Description", "Timestamp") VALUES ('Backup', 5)""")]
    [TestCase("""INSERT INTO "RemoteOperation" ("OperationID", "Timestamp", "Operation", "Path") VALUES (1, 5, 'put', 'x')""")]
    [TestCase(Unrelated)]
    [TestCase("""UPDATE "Remotevolume" SET "VerificationCount" = "VerificationCount" + 1""")]
    [TestCase("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('theirs', 5, 1)""")]
    public async Task What_others_commit_beside_what_was_told_does_not_stop_the_write(string theirs)
    {
        await using var db = await OpenAsync();
        Assert.That(await db.GetRemoteVolumesAsync(Limit).CountAsync(), Is.Positive);
        Assert.That(await db.FilesetTimesAsync(Limit).CountAsync(), Is.Positive);
        Assert.That(await db.GetDbOptionsAsync(Limit), Is.Empty);
        Other.Execute(theirs);

        await MarkAsync(db, Volume);
        // What was told is still promised.
        await db.Transaction.CommitAsync();

        Assert.That(StateOf(Volume), Is.EqualTo("Uploaded"));
    }

    [Test]
    public async Task What_was_told_in_an_earlier_transaction_does_not_stop_the_write(
        [Values("commit", "rollback", "COMMIT; BEGIN")] string end
    )
    {
        await using var db = await OpenAsync();
        Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).State, Is.EqualTo(RemoteVolumeState.Verified));
        if (end == "commit")
            await db.Transaction.CommitAsync();
        else if (end == "rollback")
            await db.Transaction.RollBackAsync(Limit);
        else
            db.Connection.Execute(end);
        Assert.That((await db.GetRemoteVolumeAsync(Another, Limit)).Name, Is.EqualTo(Another));
        SetState(Volume, "Deleted");

        await MarkAsync(db, Another);
        await db.Transaction.CommitAsync();

        Assert.That((StateOf(Volume), StateOf(Another)), Is.EqualTo(("Deleted", "Uploaded")));
    }

    [TestCase(Volume, "Deleted", false)]
    [TestCase(Another, "Deleted", true)]
    [TestCase("new", "Uploading", true)]
    public async Task Who_was_told_of_one_volume_writes_unless_that_one_was_changed(string changed, string state, bool writes)
    {
        await using var db = await OpenAsync();
        Assert.That(await db.GetRemoteVolumeIDAsync("unknown", Limit), Is.EqualTo(-1));
        Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).Name, Is.EqualTo(Volume));
        if (changed == "new")
            Other.Execute(
                $"""INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "State", "Size", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime") VALUES (1, 'new', 'Blocks', '{state}', 1, 0, 0, 0, 0)"""
            );
        else
            SetState(changed, state);

        if (!writes)
        {
            Assert.That(() => MarkAsync(db, Volume), IsOutdated);
            return;
        }

        await MarkAsync(db, Volume);
        await db.Transaction.CommitAsync();
        Assert.That(StateOf(Volume), Is.EqualTo("Uploaded"));
        Assert.That(StateOf(changed), Is.EqualTo(state));
    }

    [Test]
    public async Task The_id_of_a_name_that_was_told_is_compared_before_something_is_written([Values] bool isAlone)
    {
        await using var db = await OpenAsync();
        if (isAlone)
            Assert.That(await db.GetRemoteVolumeIDAsync(Volume, Limit), Is.Positive);
        else
            Assert.That(await db.GetRemoteVolumeIDsAsync([Volume], Limit).CountAsync(Limit), Is.EqualTo(1));
        Other.Execute($"""UPDATE "Remotevolume" SET "Name" = 'elsewhere' WHERE "Name" = '{Volume}'""");

        Assert.That(() => MarkAsync(db, Another), IsOutdated);
    }

    [Test]
    public async Task A_test_marks_what_it_was_told_to_test_unless_that_is_gone([Values] bool isGone)
    {
        await using var db = await LocalTestDatabase.CreateAsync(Backup.Path, null, Limit);
        await db.CommitAsync(Limit);
        var targets = await db.SelectTestTargetsAsync(1, new Options([]), Limit).ToListAsync(Limit);
        var target = targets.First(x => x.Name.Contains("dblock", StringComparison.Ordinal)).Name;
        SetState(isGone ? target : Enumerable.Range(0, 9).Select(x => $"v{x}.dblock.zip").First(x => x != target), "Deleting");

        if (isGone)
        {
            Assert.That(() => MarkAsync(db, target), IsOutdated);
            Assert.That(() => db.UpdateVerificationCountAsync(target, Limit), IsOutdated);
            return;
        }

        await MarkAsync(db, target);
        await db.UpdateVerificationCountAsync(target, Limit);
        await db.CommitAsync(Limit);
        Assert.That(StateOf(target), Is.EqualTo("Uploaded"));
    }

    [Test]
    public async Task A_state_that_was_told_in_an_earlier_transaction_is_compared_before_another_is_set(
        [Values] bool isRead,
        [Values("Test", "ListBrokenFiles")] string operation
    )
    {
        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, operation, true, null, Limit);
        Assert.That(await db.GetRemoteVolumesAsync(Limit).CountAsync(), Is.Positive);
        await db.Transaction.CommitAsync();
        SetState(Volume, "Deleted");
        SetState(Another, "Verified");

        await MarkAsync(db, Another);
        if (isRead)
            Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).State, Is.EqualTo(RemoteVolumeState.Deleted));
        else
            Assert.That(() => MarkAsync(db, Volume), OutdatedWith(Volume));
        await db.Transaction.CommitAsync();

        Assert.That(StateOf(Volume), Is.EqualTo("Deleted"));
        Assert.That(StateOf(Another), Is.EqualTo("Uploaded"));
    }

    [Test]
    public async Task A_volume_that_another_has_only_seen_to_be_there_is_as_it_was_told([Values] bool isSeen)
    {
        SetState(Volume, "Uploaded");
        await using var db = await OpenAsync();
        Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).State, Is.EqualTo(RemoteVolumeState.Uploaded));
        await db.Transaction.CommitAsync();
        SetState(Volume, isSeen ? "Verified" : "Deleting");

        Task Delete() => db.UpdateRemoteVolumeAsync(Volume, RemoteVolumeState.Deleting, 1, "hash", Limit);
        if (isSeen)
            await Delete();
        else
            Assert.That(Delete, OutdatedWith(Volume));
    }

    [Test]
    public async Task A_state_that_was_set_on_this_connection_is_no_change_by_another()
    {
        await using var db = await LocalDeleteDatabase.CreateAsync(Backup.Path, "Delete", null, Limit);
        var lists = new Dictionary<long, string>();
        foreach (var (id, _) in await db.FilesetTimesAsync(Limit).ToListAsync(Limit))
            lists.Add(id, (await db.GetRemoteVolumeFromFilesetIDAsync(id, Limit)).Name);
        var oldest = (await db.FilesetTimesAsync(Limit).LastAsync(Limit)).Value;
        var dropped = await db.DropFilesetsFromTableAsync([oldest], Limit).ToListAsync(Limit);
        await db.CommitAsync(Limit);
        Other.Execute(Unrelated);

        await db.UpdateRemoteVolumeAsync(dropped[0].Key, RemoteVolumeState.Deleted, -1, null, true, Limit);
        await db.CommitAsync(Limit);

        Assert.That(lists.Values, Does.Contain(dropped[0].Key));
        Assert.That(StateOf(dropped[0].Key), Is.EqualTo("Deleted"));
    }

    [Test]
    public async Task What_cannot_be_asked_again_stops_every_write_but_those_of_the_history([Values] bool commits)
    {
        await using var db = await OpenAsync();
        Assert.That(await db.GetBlocksLargerThanAsync(0, Limit), Is.Positive);
        Other.Execute("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('theirs', 5, 1)""");

        await db.LogRemoteOperationAsync("get", "x", null, Limit);
        await db.LogMessageAsync("Warning", "y", null, Limit);
        Assert.That(() => MarkAsync(db, Volume), IsOutdated);
        if (commits)
            await db.Transaction.CommitAsync();
        else
            await db.Transaction.RollBackAsync(default(CancellationToken));

        AssertHistory();
        await MarkAsync(db, Volume);
        await db.Transaction.CommitAsync();
        Assert.That(StateOf(Volume), Is.EqualTo("Uploaded"));
        // What a rollback has taken back is not made up by the next commit.
        AssertHistory();

        void AssertHistory()
        {
            Assert.That(Scalar("""SELECT COUNT(*) FROM "RemoteOperation" WHERE "Path" = 'x'"""), Is.EqualTo(commits ? "1" : "0"));
            Assert.That(Scalar("""SELECT COUNT(*) FROM "LogData" WHERE "Message" = 'y'"""), Is.EqualTo(commits ? "1" : "0"));
        }
    }

    [Test]
    public async Task A_lock_that_is_held_by_one_who_commits_is_waited_for_and_then_the_write_fails_at_once()
    {
        await using var db = await OpenAsync();
        Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).State, Is.EqualTo(RemoteVolumeState.Verified));
        Other.Execute("BEGIN IMMEDIATE");
        SetState(Volume, "Deleted");
        var write = Task.Run(() => MarkAsync(db, Volume));
        Other.Execute("COMMIT");

        Assert.That(async () => await write, IsOutdated);
        Assert.That(StateOf(Volume), Is.EqualTo("Deleted"));
    }

    [Test]
    public async Task What_a_bare_command_has_read_is_promised_as_well()
    {
        await using var db = await OpenAsync();
        using var command = db.Connection.CreateCommand();
        command.CommandText = """SELECT COUNT(*) FROM "Block" """;
        Assert.That(command.ExecuteScalar(), Is.Positive);
        Other.Execute("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('theirs', 5, 1)""");

        Assert.That(() => MarkAsync(db, Volume), IsOutdated);
    }

    [Test]
    public async Task Operations_that_write_begin_one_after_the_other_and_those_that_read_at_once()
    {
        await using var first = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        var second = LocalDeleteDatabase.CreateAsync(Backup.Path, "Delete", null, Limit);
        await using (var list = await LocalListDatabase.CreateAsync(Backup.Path, null, Limit))
            Assert.That(await list.FilesetTimesAsync(Limit).CountAsync(), Is.EqualTo(RandomBackup.Versions));
        await using (var broken = await LocalListBrokenFilesDatabase.CreateAsync(Backup.Path, null, Limit))
            Assert.That(await broken.GetBrokenFilesetsAsync(new DateTime(0), null, Limit).CountAsync(), Is.Zero);
        await first.RegisterRemoteVolumeAsync("first", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, Limit);
        Assert.That(second.IsCompleted, Is.False);

        await first.CommitAsync(Limit);

        await using var opened = await second;
        Assert.That(await opened.GetRemoteVolumeIDAsync("first", Limit), Is.Positive, "it works on what the first one has committed");
    }

    [Test]
    public async Task Waiting_to_begin_can_be_cancelled_and_leaves_nothing()
    {
        await using var first = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        using var source = new CancellationTokenSource();
        var second = LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), source.Token);
        await source.CancelAsync();

        Assert.That(async () => await second, Throws.InstanceOf<OperationCanceledException>());
        await first.CommitAsync(Limit);
        Assert.That(Scalar("""SELECT COUNT(*) FROM "Operation" WHERE "Description" = 'Backup' AND "Timestamp" > 1"""), Is.EqualTo("1"));
    }

    [Test]
    [Contract("A 1.2 operation row")]
    public async Task An_operation_that_is_disposed_without_a_commit_leaves_no_row_and_one_rolled_back_is_recorded_with_its_commit(
        [Values("Backup", "List", "list-remote", "Anything")] string operation
    )
    {
        await using (await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, operation, true, null, Limit)) { }

        Assert.That(Recorded(operation), Is.EqualTo("0"));
        await using (var db = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, operation, true, null, Limit))
        {
            await db.Transaction.RollBackAsync(default(CancellationToken));
            await db.LogMessageAsync("Warning", "mine", null, Limit);
            await db.CommitAsync(Limit);
        }

        Assert.That(Recorded(operation), Is.EqualTo("1"));
        Assert.That(
            Scalar("""SELECT COUNT(*) FROM "LogData" JOIN "Operation" ON "Operation"."ID" = "OperationID" WHERE "Message" = 'mine'"""),
            Is.EqualTo("1")
        );
    }

    [Test]
    [Contract("A 1.2 operation row")]
    public async Task An_operation_whose_transaction_is_ended_without_the_layer_is_recorded_once([Values] bool commits)
    {
        await using (var db = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, "Backup", true, null, Limit))
        {
            if (commits)
            {
                db.Connection.Execute("COMMIT; BEGIN");
                await db.Transaction.RollBackAsync(default(CancellationToken));
            }
            else
            {
                db.Transaction.Transaction.Rollback();
                db.Session.Connection.Execute("BEGIN");
            }

            await db.LogMessageAsync("Warning", "mine", null, Limit);
            if (commits)
                await db.CommitAsync(Limit);
            else
                db.Session.Connection.Execute("COMMIT");
        }

        Assert.That(Recorded("Backup"), Is.EqualTo("1"));
        Assert.That(
            Scalar("""SELECT COUNT(*) FROM "LogData" JOIN "Operation" ON "Operation"."ID" = "OperationID" WHERE "Message" = 'mine'"""),
            Is.EqualTo("1")
        );
    }

    [Test]
    public async Task The_row_of_an_operation_is_nothing_to_commit_by_itself_and_hides_no_change()
    {
        await using (var alone = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, "Backup", true, null, Limit))
        {
            Assert.That(alone.Session.Statements.HasUncommittedWrites, Is.True);
            Assert.That(alone.Session.HasNothingToCommit, Is.True);
        }

        await using var db = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, "List", true, null, Limit);
        await db.Session.ShortAsync(
            session =>
            {
                session.Run("""UPDATE "Remotevolume" SET "VerificationCount" = 7""");
                session.Operation!.Flush();
            },
            Limit
        );
        Assert.That(db.Session.HasNothingToCommit, Is.False);
    }

    [Test]
    public async Task Who_locks_first_is_told_what_stays_so([Values] bool isBare)
    {
        await using var db = await OpenAsync();
        db.Session.LocksFirst = true;
        if (isBare)
            Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM "Block" """), Is.Not.EqualTo("0"));
        else
            Assert.That(await db.GetBlocksLargerThanAsync(0, Limit), Is.Positive);

        Assert.That(TryExecute("""DELETE FROM "Block" """), Is.False);
    }

    [Test]
    public async Task What_a_backup_is_told_behind_the_end_by_a_bare_statement_stays_so([Values("COMMIT", "ROLLBACK")] string end)
    {
        await using var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, Limit), Is.EqualTo(-1));
        db.Connection.Execute($"{end}; BEGIN");
        Assert.That(await db.FindBlockIDAsync(SampleDatabase.Hash("theirs"), 5, Limit), Is.EqualTo(-1));

        Assert.That(TryExecute(Unrelated), Is.False);
    }

    [Test]
    public async Task What_another_commits_between_the_comparison_and_the_write_is_compared_again()
    {
        await using var db = await OpenAsync();
        Assert.That(await db.FilesetTimesAsync(Limit).CountAsync(Limit), Is.EqualTo(RandomBackup.Versions));
        var transactions = db.Session.TransactionCount;
        Other.Execute(Unrelated);
        var isDone = false;
        // Told before a statement runs, so that it has seen nothing yet.
        raw.sqlite3_trace(
            db.Session.Connection.Handle,
            (object _, string _) =>
                isDone = isDone || (db.Session.TransactionCount != transactions && TryExecute("""DELETE FROM "Fileset" """)),
            null
        );

        Assert.That(() => MarkAsync(db, Volume), IsOutdated);
        Assert.That(isDone, Is.True);
    }

    [Test]
    public async Task A_backup_whose_volume_was_removed_as_left_over_adds_nothing_more(
        [Values("block", "find", "file", "known", "fileset", "volume", "link", "removal", "mark")] string what,
        [Values] bool rollsBack
    )
    {
        await using var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        var volume = await db.RegisterRemoteVolumeAsync("mine", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, Limit);
        var list = await db.RegisterRemoteVolumeAsync("my list", RemoteVolumeType.Files, RemoteVolumeState.Temporary, Limit);
        await db.CreateFilesetAsync(list, DateTime.UnixEpoch.AddDays(30_000), Limit);
        await db.CommitAsync(Limit);
        Other.Execute("""DELETE FROM "Remotevolume" WHERE "Name" = 'mine'""");

        for (var i = 0; i < 2; i++)
        {
            Assert.That(() => AddAsync(db, what, volume), IsOutdated, $"try {i}");
            if (rollsBack)
                await db.Transaction.RollBackAsync(default(CancellationToken));
        }

        Assert.That(Scalar("""SELECT COUNT(*) FROM "Block" WHERE "VolumeID" NOT IN (SELECT "ID" FROM "Remotevolume")"""), Is.EqualTo("0"));
    }

    [Test]
    public async Task A_volume_that_is_no_longer_being_made_may_be_removed_by_others(
        [Values(
            "uploaded",
            "renamed and uploaded",
            "removed",
            "unlinked",
            "rolled back",
            "deleted by a bare command",
            "deleted by a bare command before another is told"
        )]
            string how
    )
    {
        await using var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        await db.CommitAsync(Limit);
        await db.RegisterRemoteVolumeAsync("mine", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, Limit);
        if (how != "rolled back")
            await db.CommitAsync(Limit);
        switch (how)
        {
            case "uploaded":
                await db.UpdateRemoteVolumeAsync("mine", RemoteVolumeState.Uploaded, 1, "hash", Limit);
                break;
            case "renamed and uploaded":
                await db.RenameRemoteFileAsync("mine", "mine too", Limit);
                await db.UpdateRemoteVolumeAsync("mine too", RemoteVolumeState.Uploaded, 1, "hash", Limit);
                break;
            case "removed":
                await db.RemoveRemoteVolumesAsync(["mine"], Limit);
                break;
            case "unlinked":
                await db.UnlinkRemoteVolumeAsync("mine", RemoteVolumeState.Temporary, Limit);
                break;
            case "rolled back":
                await db.Transaction.RollBackAsync(default(CancellationToken));
                break;
            default:
                db.Connection.Execute("""DELETE FROM "Remotevolume" WHERE "Name" = 'mine'""");
                if (how.EndsWith("told", StringComparison.Ordinal))
                    Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).Name, Is.EqualTo(Volume));
                break;
        }

        await db.CommitAsync(Limit);
        Other.Execute("""DELETE FROM "Remotevolume" WHERE "Name" LIKE 'mine%'""");
        Other.Execute(Unrelated);

        await db.RegisterRemoteVolumeAsync("next", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, Limit);
        await db.CommitAsync(Limit);
        Assert.That(StateOf("next"), Is.EqualTo("Temporary"));
    }

    [Test]
    public async Task A_volume_that_is_being_made_is_so_under_its_new_name()
    {
        await using var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        await db.RegisterRemoteVolumeAsync("mine", RemoteVolumeType.Blocks, RemoteVolumeState.Uploading, Limit);
        await db.RenameRemoteFileAsync("mine", "mine too", Limit);
        await db.CommitAsync(Limit);
        Other.Execute("""DELETE FROM "Remotevolume" WHERE "Name" = 'mine too'""");

        Assert.That(
            () => db.RegisterRemoteVolumeAsync("next", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, Limit),
            OutdatedWith("mine too")
        );
    }

    [Test]
    public async Task A_state_that_was_taken_back_or_changed_by_a_bare_command_is_none_that_was_told([Values] bool isBare)
    {
        await using var db = await OpenAsync();
        if (isBare)
        {
            Assert.That((await db.GetRemoteVolumeAsync(Volume, Limit)).State, Is.EqualTo(RemoteVolumeState.Verified));
            db.Connection.Execute($"""UPDATE "Remotevolume" SET "State" = 'Deleting' WHERE "Name" = '{Volume}'""");
            await db.Transaction.CommitAsync();
            Assert.That((await db.GetRemoteVolumeAsync(Another, Limit)).Name, Is.EqualTo(Another));
            await db.Transaction.CommitAsync();
        }
        else
        {
            await db.UpdateRemoteVolumeAsync(Volume, RemoteVolumeState.Deleting, 1, "hash", Limit);
            await db.Transaction.RollBackAsync(default(CancellationToken));
        }

        Other.Execute(Unrelated);

        await MarkAsync(db, Volume);
        await db.Transaction.CommitAsync();
        Assert.That(StateOf(Volume), Is.EqualTo("Uploaded"));
    }

    [Test]
    public async Task An_id_that_was_told_and_is_that_of_something_else_now_is_not_referred_to(
        [Values("content", "metadata", "file")] string what,
        [Values] bool isOther,
        [Values] bool endsByStatement
    )
    {
        await using var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        var list = await db.RegisterRemoteVolumeAsync("my list", RemoteVolumeType.Files, RemoteVolumeState.Temporary, Limit);
        await db.CreateFilesetAsync(list, DateTime.UnixEpoch.AddDays(30_000), Limit);
        var (_, content) = await db.AddBlocksetAsync(SampleDatabase.Hash("mine"), 0, 100, [], [], Limit);
        var (_, metadata) = await db.AddMetadatasetAsync(SampleDatabase.Hash("mine"), 0, content, null!, Limit);
        var prefix = await db.GetOrCreatePathPrefixAsync("/mine/", Limit);
        await db.AddFileAsync(prefix, "name", DateTime.UnixEpoch, content, metadata, Limit);
        await db.CommitAsync(Limit);
        var previous = (await db.FilesetTimesAsync(Limit).FirstAsync(Limit)).Key;
        var file = (await db.GetFileLastModifiedAsync(prefix, "name", previous, false, Limit)).Item1;
        Assert.That(file, Is.Positive);
        if (endsByStatement)
            db.Connection.Execute("COMMIT; BEGIN");
        else
            await db.CommitAsync(Limit);
        Other.Execute(
            !isOther
                ? Unrelated
                : what switch
                {
                    "content" => $"""UPDATE "Blockset" SET "FullHash" = 'theirs' WHERE "ID" = {content}""",
                    "metadata" =>
                        $"""UPDATE "Blockset" SET "FullHash" = 'theirs' WHERE "ID" = (SELECT "BlocksetID" FROM "Metadataset" WHERE "ID" = {metadata})""",
                    _ => $"""UPDATE "FileLookup" SET "Path" = 'theirs' WHERE "ID" = {file}""",
                }
        );

        Task Add() =>
            what switch
            {
                "content" => db.AddFileAsync(prefix, "another", DateTime.UnixEpoch, content, -1, Limit),
                "metadata" => db.AddFileAsync(prefix, "another", DateTime.UnixEpoch, LocalDatabase.FOLDER_BLOCKSET_ID, metadata, Limit),
                _ => AddKnownAsync(db, file),
            };

        if (isOther)
            Assert.That(Add, IsOutdated);
        else
            await Add();
    }

    [Test]
    public async Task An_id_that_was_told_is_remembered_however_many_rows_are_not_there()
    {
        await using var db = await BeginVersionAsync();
        var (file, path) = await TellOfFileAsync(db);
        for (var i = 0; i < 100; i++)
        {
            Assert.That((await db.GetFileEntryAsync(1, $"missing {i}", 1, Limit)).Item1, Is.Negative);
            Assert.That((await db.GetMetadatasetIDAsync(SampleDatabase.Hash($"missing {i}"), 5, Limit)).Item1, Is.False);
        }

        await db.CommitAsync(Limit);
        Other.Execute($"""UPDATE "FileLookup" SET "Path" = '{path} of theirs' WHERE "ID" = {file}""");

        Assert.That(() => db.AddKnownFileAsync(file, DateTime.UnixEpoch, Limit), IsOutdated);
    }

    [Test]
    public async Task A_file_that_another_has_made_of_an_id_that_was_told_is_not_listed()
    {
        await using var db = await BeginVersionAsync();
        var (_, content) = await db.AddBlocksetAsync(SampleDatabase.Hash("mine"), 0, 100, [], [], Limit);
        await db.CommitAsync(Limit);
        Other.Execute($"""UPDATE "Blockset" SET "FullHash" = 'theirs' WHERE "ID" = {content}""");
        Other.Execute($"""INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (1, 'new', {content}, 1)""");

        Assert.That(() => db.AddFileAsync(1, "new", DateTime.UnixEpoch, content, 1, Limit), IsOutdated);
    }

    [Test]
    public async Task A_version_is_completed_from_one_that_is_there_when_its_entries_are_written()
    {
        await using var db = await BeginVersionAsync();
        var (newest, next) = (PreviousVersion(0), PreviousVersion(1));
        Other.Execute(
            $"""BEGIN IMMEDIATE; DELETE FROM "FilesetEntry" WHERE "FilesetID" = {newest}; DELETE FROM "Fileset" WHERE "ID" = {newest}"""
        );
        OtherCommit.BeforeTheFirstWrite(db, () => Other.Execute("COMMIT"));

        await db.AppendFilesFromPreviousSetAsync(null, Limit);

        Assert.That(Entries(Scalar("""SELECT MAX("ID") FROM "Fileset" """)!), Is.EqualTo(Entries(next)).And.Not.EqualTo("0"));
    }

    [Test]
    public async Task What_others_commit_while_entries_are_chosen_does_not_stop_the_version()
    {
        await using var db = await BeginVersionAsync();
        var others = 0;

        await db.AppendFilesFromPreviousSetWithPredicateAsync(
            (_, _) =>
            {
                if (others++ == 0)
                    TryExecute(Unrelated);
                return false;
            },
            Limit
        );

        Assert.That(others, Is.Positive);
        Assert.That(Entries(Scalar("""SELECT MAX("ID") FROM "Fileset" """)!), Is.EqualTo(Entries(PreviousVersion(0))));
    }

    [Test]
    public async Task A_row_of_the_history_that_waited_is_written_once_where_the_next_one_fails()
    {
        await using var db = await OpenAsync();
        Assert.That(await db.GetBlocksLargerThanAsync(0, Limit), Is.Positive);
        Other.Execute("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('theirs', 5, 1)""");
        await db.LogMessageAsync("Warning", "first", null, Limit);
        await db.LogMessageAsync("Warning", "second", null, Limit);
        var rows = 0;
        db.Session.Statements.Fault = sql =>
            sql.Contains("INTO \"LogData\"", StringComparison.Ordinal) && ++rows == 2 ? ResultCode.Constraint : 0;

        Assert.That(() => db.Transaction.CommitAsync(), Throws.TypeOf<SqliteException>());
        await db.Transaction.CommitAsync();

        Assert.That(Scalar("""SELECT COUNT(*) FROM "LogData" WHERE "Message" = 'first'"""), Is.EqualTo("1"));
        Assert.That(Scalar("""SELECT COUNT(*) FROM "LogData" WHERE "Message" = 'second'"""), Is.EqualTo("0"), "told, so not tried again");
    }

    private async Task<LocalBackupDatabase> BeginVersionAsync()
    {
        var db = await LocalBackupDatabase.CreateAsync(Backup.Path, new Options([]), Limit);
        var list = await db.RegisterRemoteVolumeAsync("my list", RemoteVolumeType.Files, RemoteVolumeState.Temporary, Limit);
        await db.CreateFilesetAsync(list, DateTime.UnixEpoch.AddDays(30_000), Limit);
        await db.CommitAsync(Limit);
        return db;
    }

    // Of those before the one that is made, the newest first.
    private string PreviousVersion(int number) =>
        Scalar(
            $"""SELECT "ID" FROM "Fileset" WHERE "ID" < (SELECT MAX("ID") FROM "Fileset") ORDER BY "Timestamp" DESC LIMIT 1 OFFSET {number}"""
        )!;

    private string Entries(string version) => Scalar($"""SELECT COUNT(*) FROM "FilesetEntry" WHERE "FilesetID" = {version}""")!;

    // False if the lock is held.
    private bool TryExecute(string sql)
    {
        Other.DefaultTimeout = 1;
        try
        {
            Other.Execute(sql);
            return true;
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Busy)
        {
            return false;
        }
    }

    [Test]
    public async Task A_block_that_has_the_id_of_a_missing_one_by_now_is_not_moved()
    {
        await using var db = await OpenAsync();
        await using var repair = await LocalRepairDatabase.CreateAsync(db, null, Limit);
        await using var list = await repair.CreateBlockListAsync(Volume, Limit);
        var target = await db.GetRemoteVolumeIDAsync(Another, Limit);
        await db.Transaction.CommitAsync();
        var lost = Scalar(
                $"""SELECT "ID" || ' ' || "Size" || ' ' || "Hash" FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = '{Volume}') LIMIT 1"""
            )!
            .Split(' ');
        Other.Execute($"""UPDATE "Block" SET "Hash" = 'theirs' WHERE "ID" = {lost[0]}""");

        Assert.That(
            () => list.SetBlockRestoredAsync(lost[2], long.Parse(lost[1], CultureInfo.InvariantCulture), target, Limit),
            Throws.TypeOf<Exception>()
        );
        await db.Transaction.CommitAsync();

        Assert.That(Scalar($"""SELECT COUNT(*) FROM "Block" WHERE "ID" = {lost[0]} AND "VolumeID" = {target}"""), Is.EqualTo("0"));
        Assert.That(Scalar($"""SELECT COUNT(*) FROM "DuplicateBlock" WHERE "BlockID" = {lost[0]}"""), Is.EqualTo("0"));
    }

    [Test]
    public async Task What_was_marked_in_a_version_is_not_taken_out_of_what_the_version_has_become()
    {
        await using var db = await LocalPurgeDatabase.CreateAsync(Backup.Path, null, Limit);
        var (fileset, _) = await db.FilesetTimesAsync(Limit).FirstAsync(Limit);
        await using var temporary = await db.CreateTemporaryFilesetAsync(fileset, Limit);
        await db.Transaction.CommitAsync();
        await temporary.ApplyFilterAsync(new FilterExpression("nothing"), Limit);
        Other.Execute(
            $"""DELETE FROM "FilesetEntry" WHERE "FilesetID" = {fileset} AND "FileID" = (SELECT MAX("FileID") FROM "FilesetEntry" WHERE "FilesetID" = {fileset})"""
        );

        Assert.That(() => temporary.ConvertToPermanentFilesetAsync("list", DateTime.UnixEpoch.AddDays(31_000), true, Limit), IsOutdated);
    }

    [Test]
    public async Task A_replacement_that_another_has_deleted_is_refused_also_where_the_lock_is_waited_for()
    {
        await using var db = await LocalListBrokenFilesDatabase.CreateAsync(Backup.Path, null, Limit);
        Other.Execute("""UPDATE "BlocksetEntry" SET "BlockID" = -5 WHERE "BlocksetID" IN (SELECT "BlocksetID" FROM "Metadataset")""");
        Other.Execute("""INSERT INTO "Blockset" ("ID", "Length", "FullHash") VALUES (4711, 0, 'replacement')""");
        await db.Transaction.CommitAsync();
        var (fileset, _) = await db.FilesetTimesAsync(Limit).FirstAsync(Limit);
        await db.Transaction.CommitAsync();
        Other.Execute("BEGIN IMMEDIATE");
        Other.Execute("""DELETE FROM "Blockset" WHERE "ID" = 4711""");
        var write = Task.Run(() => db.ReplaceMetadataAsync(fileset, 4711, Limit));
        await Task.Delay(TimeSpan.FromMilliseconds(200), Limit);
        Other.Execute("COMMIT");

        Assert.That(() => write, Refused.HelpId("ReplacementMetadataNotUsable"));
        await db.Transaction.CommitAsync();
        Assert.That(Scalar("""SELECT COUNT(*) FROM "Metadataset" WHERE "BlocksetID" = 4711"""), Is.EqualTo("0"));
    }

    [Test]
    public async Task That_a_version_would_be_purged_of_all_files_is_told()
    {
        await using var db = await LocalPurgeDatabase.CreateAsync(Backup.Path, null, Limit);
        var (fileset, _) = await db.FilesetTimesAsync(Limit).FirstAsync(Limit);
        await using var temporary = await db.CreateTemporaryFilesetAsync(fileset, Limit);
        await db.Transaction.CommitAsync();
        Assert.That(() => temporary.ApplyFilterAsync(new FilterExpression("*"), Limit), Refused.HelpId("PurgeWouldRemoveEntireFileset"));
        Other.Execute("""INSERT INTO "Block" ("Hash", "Size", "VolumeID") VALUES ('theirs', 5, 1)""");

        Assert.That(() => MarkAsync(db, Volume), IsOutdated);
    }

    // A file of the newest version, and its name.
    private async Task<(long Id, string Path)> TellOfFileAsync(LocalBackupDatabase db)
    {
        var row = Scalar(
                $"""SELECT "PrefixID" || ' ' || "Path" FROM "FileLookup" WHERE "BlocksetID" > 0 AND "ID" IN (SELECT "FileID" FROM "FilesetEntry" WHERE "FilesetID" = {PreviousVersion(0)}) LIMIT 1"""
            )!
            .Split(' ');
        var prefix = long.Parse(row[0], CultureInfo.InvariantCulture);
        var version = long.Parse(PreviousVersion(0), CultureInfo.InvariantCulture);
        return ((await db.GetFileEntryAsync(prefix, row[1], version, Limit)).Item1, row[1]);
    }

    private static async Task AddKnownAsync(LocalBackupDatabase db, long file)
    {
        var list = await db.RegisterRemoteVolumeAsync(
            "next list",
            RemoteVolumeType.Files,
            RemoteVolumeState.Temporary,
            CancellationToken.None
        );
        await db.CreateFilesetAsync(list, DateTime.UnixEpoch.AddDays(31_000), default);
        await db.AddKnownFileAsync(file, DateTime.UnixEpoch, default);
    }

    private Task AddAsync(LocalBackupDatabase db, string what, long volume) =>
        what switch
        {
            "block" => db.AddBlockAsync(SampleDatabase.Hash("new"), 5, volume, Limit),
            "find" => db.FindBlockIDAsync(SampleDatabase.Hash("new"), 5, Limit),
            "file" => db.AddFileAsync(1, "new", DateTime.UnixEpoch, 1, 1, Limit),
            "known" => db.AddKnownFileAsync(1, DateTime.UnixEpoch, Limit),
            "fileset" => db.CreateFilesetAsync(volume, DateTime.UnixEpoch.AddDays(31_000), Limit),
            "volume" => db.RegisterRemoteVolumeAsync("another", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, Limit),
            "link" => db.AddIndexBlockLinkAsync(volume, volume, Limit),
            "removal" => db.RemoveRemoteVolumesAsync([Another], Limit),
            _ => MarkAsync(db, Another),
        };

    private static Constraint OutdatedWith(string text) => Refused.Engine(ResultCode.Busy, 517, text);

    private async Task<LocalDatabase> OpenAsync()
    {
        var db = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Path, "Test", true, null, Limit);
        await db.CommitAsync(Limit);
        // For ever.
        db.Session.Connection.DefaultTimeout = 0;
        return db;
    }

    private Task MarkAsync(LocalDatabase db, string name) => db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Uploaded, 1, "hash", Limit);

    private void SetState(string name, string state) =>
        Other.Execute($"""UPDATE "Remotevolume" SET "State" = '{state}' WHERE "Name" = '{name}'""");

    private string? StateOf(string name) => Scalar($"""SELECT "State" FROM "Remotevolume" WHERE "Name" = '{name}'""");

    private string? Recorded(string operation) =>
        Scalar($"""SELECT COUNT(*) FROM "Operation" WHERE "Description" = '{operation}' AND "Timestamp" > 1""");

    private string? Scalar(string sql) => Other.Scalar(sql);
}
