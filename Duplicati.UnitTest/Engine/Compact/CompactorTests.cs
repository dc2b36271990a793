// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Backup;
using Duplicati.Engine.Common;
using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Compact;

/// <summary>Volumes that no version needs, in whatever state.</summary>
[TestFixture]
internal sealed class CompactorTests
{
    private const int Count = 20;

    [TestCase(RemoteVolumeState.Uploading)]
    [TestCase(RemoteVolumeState.Deleting)]
    [TestCase(RemoteVolumeState.Temporary)]
    public async Task What_is_being_uploaded_or_deleted_already_is_left_to_whoever_settles_that(RemoteVolumeState state)
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true });
        await backup.BackUpAsync("kept", 30_000, 1);
        await backup.BackUpAsync("gone", 200_000, 2);
        File.Delete(Path.Combine(backup.Source, "gone"));
        await backup.BackUpAsync();
        await backup.DeleteAsync(1);
        await using var database = await LocalDeleteDatabase.CreateAsync(backup.Options.DatabasePath, "Compact", null, default);
        var unneeded = (await database.GetCompactReportAsync(50 * 1024, 25, 0, 100, default)).DeleteableVolumes.ToList();
        Assert.That(unneeded, Has.Count.GreaterThan(2));
        var volume = await database.GetRemoteVolumeAsync(unneeded[0], default);
        await database.UpdateRemoteVolumeAsync(volume.Name, state, volume.Size, volume.Hash, default);
        await database.Transaction.CommitAsync();
        Assert.That(
            (await database.GetCompactReportAsync(50 * 1024, 25, 0, 100, default)).DeleteableVolumes,
            Does.Contain(volume.Name),
            "volumes in any state are named"
        );
        var settings = await SettingsStore.ResolveAsync(database, backup.Options, default);
        using var folder = RemoteFolder.Open(backup.Options, backup.Warnings);

        await new Compactor(backup.Options, settings, database, folder, backup.Warnings).RunAsync(default);

        var there = Directory.GetFiles(backup.Remote).Select(Path.GetFileName).ToList();
        Assert.That(there, Does.Contain(volume.Name));
        Assert.That(unneeded.Intersect(there), Has.Exactly(1).Items, "the others are gone");
        Assert.That((await database.GetRemoteVolumeAsync(volume.Name, default)).State, Is.EqualTo(state));
    }

    [Test]
    public async Task What_another_database_has_put_into_the_folder_meanwhile_keeps_all_volumes([Values] bool isCopying)
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true });
        await MakeWasteAsync(backup, isCopying);
        var copy = backup.Options with { DatabasePath = backup.File("copy.sqlite") };
        File.Copy(backup.Options.DatabasePath, copy.DatabasePath);
        var files = Files(backup);
        // The other machine still has what is gone on this one.
        Write(backup);
        BackupReport? other = null;
        void BackUp(string _) =>
            other ??= new BackupOperation(copy, SilentProgress.Instance).RunAsync([backup.Source], default).GetAwaiter().GetResult();
        await using (var database = await LocalDeleteDatabase.CreateAsync(backup.Options.DatabasePath, "Compact", null, default))
        {
            var settings = await SettingsStore.ResolveAsync(database, backup.Options, default);
            using var folder = RemoteFolder.Open(backup.Options, backup.Warnings);
            // After the first volume was copied, or before all.
            var compactor = new Compactor(backup.Options, settings, database, folder, new WarningList { OnAdvance = BackUp });
            if (!isCopying)
                BackUp("");
            BackupCase.Refused("ExtraRemoteFiles", () => compactor.RunAsync(default));
        }

        Assert.That(other, Is.Not.Null);
        Assert.That(Files(backup), Is.SupersetOf(files));
        Assert.That(backup.Rows("""SELECT "Name" FROM "Remotevolume" WHERE "State" LIKE 'Delet%' AND "Type" <> 'Files'"""), Is.Empty);
        backup.Options = copy;
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    [Test]
    public async Task A_dry_run_does_not_take_what_it_would_have_put_or_deleted_for_another_database([Values] bool isCopying)
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true });
        await MakeWasteAsync(backup, isCopying);
        var files = Files(backup);
        var planned = await new CompactOperation(backup.Options with { DryRun = true }, backup.Warnings).RunAsync(default);
        Assert.That(Files(backup), Is.EqualTo(files));
        var report = await backup.CompactAsync();
        Assert.That((planned.DeletedVolumes, planned.NewVolumes), Is.EqualTo((report.DeletedVolumes, report.NewVolumes)));
        Assert.That(report.DeletedVolumes, Is.Positive);
        await backup.AssertSoundAsync("after the compact");
    }

    // A disk that always keeps back a file makes one a backup.
    [TestCase(false, null, false)]
    [TestCase(true, null, true)]
    [TestCase(true, """DELETE FROM "Operation" WHERE "Description" = 'Recreate'""", true)]
    [TestCase(false, """DELETE FROM "Operation" """, true)]
    [Platform(Exclude = "Win")]
    public async Task Lists_of_partial_versions_are_read_only_where_they_may_have_more_than_the_database_knows(
        bool isRecreated,
        string? change,
        bool isRead
    )
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true });
        SourceTree.Write(backup.Source, "bad/file", 1_000, new Random(1));
        await MakeWasteAsync(backup, isCopying: false);
        SourceTree.Write(backup.Source, "new", 1_000, new Random(2));
        SourceScanner.Listing.Value = path =>
        {
            if (Path.GetFileName(path) == "bad")
                throw new IOException("The disk says no", 5);
        };
        await backup.BackUpAsync();
        var list = Path.GetFileName(backup.Volumes("dlist")[^1]);
        if (isRecreated)
            await backup.RecreateInPlaceAsync();
        if (change is not null)
        {
            SourceTree.Write(backup.Source, "newer", 1_000, new Random(3));
            await backup.BackUpAsync();
            backup.Sql(change);
        }

        var fetched = new List<string>();
        RemoteFolder.Through.Value = folder => new WatchedFolder(folder, fetched.Add);

        var report = await backup.CompactAsync();

        Assert.That(report.DeletedVolumes, Is.Positive);
        Assert.That(fetched.Contains(list), Is.EqualTo(isRead));
    }

    // A repair that could not read it has dropped entries, and was killed before it made another; it may have been put back since.
    [Test]
    public async Task A_list_of_a_partial_version_without_a_recorded_hash_keeps_all_volumes([Values] bool isDamaged)
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true });
        await MakeWasteAsync(backup, isCopying: false);
        var list = backup.Volumes("dlist")[^1];
        if (isDamaged)
            await File.WriteAllBytesAsync(list, new byte[new FileInfo(list).Length]);
        var ofList = $"""WHERE "Name" = '{Path.GetFileName(list)}'""";
        backup.Sql($"""UPDATE "Fileset" SET "IsFullBackup" = 0 WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" {ofList})""");
        backup.Sql($"""UPDATE "Remotevolume" SET "Hash" = NULL, "Size" = -1 {ofList}""");
        var files = Files(backup);

        var refused = Assert.CatchAsync<UserInformationException>(() => backup.CompactAsync())!;

        Assert.That(refused.HelpID, Is.EqualTo("VersionsAreNotKnown"));
        Assert.That(Files(backup), Is.EquivalentTo(files));
    }

    // Files of which half the blocks, or all, of each volume are needed by no version.
    private static async Task MakeWasteAsync(BackupCase backup, bool isCopying)
    {
        SourceTree.Write(backup.Source, "kept", 5_000, new Random(0));
        if (!isCopying)
            await backup.BackUpAsync();
        Write(backup);
        await backup.BackUpAsync();
        for (var i = 0; i < Count; i++)
        {
            if (!isCopying || i % 2 == 0)
                File.Delete(Path.Combine(backup.Source, $"{i:D2}"));
        }

        await backup.BackUpAsync();
        await backup.DeleteAsync(1);
    }

    private static void Write(BackupCase backup)
    {
        for (var i = 0; i < Count; i++)
            SourceTree.Write(backup.Source, $"{i:D2}", 10_000, new Random(i + 1));
    }

    private static string[] Files(BackupCase backup) => Directory.GetFiles(backup.Remote);
}
