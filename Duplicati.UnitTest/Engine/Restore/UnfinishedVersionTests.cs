// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Engine.Restore;

/// <summary>
/// A version of a backup that runs, was killed or was stopped is not restored for the newest one, unless somebody asks for it.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class UnfinishedVersionTests : BackupTestBase
{
    [SetUp]
    public void SetUp()
    {
        Backup = new BackupCase(x => x with { Parallelism = 1 });
        for (var i = 0; i < 6; i++)
            SourceTree.Write(Backup.Source, $"folder/{i}", 30_000, new Random(i));
    }

    [Test]
    public async Task The_newest_complete_version_is_restored_unless_another_one_is_asked_for()
    {
        await Backup.BackUpAsync();
        var whole = await Backup.RestoredAsync(0);
        await InterruptAsync();

        var report = await Backup.RestoreAsync(Backup.File("newest"), new RestoreChoices());
        Assert.That((report.Version, report.IsFull, report.Failed.Count), Is.EqualTo((1L, true, 0)));
        Assert.That(SourceTree.Describe(Backup.File("newest")), Is.EqualTo(whole));
        Assert.That(Backup.Warnings.Texts, Has.One.Contains("--version 0 takes the partial one"));

        report = await Backup.RestoreAsync(Backup.File("asked by number"), new RestoreChoices { Versions = [0] });
        Assert.That((report.Version, report.IsFull), Is.EqualTo((0L, false)));
        Assert.That(Backup.Warnings.Texts, Has.One.EndsWith("Only what it holds is restored"));

        report = await Backup.RestoreAsync(Backup.File("asked by time"), new RestoreChoices { Time = DateTime.UtcNow.AddDays(1) });
        Assert.That((report.Version, report.IsFull), Is.EqualTo((0L, false)));
        Assert.That(Backup.Warnings.Texts, Has.Exactly(2).EndsWith("Only what it holds is restored"));
    }

    [Test]
    public async Task The_only_version_is_restored_with_a_warning_and_an_exit_code_if_nobody_asked_for_it()
    {
        await InterruptAsync();
        string[] restore = ["restore", Backup.Remote, "--dbpath", Backup.Options.DatabasePath, "--no-encryption", "--json"];
        var run = await ToolRun.RunAsync([.. restore, "--target", Backup.File("target")]);
        Assert.That((run.Code, run.Flag("isFull")), Is.EqualTo((1, false)), run.Error);
        Assert.That(run.Error, Does.Contain("is partial"));
    }

    [Test]
    public async Task Without_a_database_a_partial_list_is_passed_over_as_well()
    {
        await Backup.BackUpAsync();
        var whole = await Backup.RestoredAsync(0);
        await Backup.BackUpAsync("folder/new", 3000, 9);
        await FilelistCopy.RewriteAsync(Backup.Volumes("dlist")[^1], isFull: false);

        string[] restore = ["restore", Backup.Remote, "--no-database", "--no-encryption", "--json"];
        var run = await ToolRun.RunAsync([.. restore, "--target", Backup.File("newest")]);
        Assert.That((run.Code, run.Number("version"), run.Flag("isFull")), Is.EqualTo((0, 1L, true)), run.Error);
        Assert.That(SourceTree.Describe(Backup.File("newest")), Is.EqualTo(whole));
        Assert.That(run.Error, Does.Contain("--version 0 takes the partial one"));

        run = await ToolRun.RunAsync([.. restore, "--target", Backup.File("asked"), "--version", "0"]);
        Assert.That((run.Code, run.Number("version"), run.Flag("isFull")), Is.EqualTo((0, 0L, false)), run.Error);
        Assert.That(run.Error, Does.Contain("Only what it holds is restored"));
    }

    // A database of each would take as long as a recreate.
    [Test]
    public async Task Without_a_database_partial_lists_are_passed_over_without_a_database_of_each([Values] bool isAnyWhole)
    {
        const int Partial = 4;
        for (var i = 0; i <= Partial; i++)
            await Backup.BackUpAsync("folder/new", 3000, 9 + i);
        var chosen = isAnyWhole ? Partial : 0;
        var expected = await Backup.RestoredAsync(chosen);
        var lists = Backup.Volumes("dlist");
        foreach (var list in lists[(isAnyWhole ? 1 : 0)..])
            await FilelistCopy.RewriteAsync(list, isFull: false);
        var (fetched, databases) = (new List<string>(), 0);
        RemoteFolder.Through.Value = folder => new WatchedFolder(folder, fetched.Add);
        Backup.Warnings.OnMessage = text => databases += text.StartsWith("Recreate completed", StringComparison.Ordinal) ? 1 : 0;

        var report = await Backup.RestoreDirectlyAsync(Backup.File("target"));

        Assert.That((report.Version, report.IsFull), Is.EqualTo(((long)chosen, isAnyWhole)));
        Assert.That(SourceTree.Describe(Backup.File("target")), Is.EqualTo(expected));
        Assert.That(databases, Is.EqualTo(isAnyWhole ? 2 : 1));
        // Those between are opened to see that they are partial; the newest was read before, and once more to its end.
        Assert.That(lists[1..^1].Select(x => fetched.Count(y => y == Path.GetFileName(x))), Is.All.EqualTo(1));
    }

    // The second volume with blocks is not uploaded any more.
    private async Task InterruptAsync()
    {
        for (var i = 0; i < 6; i++)
            SourceTree.Write(Backup.Source, $"folder/{i}", 30_000, new Random(10 + i));
        Assert.That(await Backup.StopAsync(Backup.BackUpAsync, "[.]dblock[.]", nth: 2));
    }
}
