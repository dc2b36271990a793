// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Engine.Configuration;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>What has lost its metadata gets nothing of anybody else's in a purge of broken files.</summary>
[TestFixture]
[Platform("Linux")]
[SupportedOSPlatform("linux")]
internal sealed class LostMetadataTests
{
    private const UnixFileMode PrivateFile = UnixFileMode.UserRead | UnixFileMode.UserWrite;
    private const UnixFileMode PrivateFolder = PrivateFile | UnixFileMode.UserExecute;

    private const UnixFileMode Everything = (UnixFileMode)0x1FF;

    [Test]
    public async Task A_link_goes_and_never_gets_the_target_of_another([Values] bool isInterrupted)
    {
        using var backup = new BackupCase();
        await MakeAsync(backup);
        var known = backup.Volumes("dblock");
        File.CreateSymbolicLink(Path.Combine(backup.Source, "new link"), "its own target");
        Directory.CreateSymbolicLink(Path.Combine(backup.Source, "new link to a folder"), "folder");
        await backup.BackUpAsync();
        var lost = backup.Volumes("dblock").Except(known).ToList();
        await backup.BackUpAsync("third", 3000, 3);
        lost.ForEach(File.Delete);

        var listed = await backup.ListBrokenAsync();
        Assert.That(listed, Has.Count.EqualTo(2));
        foreach (var file in listed.SelectMany(x => x.Files))
            Assert.That(file.OnlyMetadata, Is.EqualTo(!file.Path.Contains("new link", StringComparison.Ordinal)), file.Path);
        if (isInterrupted)
            Assert.That(await backup.StopAsync(() => backup.PurgeBrokenAsync(), "^Deleting .*[.]dlist[.]"));
        await backup.PurgeBrokenAsync();

        for (var version = 0; version < 3; version++)
        {
            var links = (await backup.RestoredAsync(version)).Where(x => x.StartsWith("link ", StringComparison.Ordinal));
            Assert.That(links, Is.EqualTo(new[] { "link link -> /etc/shadow" }), $"version {version}");
        }

        await AssertNothingIsLeftAsync(backup);
    }

    [TestCase(null, IndexPolicy.Full)]
    [TestCase("a passphrase", IndexPolicy.Full)]
    [TestCase(null, IndexPolicy.None)]
    public async Task What_was_private_stays_so(string? passphrase, IndexPolicy policy)
    {
        using var backup = new BackupCase(x => x with { Passphrase = passphrase, IndexPolicy = policy, BlockHash = "SHA512" });
        await MakeAsync(backup);
        await LoseMetadataAsync(backup, 1);
        var before = Directory.GetFiles(backup.Remote);

        var dry = await backup.PurgeBrokenAsync(dryRun: true);
        Assert.That(Directory.GetFiles(backup.Remote), Is.EquivalentTo(before), "a dry run writes nothing");
        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Rewritten.Single().UpdatedFiles, Is.EqualTo(dry.Rewritten.Single().UpdatedFiles).And.GreaterThan(2));
        await AssertIsPrivateAsync(backup);
        await AssertNothingIsLeftAsync(backup, isRecreated: policy != IndexPolicy.None);
        await backup.BackUpAsync();
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)), "the next backup knows them again");
        await backup.AssertSoundAsync("after the next backup");
    }

    [Test]
    public async Task The_replacement_is_made_once_and_again_when_it_is_lost()
    {
        using var backup = new BackupCase(x => x with { NoAutoCompact = true });
        await MakeAsync(backup);
        var replacements = new List<string>();
        for (var round = 1; round <= 3; round++)
        {
            await LoseMetadataAsync(backup, round);
            if (round == 3)
                File.Delete(replacements.Single());
            var known = backup.Volumes("dblock");
            await backup.PurgeBrokenAsync();
            replacements.AddRange(backup.Volumes("dblock").Except(known));
            Assert.That(replacements, Has.Count.EqualTo(round == 3 ? 2 : 1));
            await AssertIsPrivateAsync(backup);
            await AssertNothingIsLeftAsync(backup);
        }
    }

    [Test]
    public async Task Where_only_data_are_lost_nothing_is_made_and_nothing_is_left_behind()
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 200 * 1024 });
        await MakeAsync(backup);
        var known = backup.Volumes("dblock");
        await backup.BackUpAsync("folder/data", 1_000, 1);
        File.Delete(backup.Volumes("dblock").Except(known).Single());
        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Rewritten.Single().RemovedFiles, Is.EqualTo(1));
        await AssertNothingIsLeftAsync(backup);
    }

    private static async Task MakeAsync(BackupCase backup)
    {
        SourceTree.Write(backup.Source, "folder/private", 30_000, new Random(1));
        SourceTree.Write(backup.Source, "a", 1, new Random(2));
        File.SetUnixFileMode(Path.Combine(backup.Source, "a"), Everything);
        File.SetUnixFileMode(Path.Combine(backup.Source, "folder"), PrivateFolder);
        File.SetUnixFileMode(Path.Combine(backup.Source, "folder/private"), PrivateFile);
        File.CreateSymbolicLink(Path.Combine(backup.Source, "link"), "/etc/shadow");
        await backup.BackUpAsync();
    }

    // Those of the newest version are in a volume of their own.
    private static async Task LoseMetadataAsync(BackupCase backup, int day)
    {
        var known = backup.Volumes("dblock");
        var time = new DateTime(2001, 2, day, 4, 5, 6, DateTimeKind.Utc);
        File.SetLastWriteTimeUtc(Path.Combine(backup.Source, "folder/private"), time);
        Directory.SetLastWriteTimeUtc(Path.Combine(backup.Source, "folder"), time);
        Directory.SetLastWriteTimeUtc(backup.Source, time);
        await backup.BackUpAsync();
        foreach (var volume in backup.Volumes("dblock").Except(known))
            File.Delete(volume);
    }

    private static async Task AssertIsPrivateAsync(BackupCase backup)
    {
        var target = backup.File("private");
        Assert.That((await backup.RestoreAsync(target)).Failed, Is.Empty);
        Assert.That(File.GetUnixFileMode(Path.Combine(target, "folder")), Is.EqualTo(PrivateFolder));
        Assert.That(File.GetUnixFileMode(Path.Combine(target, "folder/private")), Is.EqualTo(PrivateFile));
        Assert.That(File.GetUnixFileMode(Path.Combine(target, "a")), Is.EqualTo(Everything));
        Assert.That(backup.Warnings.Texts, Has.Some.Contains("it is its owner's alone"));
        Directory.Delete(target, recursive: true);
    }

    private static async Task AssertNothingIsLeftAsync(BackupCase backup, bool isRecreated = true)
    {
        var volumes = backup.Dump().RemoteVolumes;
        Assert.That(volumes.Select(x => x.State), Is.All.EqualTo("Uploaded").Or.EqualTo("Verified").Or.EqualTo("Deleted"));
        Assert.That(
            Directory.GetFiles(backup.Remote).Select(Path.GetFileName),
            Is.EquivalentTo(volumes.Where(x => x.State != "Deleted").Select(x => x.Name))
        );
        await backup.AssertSoundAsync("after the purge");
        if (!isRecreated)
            return;
        // What has the same metadata has one row for them then.
        var database = backup.File("recreated.sqlite");
        Assert.That((await backup.RecreateAsync(database)).Problems, Is.Zero);
        File.Delete(database);
    }
}
