// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>What survives when the owner is disposed without a commit: nothing, unless a member is listed as committing.</summary>
public sealed class TransactionTests : LocalDatabaseTestBase
{
    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.All))]
    [Contract("A 1.2 committing members")]
    public async Task Earlier_work_survives_a_disposal_only_after_a_member_that_commits(bool commits, Func<object, Task> call)
    {
        await Db.RegisterRemoteVolumeAsync("blocks", RemoteVolumeType.Blocks, RemoteVolumeState.Uploaded, default);
        await Db.RegisterRemoteVolumeAsync("list", RemoteVolumeType.Files, RemoteVolumeState.Uploaded, default);
        await Db.CreateFilesetAsync(2, DateTime.UnixEpoch.AddDays(1), default);
        await Db.Transaction.CommitAsync(default);
        await Db.SetDbOptionsAsync(new Dictionary<string, string> { ["marker"] = "1" }, default);

        await call(Db);
        await ReopenAsync();

        Assert.That((await Db.GetDbOptionsAsync(default)).ContainsKey("marker"), Is.EqualTo(commits));
    }

    [Test]
    [Contract("A 1.2 operation row")]
    [Contract("A 13 Q18")]
    public async Task An_object_that_only_reads_leaves_no_operation()
    {
        await Db.GetDbOptionsAsync(default);
        await ListAsync(Db.FilesetTimesAsync(default));
        await ReopenAsync();

        Assert.That(Committed("SELECT COUNT(*) FROM Operation"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 6.15 commit")]
    public async Task A_table_of_matching_paths_alone_records_no_operation()
    {
        await (
            await LocalDatabase.FilteredFilenameTable.CreateFilteredFilenameTableAsync(Db, new FilterExpression("*"), default)
        ).DisposeAsync();
        await ReopenAsync();

        Assert.That(Committed("SELECT COUNT(*) FROM Operation"), Is.EqualTo("0"));
    }

    [TestCase("commit")]
    [TestCase("rollback")]
    [TestCase("disposal")]
    [Contract("A 5.6 restart false")]
    [Contract("A 6.11 VacuumAsync")]
    public async Task After_the_end_of_the_transaction_members_fail_and_nothing_commits_by_itself(string end)
    {
        await using var child = await LocalDeleteDatabase.CreateAsync(Db, null, default);
        await Db.RegisterRemoteVolumeAsync("list", RemoteVolumeType.Files, RemoteVolumeState.Uploaded, default);
        await Db.CommitAsync(default);
        await EndAsync(end);

        Assert.That(
            () => Db.RegisterRemoteVolumeAsync("later", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default),
            Throws.InvalidOperationException
        );
        Assert.That(
            () => child.RegisterRemoteVolumeAsync("later", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default),
            Throws.InvalidOperationException
        );
        Assert.That(() => Db.RenameRemoteFileAsync("list", "renamed", default), Throws.InvalidOperationException);
        Assert.That(() => Db.RepairInProgressAsync(default, true), Throws.InvalidOperationException);
        Assert.That(() => Db.GetOrCreatePathPrefixAsync("/later/", default), Throws.InvalidOperationException);
        Assert.That(() => Db.GetRemoteVolumeIDAsync("list", default), Throws.InvalidOperationException);
        Assert.That(
            Committed(
                """SELECT (SELECT group_concat("Name") FROM "Remotevolume") || (SELECT COUNT(*) FROM "Configuration") || (SELECT COUNT(*) FROM "PathPrefix" WHERE "Prefix" = '/later/')"""
            ),
            Is.EqualTo("list00")
        );
        Assert.That(() => Db.VacuumAsync(default), Throws.Nothing);
    }

    [TestCase("rollback")]
    [TestCase("disposal")]
    [Contract("A 1.2 operation row")]
    public async Task Handing_out_the_connection_after_the_end_of_the_transaction_records_no_operation(string end)
    {
        await EndAsync(end);
        Assert.That(Scalar("SELECT 1"), Is.EqualTo("1"));
        await ReopenAsync();

        Assert.That(Committed("SELECT COUNT(*) FROM Operation"), Is.EqualTo("0"));
    }

    [Test]
    [Contract("A 1.2 deferred")]
    public async Task Reading_works_while_another_connection_holds_the_write_lock()
    {
        using var other = await OpenAsync("Other");
        await other.SetDbOptionsAsync(new Dictionary<string, string> { ["x"] = "y" }, default);

        Assert.That(await Db.GetDbOptionsAsync(default), Is.Empty);
        Assert.That(await ListAsync(Db.GetRemoteVolumesAsync(default)), Is.Empty);
    }

    private Task EndAsync(string end) =>
        end switch
        {
            "commit" => Db.Transaction.CommitAsync("end", false, default),
            "rollback" => Db.Transaction.RollBackAsync("end", false, default),
            _ => Db.Transaction.DisposeAsync().AsTask(),
        };
}
