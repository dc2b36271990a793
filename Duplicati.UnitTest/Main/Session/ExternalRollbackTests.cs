// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Session;

/// <summary>
/// A caller's own statement fails and makes the engine roll back. What members had accepted before is gone, which the next one must say,
/// because the caller may have kept it to himself; and what they write after that must be in a transaction, not durable row by row. The
/// same holds after the transaction's end for good.
/// </summary>
[TestFixture]
internal sealed class ExternalRollbackTests : BackupTestBase
{
    private static readonly Dictionary<string, Func<BackupFixture, Task>> s_members = new()
    {
        ["short"] = backup =>
            backup.Database.RegisterRemoteVolumeAsync("later", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default),
        ["long"] = backup => backup.Database.UpdateRemoteVolumeAsync("first", RemoteVolumeState.Verified, 7, "hash", default),
        ["row"] = async backup => await backup.Database.AddBlockAsync(BlockFixture.Hash(9), 10, backup.VolumeId, default),
        ["message"] = backup => backup.Database.LogMessageAsync("Error", "text", null, default),
    };

    // What has a temporary table of its own.
    private static readonly Dictionary<string, Func<LocalDatabase, Task<IAsyncDisposable>>> s_helpers = new()
    {
        ["comparison"] = async db => await (await LocalTestDatabase.CreateAsync(db, null, default)).CreateFilelistAsync("first", default),
        ["fileset"] = async db => await (await LocalPurgeDatabase.CreateAsync(db, null, default)).CreateTemporaryFilesetAsync(1, default),
        ["names"] = async db =>
            await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(db, new FilterExpression(), default),
    };

    private static IEnumerable<string> Members => s_members.Keys;

    private static IEnumerable<string> Helpers => s_helpers.Keys;

    [TestCaseSource(nameof(Members))]
    public async Task The_next_member_says_so_and_what_the_one_after_it_writes_is_not_durable_before_the_commit(string member)
    {
        await Backup.AddVolumeAsync("first", RemoteVolumeType.Blocks);
        await Db.CommitAsync(default);
        var before = Committed(Backup);
        RollBackByConflict(Backup);

        Assert.That(() => s_members[member](Backup), Throws.InvalidOperationException);
        await s_members[member](Backup);
        Assert.That(Db.Session.Statements.IsAutoCommit, Is.False, "a transaction is open");
        Assert.That(Committed(Backup), Is.EqualTo(before));

        await Db.CommitAsync(default);
        Assert.That(Committed(Backup), Is.Not.EqualTo(before));
    }

