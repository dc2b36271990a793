// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Restore;

/// <summary>
/// A restore that does not come to its end leaves nothing that looks like a restored file, and the next one is as if it were the first.
/// One that has another beside it ends as if it were alone.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class InterruptedRestoreTests : BackupTestBase
{
    private const int Files = 8;

    [SetUp]
    public async Task SetUp()
    {
        Backup = new BackupCase();
        var random = new Random(11);
        for (var i = 0; i < Files; i++)
            SourceTree.Write(Backup.Source, $"folder/{i}.bin", 30_000, random);
        await Backup.BackUpAsync();
    }

    [Test]
    public async Task After_a_cancellation_nothing_is_there_and_the_next_restore_is_complete([Values] ExistingFileChoice existing)
    {
        var target = Backup.File("target");
        using var stop = new CancellationTokenSource();
        Assert.That(() => RestoreAsync(target, existing, stop.Cancel, stop.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(Directory.GetFiles(target, "*", SearchOption.AllDirectories), Is.Empty);

        await AssertCompletedAsync(target, existing);
    }

    [Test]
    public async Task After_a_kill_the_next_restore_takes_up_what_is_there([Values] ExistingFileChoice existing)
    {
        // A copy of the target while it is written is what a kill leaves.
        var killed = Backup.File("killed");
        await RestoreAsync(Backup.File("target"), existing, () => CopyTo(killed), default);
        var left = Directory.GetFiles(killed, "*", SearchOption.AllDirectories).Select(Path.GetFileName).ToList();
        Assert.That(left, Has.Count.EqualTo(Files).And.All.StartsWith(TargetNames.TemporaryPrefix));

        await AssertCompletedAsync(killed, existing);
    }

    [Test]
    public void After_a_failure_what_is_complete_stays_and_all_else_goes()
    {
        var target = Backup.File("target");
        var volumes = 0;
        Assert.That(() => RestoreAsync(target, ExistingFileChoice.Keep, Fail, default), Throws.InstanceOf<InvalidOperationException>());

        var left = Directory.GetFiles(target, "*", SearchOption.AllDirectories);
        Assert.That(left, Is.Not.Empty.And.Length.LessThan(Files));
        foreach (var file in left)
            Assert.That(
                File.ReadAllBytes(file),
                Is.EqualTo(File.ReadAllBytes(Path.Combine(Backup.Source, "folder", Path.GetFileName(file)))),
                file
            );

        void Fail()
        {
            if (++volumes == 3)
                throw new InvalidOperationException("three volumes are enough");
        }
    }

    [Test]
    public async Task A_length_that_no_file_can_have_here_is_a_failure_of_that_file_alone()
    {
        using (var database = Databases.Open(Backup.Options.DatabasePath))
            database.Execute(
                """UPDATE "Blockset" SET "Length" = -5 WHERE "ID" = (SELECT "BlocksetID" FROM "File" WHERE "Path" LIKE '%/3.bin')"""
            );

        var report = await RestoreAsync(Backup.File("target"), ExistingFileChoice.Keep, () => { }, default);

        Assert.That(report.Failed.Select(Path.GetFileName), Is.EqualTo(new[] { "3.bin" }));
        Assert.That(report.Files, Is.EqualTo(Files - 1));
    }

    [Test]
    public async Task Two_restores_of_the_same_into_one_folder_are_complete_both()
    {
        RestoreReport? other = null;
        var report = await RestoreAsync(
            Backup.File("target"),
            ExistingFileChoice.Keep,
            () => other ??= Backup.RestoreAsync(Backup.File("target")).GetAwaiter().GetResult(),
            default
        );
        Assert.That(other!.Failed, Is.Empty);
        Assert.That((other.Files, other.Bytes), Is.EqualTo((Files, Files * 30_000L)));
        await AssertCompletedAsync(Backup.File("target"), ExistingFileChoice.Keep);
        Assert.That((report.Failed.Count, report.Files, report.Bytes), Is.EqualTo((0, Files, Files * 30_000L)));
    }

    private void CopyTo(string folder)
    {
        if (Directory.Exists(folder))
            return;
        var target = Backup.File("target");
        foreach (var file in Directory.GetFiles(target, "*", SearchOption.AllDirectories))
        {
            var copy = Path.Combine(folder, Path.GetRelativePath(target, file));
            Directory.CreateDirectory(Path.GetDirectoryName(copy)!);
            File.Copy(file, copy);
        }
    }

    private async Task AssertCompletedAsync(string target, ExistingFileChoice existing)
    {
        var report = await RestoreAsync(target, existing, () => { }, default);
        Assert.That((report.Failed.Count, report.Files, report.Skipped), Is.EqualTo((0, (long)Files, 0L)));
        var whole = Backup.File("whole");
        await Backup.RestoreAsync(whole);
        // Folders that are there keep what they have then.
        var isSkipping = existing == ExistingFileChoice.Skip;
        Assert.That(Described(target), Is.EqualTo(Described(whole)));

        IEnumerable<string> Described(string folder) =>
            SourceTree.Describe(folder).Where(x => !isSkipping || x.StartsWith("file ", StringComparison.Ordinal));
    }

    private Task<RestoreReport> RestoreAsync(string target, ExistingFileChoice existing, Action onVolume, CancellationToken token) =>
        new RestoreOperation(Backup.Options with { Parallelism = 1 }, WarningList.AtVolumes(onVolume)).RunAsync(
            target,
            new RestoreChoices { Existing = existing },
            token
        );
}
