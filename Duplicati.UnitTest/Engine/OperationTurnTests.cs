// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine;

/// <summary>Operations that change a backup come one after the other.</summary>
[TestFixture]
internal sealed class OperationTurnTests : FolderTestBase
{
    private string Database => Folder.File("backup.sqlite");

    [Test]
    public async Task Of_many_that_want_it_one_at_a_time_has_the_turn()
    {
        var (inside, most) = (0, 0);
        await Parallel.ForAsync(
            0,
            60,
            new ParallelOptions { MaxDegreeOfParallelism = 6 },
            async (_, token) =>
            {
                using var turn = await OperationTurn.TakeAsync(Database, SilentProgress.Instance, token);
                var now = Interlocked.Increment(ref inside);
                if (now > most)
                    most = now;
                await Task.Yield();
                Interlocked.Decrement(ref inside);
            }
        );
        Assert.That(most, Is.EqualTo(1));
        Assert.That(Folder.Files(), Is.Empty, "nothing is left beside the database");
    }

    [Test]
    public async Task A_wait_is_announced_once_and_can_be_cancelled()
    {
        var told = new List<string>();
        using var source = new CancellationTokenSource();
        using (await OperationTurn.TakeAsync(Database, SilentProgress.Instance, default))
        {
            var progress = new WarningList { OnMessage = told.Add };
            var waiting = OperationTurn.TakeAsync(Database, progress, source.Token);
            Assert.That(waiting.IsCompleted, Is.False);
            await source.CancelAsync();
            Assert.That(async () => await waiting, Throws.InstanceOf<OperationCanceledException>());
        }

        Assert.That(told, Has.Count.EqualTo(1));
        Assert.That(told[0], Does.Contain(Database));
    }

    [Test]
    public async Task A_file_that_a_killed_process_has_left_is_no_turn()
    {
        await File.WriteAllTextAsync(Database + OperationTurn.Suffix, "left");
        var turn = OperationTurn.TakeAsync(Database, SilentProgress.Instance, default);
        Assert.That(turn.IsCompletedSuccessfully, Is.True);
        (await turn).Dispose();
    }

    [Test]
    [Platform(Exclude = "Win")]
    public async Task Through_a_link_to_the_database_the_turn_is_the_same()
    {
        var link = Folder.File("link.sqlite");
        File.CreateSymbolicLink(link, Database);
        using var source = new CancellationTokenSource();
        using (await OperationTurn.TakeAsync(Database, SilentProgress.Instance, default))
        {
            var waiting = OperationTurn.TakeAsync(link, SilentProgress.Instance, source.Token);
            Assert.That(waiting.IsCompleted, Is.False);
            await source.CancelAsync();
            Assert.That(async () => await waiting, Throws.InstanceOf<OperationCanceledException>());
        }
    }

    [TestCase("delete")]
    [TestCase("purge")]
    [TestCase("label")]
    public async Task A_number_means_the_version_that_had_it_before_the_wait(string operation)
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("file", 5000, 1);
        await backup.BackUpAsync("file", 6000, 2);
        UpgradeOperation.Run(backup.Options.DatabasePath, 20, SilentProgress.Instance, default);
        using var waiting = new ManualResetEventSlim();
        var progress = new WarningList { OnMessage = _ => waiting.Set() };
        Task changing;
        using (await OperationTurn.TakeAsync(backup.Options.DatabasePath, SilentProgress.Instance, default))
        {
            changing = operation switch
            {
                "delete" => new DeleteOperation(backup.Options, progress).RunAsync([1], false, default),
                "purge" => new PurgeOperation(backup.Options, progress).RunAsync(["*file"], [1], default),
                _ => new LabelOperation(backup.Options, progress).RunAsync(1, "label", default),
            };
            Wait.For(waiting, "the wait");
            // As if a backup had come in between.
            backup.Sql("""UPDATE "Fileset" SET "Timestamp" = "Timestamp" + 1000""");
        }

        BackupCase.Refused("VersionsHaveChanged", () => changing);
        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(2));
    }

    [TestCase("upgrade")]
    [TestCase("downgrade")]
    [TestCase("vacuum")]
    public async Task What_changes_the_database_alone_waits_as_well(string operation)
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("file", 5000, 1);
        var path = backup.Options.DatabasePath;
        using var waiting = new ManualResetEventSlim();
        var progress = new WarningList { OnMessage = _ => waiting.Set() };
        Task changing;
        using (await OperationTurn.TakeAsync(path, SilentProgress.Instance, default))
        {
            var before = Databases.VersionOf(path);
            changing = Task.Run(() =>
            {
                if (operation == "upgrade")
                    UpgradeOperation.Run(path, 20, progress, default);
                else if (operation == "downgrade")
                    DowngradeOperation.Run(path, 18, new ShownLosses(), progress, default);
                else
                    VacuumOperation.Run(path, progress, default);
            });
            Wait.For(waiting, "the wait");
            Assert.That(Databases.VersionOf(path), Is.EqualTo(before));
        }

        await changing;
        Assert.That(
            Databases.VersionOf(path),
            Is.EqualTo(
                operation switch
                {
                    "upgrade" => 20,
                    "downgrade" => 18,
                    _ => 19,
                }
            )
        );
    }

    [Test]
    public void Where_there_is_no_folder_the_operation_itself_says_so() =>
        Assert.That(
            () =>
                OperationTurn
                    .TakeAsync(Folder.File("no/such/backup.sqlite"), SilentProgress.Instance, default)
                    .GetAwaiter()
                    .GetResult()
                    .Dispose(),
            Throws.Nothing
        );
}
