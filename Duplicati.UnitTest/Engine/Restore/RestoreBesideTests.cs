// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Restore;

/// <summary>
/// While a version is restored, another one is deleted and the folder compacted: every volume that the restore knows of goes.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class RestoreBesideTests : BackupTestBase
{
    private string[] m_whole = null!;

    [SetUp]
    public async Task SetUp()
    {
        Backup = new BackupCase(x => x with { NoAutoCompact = true });
        for (var i = 0; i < 20; i++)
            SourceTree.Write(Backup.Source, $"folder/{i}", 10_000, new Random(i));
        await Backup.BackUpAsync();
        m_whole = await Backup.RestoredAsync(0);
        await Backup.BackUpAsync("folder/new", 3000, 99);
        Backup.Options = Backup.Options with { Parallelism = 1 };
    }

    [Test]
    [UnsupportedOSPlatform("windows")]
    public async Task Every_file_of_an_untouched_version_is_restored(
        [Values] bool withDatabase,
        [Values(1, 3)] int times,
        [Values] ExistingFileChoice existing
    )
    {
        var before = Backup.Volumes("dblock");
        var undisturbed = Backup.File("undisturbed");
        await Backup.RestoreAsync(undisturbed, 1);
        var runs = 0;
        var beside = WarningList.AtVolumes(() =>
        {
            if (runs++ < times)
                MoveEverything(runs);
        });
        var choices = new RestoreChoices { Versions = [1], Existing = existing };
        var report = withDatabase
            ? await Backup.RestoreAsync(Backup.File("target"), choices, beside)
            : await Backup.RestoreDirectlyAsync(Backup.File("target"), choices, beside);

        Assert.That(Backup.Volumes("dblock").Intersect(before), Is.Empty, "every volume that the restore knew has gone");
        Assert.That((report.Failed.Count, report.Files), Is.EqualTo((0, 20L)), string.Join('\n', beside.Texts));
        Assert.That(beside.Texts, Is.Empty);
        Assert.That(SourceTree.Describe(Backup.File("target")), Is.EqualTo(m_whole));
        Assert.That(Of(Backup.File("target")), Is.EqualTo(Of(undisturbed)));

        static (UnixFileMode, DateTime) Of(string folder) => (File.GetUnixFileMode(folder), Directory.GetLastWriteTimeUtc(folder));
    }

    [Test]
    public async Task A_file_that_was_in_the_way_has_one_beside_it_however_often_the_folder_is_read()
    {
        SourceTree.Write(Backup.File("target"), "folder/3", 10, new Random(1));
        var runs = 0;
        var beside = WarningList.AtVolumes(() =>
        {
            if (runs++ < 3)
                MoveEverything(runs);
        });

        await Backup.RestoreDirectlyAsync(Backup.File("target"), new RestoreChoices { Versions = [1] }, beside);

        Assert.That(Directory.GetFiles(Backup.File("target/folder")), Has.Length.EqualTo(21));
        Assert.That(beside.Texts, Has.Count.EqualTo(1).And.All.Contains("folder/3 exists with other content"));
    }

    [Test]
    public async Task What_is_lost_beside_it_fails_alone()
    {
        var lost = Backup.Volumes("dblock")[0];
        var runs = 0;
        var beside = WarningList.AtVolumes(() =>
        {
            if (runs++ == 0)
                File.Delete(lost);
        });
        var report = await Backup.RestoreDirectlyAsync(Backup.File("target"), new RestoreChoices { Versions = [1] }, beside);
        Assert.That(report.Files + report.Failed.Count, Is.EqualTo(20));
        Assert.That(report.Files, Is.Positive);
    }

    // For the database the volume has further copies of the blocks then, and another one has the blocks.
    [Test]
    public async Task What_a_repair_makes_anew_in_part_beside_it_is_read_from_there([Values] bool isMissing)
    {
        var volume = Backup.Volumes("dblock")[0];
        foreach (
            var path in Directory.GetFiles(Path.Combine(Backup.Source, "folder")).Order(StringComparer.Ordinal).Where((_, i) => i % 2 == 0)
        )
            File.Delete(path);
        if (isMissing)
            File.Delete(volume);
        else
            File.WriteAllBytes(volume, new byte[new FileInfo(volume).Length]);
        RepairReport? repaired = null;
        RemoteFolder.Through.Value = folder => new WatchedFolder(
            folder,
            name =>
            {
                if (name == Path.GetFileName(volume) && repaired is null)
                    Run(async () => repaired = await RepairAsync(name));
            }
        );
        var target = Backup.File("target");

        var report = await Backup.RestoreAsync(target, 1);

        Assert.That((repaired!.RecoveredBlocks > 0, repaired.LostBlocks > 0), Is.EqualTo((true, true)));
        Assert.That(report.Failed, Is.Not.Empty, "what the sources do not have is lost");
        foreach (
            var path in Directory.GetFiles(Path.Combine(Backup.Source, "folder")).Where(x => !x.EndsWith("new", StringComparison.Ordinal))
        )
        {
            var restored = Path.Combine(target, "folder", Path.GetFileName(path));
            Assert.That(report.Failed, Has.None.EqualTo(restored));
            Assert.That(File.ReadAllBytes(restored), Is.EqualTo(File.ReadAllBytes(path)), path);
        }
    }

    private Task<RepairReport> RepairAsync(string volume) =>
        Backup.RepairAsync(new RepairChoices { RebuildMissingBlockVolumes = true, CheckVolumes = [volume] });

    // The newest version goes the first time; every time all that is left is written together, into volumes of another size.
    private void MoveEverything(int serial)
    {
        var options = Backup.Options with
        {
            VolumeSize = (serial % 2 == 0 ? 70 : 1000) * 1024,
            SmallFileSize = 2_000_000,
            SmallFileMaxCount = 0,
        };
        if (serial == 1)
            Run(() => new DeleteOperation(options, Backup.Warnings).RunAsync([0], false, default));
        Run(() => new CompactOperation(options, Backup.Warnings).RunAsync(default));
    }

    // Without what flows with the calls of the restore, as another process.
    private static void Run(Func<Task> operation)
    {
        Exception? failure = null;
        var thread = new Thread(() =>
        {
            try
            {
                operation().GetAwaiter().GetResult();
            }
            catch (Exception ex)
            {
                failure = ex;
            }
        });
        using (ExecutionContext.SuppressFlow())
            thread.Start();
        Wait.ForEnd(thread, "the operation beside the restore");
        Assert.That(failure, Is.Null);
    }
}