    [TestCase("")]
    [TestCase("COMMIT; BEGIN")]
    public async Task What_was_accepted_before_is_not_committed_in_part(string begin)
    {
        Backup.Execute(begin);
        await AddBlocksAsync(Backup);
        RollBackByConflict(Backup);

        Assert.That(() => Db.CommitAsync(default), Throws.InvalidOperationException, "nobody has been told");
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
        await AddBlocksAsync(Backup);
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(3));
    }

    [Test]
    public async Task Nothing_is_durable_alone_in_place_of_a_transaction_that_a_statement_has_begun()
    {
        Backup.Execute("COMMIT; BEGIN");
        RollBackByConflict(Backup);

        Assert.That(() => AddBlocksAsync(Backup), Throws.InvalidOperationException);
        await AddBlocksAsync(Backup);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.Zero);
    }

    [Test]
    [Contract("A 1.2 rebinding")]
    public async Task A_command_that_is_bound_again_does_not_hide_it_from_the_next_member()
    {
        await AddBlocksAsync(Backup);
        RollBackByConflict(Backup);
        using var command = Db.Connection.CreateCommand();

        command.SetTransaction(Db.Transaction);
        Assert.That(Db.Session.Statements.IsAutoCommit, Is.False, "a transaction is open");
        Assert.That(() => Db.CommitAsync(default), Throws.InvalidOperationException, "nobody has been told");
        await AddBlocksAsync(Backup);
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(3));
    }

    [Test]
    public async Task Who_disposes_of_a_temporary_table_leaves_the_notice_to_the_next_member(
        [ValueSource(nameof(Helpers))] string helper,
        [Values] bool isKept
    )
    {
        var table = await s_helpers[helper](Db);
        if (isKept)
            await Db.CommitAsync(default);
        await Backup.AddVolumeAsync("lost", RemoteVolumeType.Blocks);
        RollBackByConflict(Backup);

        await table.DisposeAsync();

        Assert.That(() => Db.CommitAsync(default), Throws.InvalidOperationException, "nobody has been told");
        await Backup.AddVolumeAsync("later", RemoteVolumeType.Blocks);
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Remotevolume" WHERE "Name" IN ('lost', 'later')"""), Is.EqualTo(1));
    }

    [Test]
    public async Task No_member_of_any_API_type_writes_outside_of_a_transaction([Values] bool hasEnded)
    {
        var any = new AnyMember(LongRun.Seed());
        var wrong = new List<string>();
        for (var i = 0; i < 6; i++)
            await Backup.AddFileAsync($"/a{i}", i);
        await Db.CommitAsync(default);
        foreach (var (name, open) in ExternalThreads.ApiTypes())
        {
            var path = Path.Combine(Path.GetDirectoryName(Backup.Path)!, name + ".sqlite");
            File.Copy(Backup.Path, path);
            using var observer = Databases.Open(path);
            MethodInfo[] members;
            await using (var owner = await LocalDatabase.CreateLocalDatabaseAsync(path, "List", true, null, default))
            await using (var db = await open(path, owner))
                members = [.. AnyMember.Of(db.GetType()).Where(x => x.Name != nameof(LocalDatabase.VacuumAsync))];
            foreach (var member in members)
            {
                await using var owner = await LocalDatabase.CreateLocalDatabaseAsync(path, "List", true, null, default);
                await using var db = await open(path, owner);
                if (hasEnded)
                    await db.Transaction.RollBackAsync("end", false, default);
                else
                    RollBackByConflict(db);
                var before = observer.Scalar("PRAGMA data_version");
                try
                {
                    await any.CallAsync(db, member);
                }
                catch (Exception)
                {
                    // Arguments are random: what matters is what is durable afterwards.
                }

                if (db.Session.Statements.IsAutoCommit && observer.Scalar("PRAGMA data_version") != before)
                    wrong.Add($"{name}.{member.Name}");
            }
        }

        Assert.That(string.Join(" ", wrong), Is.Empty);
    }

    [Test]
    public async Task A_rollback_is_all_that_has_to_be_done([Values] bool isBoundAgain)
    {
        await AddBlocksAsync(Backup);
        RollBackByConflict(Backup);
        using var command = Db.Connection.CreateCommand();
        if (isBoundAgain)
            command.SetTransaction(Db.Transaction);

        await Db.Transaction.RollBackAsync(default(CancellationToken));
        await AddBlocksAsync(Backup);
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(3));
    }

    [Test]
    public async Task Who_rolls_back_the_transaction_that_was_handed_out_knows_it()
    {
        await AddBlocksAsync(Backup);
        Db.Transaction.Transaction.Rollback();
        Assert.That(() => AddBlocksAsync(Backup), Throws.Nothing);
    }

    [TestCase("COMMIT")]
    [TestCase("-- done\nCOMMIT")]
    public async Task Who_commits_by_a_statement_may_begin_the_next_transaction(string commit)
    {
        Backup.Execute(commit);
        await AddBlocksAsync(Backup);
        Backup.Execute("BEGIN");
        await Db.CommitAsync(default);
        Assert.That(Backup.Committed("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(3));
    }

    private static async Task AddBlocksAsync(BackupFixture backup)
    {
        for (var i = 0; i < 3; i++)
            Assert.That(await backup.Database.AddBlockAsync(BlockFixture.Hash(i), 10, backup.VolumeId, default), Is.True);
    }

    private static void RollBackByConflict(BackupFixture backup) => RollBackByConflict(backup.Database);

    private static void RollBackByConflict(LocalDatabase database)
    {
        Assert.That(
            () => database.Connection.Execute("""INSERT OR ROLLBACK INTO "Configuration" ("Key", "Value") VALUES ('a', ''), ('a', '')"""),
            Throws.TypeOf<SqliteException>()
        );
        Assert.That(database.Session.Statements.IsAutoCommit, Is.True, "the engine has rolled back");
    }

    private static string Committed(BackupFixture backup)
    {
        string[] tables = ["Remotevolume", "Block", "Blockset", "BlocksetEntry", "LogData", "Operation"];
        var counts = tables.Select(table => backup.Committed($"""SELECT COUNT(*) FROM "{table}" """));
        return string.Join(' ', counts) + ' ' + backup.Committed("""SELECT SUM("Size") FROM "Remotevolume" """);
    }
}
