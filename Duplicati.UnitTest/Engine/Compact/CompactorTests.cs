// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Compact;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Compact;

/// <summary>Volumes that no version needs, in whatever state.</summary>
[TestFixture]
internal sealed class CompactorTests
{
    [TestCase(RemoteVolumeState.Uploading)]
    [TestCase(RemoteVolumeState.Deleting)]
    [TestCase(RemoteVolumeState.Temporary)]
    public async Task What_is_being_uploaded_or_deleted_already_is_left_to_whoever_settles_that(RemoteVolumeState state)
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true });
        SourceTree.Write(backup.Source, "kept", 30_000, new Random(1));
        await backup.BackUpAsync();
        SourceTree.Write(backup.Source, "gone", 200_000, new Random(2));
        await backup.BackUpAsync();
        File.Delete(Path.Combine(backup.Source, "gone"));
        await backup.BackUpAsync();
        await new DeleteOperation(backup.Options, backup.Warnings).RunAsync([1], false, default);
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
}
