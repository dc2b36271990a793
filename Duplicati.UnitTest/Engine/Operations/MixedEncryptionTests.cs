// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Encryption;
using Duplicati.Engine.Reports;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>One folder with volumes of both versions of AES Crypt: all operations read both, and write the one that is chosen.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class MixedEncryptionTests
{
    // Few iterations, so that the tests are quick.
    private static readonly AesCryptOptions s_three = new() { Version = 3, Iterations = 10 };

    [TestCase(2)]
    [TestCase(3)]
    public async Task A_folder_of_both_versions_is_restored_recreated_tested_repaired_and_compacted(int last)
    {
        using var backup = Case();
        var random = new Random(last);
        SourceTree.Make(backup.Source, random);
        var first = await BackUpAsync(backup);
        Choose(backup, 3);
        SourceTree.Change(backup.Source, random);
        var second = await BackUpAsync(backup);
        Assert.That(backup.Volumes("dlist").Select(VersionOf), Is.EqualTo(new[] { 2, 3 }));
        Assert.That(backup.Volumes("dblock").Select(VersionOf).Distinct(), Is.EquivalentTo(new[] { 2, 3 }));
        await AssertReadableAsync(backup, [second, first], "after the backups");

        Choose(backup, last);
        var known = Names(backup);
        File.Delete(backup.Volumes("dlist")[0]);
        foreach (var version in new[] { 2, 3 })
            File.Delete(backup.Volumes("dindex").First(x => VersionOf(x) == version));
        var repaired = await backup.RepairAsync();
        Assert.That(repaired.Problems, Is.Empty);
        AssertNew(backup, known, last);
        await AssertReadableAsync(backup, [second, first], "after the repair");

        known = Names(backup);
        Directory.Delete(Path.Combine(backup.Source, "sizes"), recursive: true);
        var third = await BackUpAsync(backup);
        await backup.DeleteAsync(1, 2);
        var compacted = await backup.CompactAsync();
        Assert.That(compacted.NewVolumes, Is.Positive);
        AssertNew(backup, known, last);
        await AssertReadableAsync(backup, [third], "after the compact");

        known = Names(backup);
        await backup.PurgeAsync("*/added/new");
        AssertNew(backup, known, last);
        await AssertReadableAsync(backup, [await RestoredAsync(backup)], "after the purge");
    }

    [TestCase(2)]
    [TestCase(3)]
    public async Task What_can_be_read_of_a_damaged_block_volume_is_kept(int version)
    {
        using var backup = Case();
        Choose(backup, version);
        SourceTree.Make(backup.Source, new Random(5));
        var expected = await BackUpAsync(backup);
        var volume = backup.Volumes("dblock")[0];
        VolumeEdit.Flip(volume, ^20);

        var choices = new RepairChoices { CheckVolumes = [Path.GetFileName(volume)] };
        var report = await backup.RepairAsync(choices);

        Assert.That((report.LostBlocks, report.Problems.Count), Is.EqualTo((0L, 0)), "the authentication code alone is damaged");
        await AssertReadableAsync(backup, [expected], "after the repair");
    }

    private static BackupCase Case() =>
        new(x => x with { Passphrase = "päss 🎉", NoAutoCompact = true, SmallFileMaxCount = 1, CompactThreshold = 1 });

    private static void Choose(BackupCase backup, int version) =>
        backup.Options = backup.Options with { Aes = version == 2 ? new AesCryptOptions() : s_three };

    private static async Task AssertReadableAsync(BackupCase backup, string[] versions, string when)
    {
        Assert.That(await backup.RestoredVersionsAsync(versions.Length), Is.EqualTo(versions), when);
        await backup.AssertRecreateEqualsAsync(when);
        var tested = await backup.TestAsync();
        Assert.That(tested.Differences, Is.Empty, when);
        Assert.That(tested.Volumes, Is.EquivalentTo(Names(backup)), when);
    }

    private static void AssertNew(BackupCase backup, string[] known, int version)
    {
        var made = Directory.GetFiles(backup.Remote).Where(x => !known.Contains(Path.GetFileName(x))).ToList();
        Assert.That(made, Is.Not.Empty);
        Assert.That(made.Select(VersionOf), Is.All.EqualTo(version));
    }

    private static async Task<string> BackUpAsync(BackupCase backup)
    {
        await backup.BackUpAsync();
        return string.Join('\n', SourceTree.Describe(backup.Source));
    }

    private static async Task<string> RestoredAsync(BackupCase backup) => (await backup.RestoredVersionsAsync(1))[0];

    // Without what a repair keeps of damaged ones.
    private static string[] Names(BackupCase backup) =>
        [.. Directory.GetFiles(backup.Remote, "duplicati-*").Select(x => Path.GetFileName(x))];

    private static int VersionOf(string volume)
    {
        using var file = File.OpenRead(volume);
        file.Position = 3;
        return file.ReadByte();
    }
}
