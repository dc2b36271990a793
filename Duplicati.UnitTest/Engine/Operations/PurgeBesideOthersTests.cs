// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Backups with lost volumes are purged where something else was interrupted before, or lies in the folder, too.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class PurgeBesideOthersTests
{
    private const string RECORDED_OF_COPIES = """
        SELECT DISTINCT "v"."Name"
        FROM "DuplicateBlock" "d" JOIN "Block" "b" ON "b"."ID" = "d"."BlockID" JOIN "Remotevolume" "v" ON "v"."ID" = "b"."VolumeID"
        """;

    private const string COPIES = """
        SELECT DISTINCT "v"."Name" FROM "DuplicateBlock" "d" JOIN "Remotevolume" "v" ON "v"."ID" = "d"."VolumeID"
        """;

    [Test]
    public async Task What_an_interrupted_compact_has_copied_already_is_not_lost()
    {
        using var backup = await InterruptCompactAsync();
        var whole = await backup.RestoredVersionsAsync(2);
        foreach (var volume in Recorded(backup))
            File.Delete(Path.Combine(backup.Remote, volume));

        Assert.That(await backup.ListBrokenAsync(), Is.Empty);
        var dry = await backup.PurgeBrokenAsync(dryRun: true);
        var report = await backup.PurgeBrokenAsync();

        Assert.That((dry.Losses.Count, dry.Deleted.Count, dry.Rewritten.Count), Is.EqualTo((0, 0, 0)));
        Assert.That((report.Losses.Count, report.Deleted.Count, report.Rewritten.Count), Is.EqualTo((0, 0, 0)));
        await backup.AssertSoundAsync("after the purge");
        Assert.That(await backup.RestoredVersionsAsync(2), Is.EqualTo(whole));
        await backup.BackUpAsync();
        await backup.AssertRecreateEqualsAsync("after the next backup");
    }

    [Test]
    public async Task A_restore_reads_what_an_interrupted_compact_has_copied_already([Values] bool isCopyMissing)
    {
        using var backup = await InterruptCompactAsync();
        var whole = await backup.RestoredVersionsAsync(2);
        foreach (var volume in isCopyMissing ? backup.Volumes("dblock") : Recorded(backup))
            File.Delete(Path.Combine(backup.Remote, volume));

        if (isCopyMissing)
            Assert.That((await backup.RestoreAsync(backup.File("target"))).Failed, Is.Not.Empty);
        else
            Assert.That(await backup.RestoredVersionsAsync(2), Is.EqualTo(whole));
    }

    [TestCase("kept back")]
    [TestCase("missing")]
    [TestCase("damaged")]
    public async Task A_restore_names_each_volume_that_did_not_give_what_it_found_nowhere(string recorded)
    {
        using var backup = await InterruptCompactAsync();
        foreach (var copy in backup.Rows(COPIES))
            File.Delete(Path.Combine(backup.Remote, copy));
        var volumes = Recorded(backup);
        foreach (var path in volumes.Select(x => Path.Combine(backup.Remote, x)))
        {
            if (recorded == "missing")
                File.Delete(path);
            else if (recorded == "damaged")
                File.WriteAllBytes(path, new byte[new FileInfo(path).Length]);
        }

        if (recorded == "kept back")
            WatchedFolder.KeepBack(volumes);
        try
        {
            Assert.That((await backup.RestoreAsync(backup.File("target"))).Failed, Is.Not.Empty);
        }
        finally
        {
            RemoteFolder.Through.Value = null;
        }

        foreach (var volume in volumes)
            Assert.That(
                backup.Warnings.Texts,
                recorded switch
                {
                    "missing" => Has.One.StartsWith($"Failed to restore from {volume}, which is missing."),
                    "damaged" => Has.One.Matches(
                        $@"^{Regex.Escape(volume)} is damaged: of (\d+) needed blocks?, 0 could be read all the same, and \1 could not\."
                    ),
                    _ => Has.One.Matches(
                        $"^Failed to restore from {Regex.Escape(volume)}: .*{Regex.Escape(RemoteFileUnreadableException.REMEDY)}"
                    ),
                }
            );
    }

    [Test]
    public async Task A_copy_in_a_volume_that_is_missing_as_well_is_none()
    {
        using var backup = await InterruptCompactAsync();
        foreach (var volume in backup.Volumes("dblock"))
            File.Delete(volume);
        BackupCase.Refused("AllFilesetsBroken", () => backup.PurgeBrokenAsync());
    }

    [Test]
    public async Task Index_volumes_of_another_backup_in_the_folder_stay()
    {
        using var backup = await BackupCase.MadeAsync(7, x => x with { NoAutoCompact = true });
        var lost = backup.Volumes("dblock")[0];
        using var other = new BackupCase(x => x with { BlockSize = 2048 });
        await other.BackUpAsync("of another one", 30_000, 8);
        File.Delete(other.Volumes("dlist").Single());
        VolumeFiles.Copy(other.Remote, backup.Remote);
        await backup.RecreateInPlaceAsync();
        File.Delete(lost);

        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Rewritten, Has.Count.EqualTo(1));
        Assert.That(Directory.GetFiles(other.Remote).Select(x => Path.Combine(backup.Remote, Path.GetFileName(x))), Has.All.Exist);
    }

    // Its list has no version yet.
    [Test]
    public async Task A_list_that_an_interrupted_repair_has_begun_does_not_stop_a_purge([Values] bool hasArrived)
    {
        using var backup = await MakeAsync();
        File.Delete(backup.Volumes("dblock")[0]);
        File.Delete(backup.Volumes("dlist")[1]);
        File.Delete(Path.Combine(backup.Source, "first"));
        File.Delete(Path.Combine(backup.Source, "second"));
        RemoteFolder.Through.Value = x => hasArrived ? new StoppingFolder(x) : x;
        var choices = new RepairChoices { RebuildMissingBlockVolumes = true };
        // Where the list is to arrive, the folder stops it, and no message.
        Assert.That(await backup.StopAsync(() => backup.RepairAsync(choices), hasArrived ? "^$" : "^Uploading .*[.]dlist[.]"));
        RemoteFolder.Through.Value = null;
        Assert.That(backup.Volumes("dlist"), Has.Length.EqualTo(hasArrived ? 2 : 1));
        Assert.That(
            backup.Rows("""SELECT 1 FROM "Remotevolume" WHERE "State" = 'Temporary' AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")"""),
            Has.Length.EqualTo(1)
        );

        var dry = await backup.PurgeBrokenAsync(dryRun: true);
        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Deleted.Count + report.Rewritten.Count, Is.Positive);
        Assert.That((dry.Losses, dry.Deleted), Is.EqualTo((report.Losses, report.Deleted)));
        await backup.RepairAsync();
        await backup.AssertRecreateEqualsAsync("after the repair");
    }

    [Test]
    public async Task A_list_of_which_the_database_has_lost_the_version_is_first_repaired()
    {
        using var backup = await MakeAsync();
        backup.Sql("""DELETE FROM "Fileset" WHERE "ID" = (SELECT MIN("ID") FROM "Fileset")""");
        File.Delete(backup.Volumes("dblock")[0]);
        var before = Directory.GetFiles(backup.Remote);

        foreach (var isDry in new[] { true, false })
        {
            var error = BackupCase.Refused("DifferentFolder", () => backup.PurgeBrokenAsync(isDry));
            Assert.That(
                error.Message,
                Does.StartWith(Path.GetFileName(backup.Volumes("dlist")[0])).And.EndsWith(Advice.MissingBlockVolumes())
            );
        }

        Assert.That(Directory.GetFiles(backup.Remote), Is.EquivalentTo(before));
        Assert.That(backup.Rows("""SELECT 1 FROM "Remotevolume" WHERE "State" = 'Deleting'"""), Is.Empty);
        SourceTree.Write(backup.Source, "first", 1_000, new Random(5));
        SourceTree.Write(backup.Source, "second", 1_000, new Random(6));
        await backup.RepairAsync(new RepairChoices { RebuildMissingBlockVolumes = true });
        var report = await backup.PurgeBrokenAsync();
        Assert.That(report.Deleted.Count + report.Rewritten.Count, Is.Positive);
        await backup.AssertRecreateEqualsAsync("after the purge");
    }

    private static async Task<BackupCase> MakeAsync()
    {
        var backup = new BackupCase(x => x with { NoAutoCompact = true });
        SourceTree.Write(backup.Source, "first", 60_000, new Random(1));
        await backup.BackUpAsync("small", 3_000, 4);
        await backup.BackUpAsync("second", 60_000, 2);
        return backup;
    }

    // Killed when its new volumes are there, before it marks the old ones.
    private static async Task<BackupCase> InterruptCompactAsync()
    {
        var backup = await MakeAsync();
        var options = backup.Options;
        backup.Options = options with { SmallFileSize = options.VolumeSize * 2, SmallFileMaxCount = 0 };
        Assert.That(await backup.StopAsync(backup.CompactAsync, "^Listing ", nth: 2));
        backup.Options = options;
        Assert.That(Recorded(backup), Is.Not.Empty);
        return backup;
    }

    // The volumes that are recorded for the blocks of which there are copies.
    private static string[] Recorded(BackupCase backup) => backup.Rows(RECORDED_OF_COPIES);

    private sealed class StoppingFolder(IRemoteFolder folder) : ForwardingFolder(folder)
    {
        public override async Task PutAsync(string name, string localPath, CancellationToken token)
        {
            await base.PutAsync(name, localPath, token);
            if (name.Contains(".dlist.", StringComparison.Ordinal))
                throw new OperationCanceledException("The test stops it here.");
        }
    }
}
