// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Volumes whose contents lie in the folder under other names.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class MisplacedVolumeTests
{
    private static readonly Dictionary<string, Action<BackupCase, string>> s_ways = new()
    {
        ["two exchanged"] = (x, kind) => VolumeEdit.Swap(Volumes(x, kind)[0], Volumes(x, kind)[1]),
        ["three in a circle"] = (x, kind) =>
        {
            var volumes = Volumes(x, kind);
            VolumeEdit.Swap(volumes[0], volumes[1]);
            VolumeEdit.Swap(volumes[0], volumes[2]);
        },
        ["one renamed"] = (x, kind) => File.Move(x.Volumes(kind)[0], Path.Combine(x.Remote, "put aside")),
        ["one renamed as editors do"] = (x, kind) => File.Move(x.Volumes(kind)[0], x.Volumes(kind)[0] + ".bak"),
        ["a repair of two was killed"] = (x, kind) =>
        {
            // As a repair leaves it that is killed between its renames.
            var (one, other) = (x.Volumes(kind)[0], x.Volumes(kind)[1]);
            VolumeEdit.Swap(one, other);
            File.Move(one, Path.Combine(x.Remote, "damaged-" + Path.GetFileName(one)));
            File.Move(other, one);
        },
    };

    private static IEnumerable<string> Ways => s_ways.Keys;

    [Test]
    public async Task What_lies_under_another_name_is_read_there_and_a_repair_puts_the_names_right(
        [Values(null, "a passphrase")] string? passphrase,
        [Values("dblock", "dindex", "dlist")] string kind,
        [ValueSource(nameof(Ways))] string way
    )
    {
        using var backup = await MakeAsync(passphrase);
        var expected = await backup.RestoredVersionsAsync(3);
        var files = FolderState.Contents(backup.Remote);
        s_ways[way](backup, kind);

        Assert.That(await backup.RestoredVersionsAsync(3), Is.EqualTo(expected), "with the database");
        var verify = await backup.VerifyAsync();
        Assert.That(verify.Problems, Is.Not.Empty, "a verify tells");
        var planned = await new RepairOperation(backup.Options with { DryRun = true }, All, backup.Warnings).RunAsync(default);
        Assert.That(
            (planned.Uploaded, planned.Deleted, planned.Problems),
            Is.EqualTo((Array.Empty<string>(), Array.Empty<string>(), Array.Empty<string>()))
        );
        var report = await backup.RepairAsync(All);

        Assert.That(
            (report.Uploaded, report.Deleted, report.Problems, report.KeptDamaged),
            Is.EqualTo((Array.Empty<string>(), Array.Empty<string>(), Array.Empty<string>(), Array.Empty<string>()))
        );
        Assert.That(FolderState.Contents(backup.Remote), Is.EqualTo(files));
        await backup.AssertRecreateEqualsAsync("after the repair");
    }

    [Test]
    public async Task A_version_that_has_lost_files_is_read_again_from_a_list_under_another_name(
        [Values(null, "a passphrase")] string? passphrase,
        [Values("dblock", "dindex", "dlist")] string kind,
        [ValueSource(nameof(Ways))] string way
    )
    {
        using var backup = await MakeAsync(passphrase);
        var (expected, files) = (await backup.RestoredVersionsAsync(3), FolderState.Contents(backup.Remote));
        backup.Sql("""DELETE FROM "FileLookup" WHERE "Path" LIKE 'file%'""");
        s_ways[way](backup, kind);

        var planned = await new RepairOperation(backup.Options with { DryRun = true }, All, backup.Warnings).RunAsync(default);
        var report = await backup.RepairAsync(All);

        Assert.That((planned.Uploaded, planned.Problems), Is.EqualTo((Array.Empty<string>(), Array.Empty<string>())));
        Assert.That((report.Uploaded, report.Problems), Is.EqualTo((Array.Empty<string>(), Array.Empty<string>())));
        Assert.That(FolderState.Contents(backup.Remote), Is.EqualTo(files));
        Assert.That(await backup.RestoredVersionsAsync(3), Is.EqualTo(expected));
        await backup.AssertSoundAsync("after the repair");
    }

    [Test]
    public async Task A_damaged_volume_whose_content_lies_beside_it_is_kept_out_of_the_way()
    {
        using var backup = await MakeAsync(null);
        var files = FolderState.Contents(backup.Remote);
        var volume = backup.Volumes("dblock")[0];
        File.Copy(volume, Path.Combine(backup.Remote, "a copy"));
        await File.WriteAllBytesAsync(volume, new byte[100]);

        var report = await backup.RepairAsync();

        Assert.That(report.KeptDamaged, Is.EqualTo(new[] { "damaged-" + Path.GetFileName(volume) }));
        Assert.That(FolderState.Contents(backup.Remote).Where(x => !x.StartsWith("damaged-", StringComparison.Ordinal)), Is.EqualTo(files));
        await backup.AssertSoundAsync("after the repair");
    }

    [TestCase("dblock")]
    [TestCase("dindex")]
    public async Task Without_a_database_nothing_of_exchanged_volumes_is_lost(string kind)
    {
        using var backup = await MakeAsync(null);
        var expected = await backup.RestoredVersionsAsync(3);
        VolumeEdit.Swap(backup.Volumes(kind)[0], backup.Volumes(kind)[1]);

        Assert.That((await backup.UseRecreatedAsync()).Problems, Is.Zero);

        Assert.That(await backup.RestoredVersionsAsync(3), Is.EqualTo(expected));
        await backup.RepairAsync(All);
        await backup.AssertSoundAsync("after the repair");
        Assert.That(await backup.RestoredVersionsAsync(3), Is.EqualTo(expected));
    }

    // A disk that could not read it for a while, and can again.
    [TestCase(null)]
    [TestCase("a passphrase")]
    public async Task What_a_repair_took_out_of_the_way_and_is_whole_is_not_purged(string? passphrase)
    {
        using var backup = await MakeAsync(passphrase);
        var (expected, files) = (await backup.RestoredVersionsAsync(3), FolderState.Contents(backup.Remote));
        var volume = Path.GetFileName(backup.Volumes("dblock")[0]);
        Directory.Delete(backup.Source, recursive: true);
        WatchedFolder.Spoil(volume);
        var retired = await backup.RepairAsync(new RepairChoices { CheckVolumes = [volume] });
        RemoteFolder.Through.Value = null;
        Assert.That(retired.KeptDamaged, Is.EqualTo(new[] { "damaged-" + volume }));
        Assert.That(retired.Problems, Has.Some.Contains(Advice.LostBlocks()), "what is advised");

        Assert.That(await ListButNotPurgeAsync(backup, volume, "damaged-" + volume), Is.Empty);

        await backup.RepairAsync();
        // Lists of blocks were in an index volume, and are in a block volume of their own now.
        Assert.That(FolderState.Contents(backup.Remote), Is.SupersetOf(files).And.None.StartsWith("damaged-"));
        Assert.That(await backup.RestoredVersionsAsync(3), Is.EqualTo(expected));
        await backup.AssertRecreateEqualsAsync("after the repair that was advised");
    }

    // As where it may not be read for a while, or is in an archive.
    [TestCase("", ".bak")]
    [TestCase("damaged-", "")]
    public async Task What_cannot_be_fetched_now_and_may_be_a_missing_volume_is_not_taken_for_another(string before, string after)
    {
        using var backup = await MakeAsync(null);
        var (expected, files) = (await backup.RestoredVersionsAsync(3), FolderState.Contents(backup.Remote));
        var volume = Volumes(backup, "dblock")[0];
        var aside = before + Path.GetFileName(volume) + after;
        File.Move(volume, Path.Combine(backup.Remote, aside));
        var changed = FolderState.Contents(backup.Remote);
        WatchedFolder.KeepBack(aside);

        foreach (var isDry in new[] { true, false })
            Assert.ThrowsAsync<RemoteFileUnreadableException>(() => backup.PurgeBrokenAsync(isDry));
        Assert.ThrowsAsync<RemoteFileUnreadableException>(() => ListAsync(backup, backup.Warnings));
        Assert.ThrowsAsync<RemoteFileUnreadableException>(() => backup.RepairAsync());

        RemoteFolder.Through.Value = null;
        Assert.That(FolderState.Contents(backup.Remote), Is.EqualTo(changed));
        await backup.RepairAsync();
        Assert.That(FolderState.Contents(backup.Remote), Is.EqualTo(files));
        await backup.AssertSoundAsync("after the repair");
        Assert.That(await backup.RestoredVersionsAsync(3), Is.EqualTo(expected));
    }

    // A repair has taken from it what can be read, and nobody knows whether it can ever be read again.
    [Test]
    public async Task What_the_disk_cannot_read_is_named_and_does_not_keep_a_purge_from_going_on()
    {
        using var backup = await MakeAsync(null);
        var volume = Volumes(backup, "dblock")[0];
        var aside = "damaged-" + Path.GetFileName(volume);
        File.Move(volume, Path.Combine(backup.Remote, aside));
        WatchedFolder.Spoil(aside);

        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Deleted.Count + report.Rewritten.Count, Is.Positive);
        Assert.That(backup.Warnings.Texts, Has.Some.StartsWith(aside));
        Assert.That(Path.Combine(backup.Remote, aside), Does.Exist);
        RemoteFolder.Through.Value = null;
        await backup.AssertSoundAsync("after the purge");
    }

    [Test]
    public async Task Beside_a_volume_that_is_lost_one_of_another_name_is_not_purged()
    {
        using var backup = await MakeAsync(null);
        var (lost, renamed) = (Volumes(backup, "dblock")[0], Volumes(backup, "dblock")[1]);
        File.Delete(lost);
        File.Move(renamed, Path.Combine(backup.Remote, "put aside"));

        var listed = await ListButNotPurgeAsync(backup, Path.GetFileName(renamed), "put aside");

        BackupCase.Refused("MissingDblockFiles", () => backup.RepairAsync());
        Assert.That(renamed, Does.Exist);
        Assert.That(await ListAsync(backup, backup.Warnings), Is.EqualTo(listed).And.Not.Empty);
        await backup.PurgeBrokenAsync();
        await backup.AssertSoundAsync("after the purge");
    }

    // No repair would rename that one.
    [Test]
    public async Task A_volume_whose_content_is_that_of_another_one_does_not_keep_a_purge_from_going_on()
    {
        using var backup = await MakeAsync(null);
        var (lost, other) = (backup.Volumes("dblock")[^1], backup.Volumes("dblock")[0]);
        File.Delete(lost);
        backup.Sql(
            $"""
            UPDATE "Remotevolume" SET ("Size", "Hash") = (SELECT "Size", "Hash" FROM "Remotevolume" WHERE "Name" = '{Path.GetFileName(
                other
            )}')
            WHERE "Name" = '{Path.GetFileName(lost)}'
            """
        );

        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Deleted.Count + report.Rewritten.Count, Is.Positive);
        Assert.That(other, Does.Exist);
    }

    // A repair would take it out of the way once more.
    [Test]
    public async Task A_volume_that_was_damaged_when_it_was_uploaded_does_not_keep_a_purge_from_going_on()
    {
        using var backup = await MakeAsync(null);
        var lost = backup.Volumes("dblock")[^1];
        var aside = Path.Combine(backup.Remote, "damaged-" + Path.GetFileName(lost));
        var content = await File.ReadAllBytesAsync(lost);
        content.AsSpan(content.Length / 2, content.Length / 4).Clear();
        await File.WriteAllBytesAsync(aside, content);
        File.Delete(lost);
        backup.Sql(
            $"""UPDATE "Remotevolume" SET "Hash" = '{Convert.ToBase64String(System.Security.Cryptography.SHA256.HashData(content))}' WHERE "Name" = '{Path.GetFileName(lost)}'"""
        );

        var report = await backup.PurgeBrokenAsync();

        Assert.That(report.Deleted.Count + report.Rewritten.Count, Is.Positive);
        Assert.That(aside, Does.Exist);
        await backup.AssertSoundAsync("after the purge");
    }

    private static async Task<string[]> ListAsync(BackupCase backup, IEngineProgress progress) =>
        [
            .. from version in await new ListBrokenFilesOperation(backup.Options, progress).RunAsync(default)
            from file in version.Files
            select $"{version.Version} {file}",
        ];

    private static async Task<string[]> ListButNotPurgeAsync(BackupCase backup, string volume, string file)
    {
        var before = FolderState.Contents(backup.Remote);
        var listing = new WarningList();
        var listed = await ListAsync(backup, listing);
        Assert.That(listing.Texts, Has.One.Contains(volume).And.One.Contains($"{file} has its content. {Advice.DifferentFolder()}"));
        Assert.That(listing.Texts, Has.None.Contains(Advice.LostBlocks()).And.None.Contains(Advice.MissingBlockVolumes()));
        foreach (var isDry in new[] { true, false })
        {
            var error = BackupCase.Refused("MissingRemoteFiles", () => backup.PurgeBrokenAsync(isDry));
            Assert.That(error.Message, Does.Contain($"{volume} as {file}").And.EndsWith(Advice.DifferentFolder()));
        }

        Assert.That(FolderState.Contents(backup.Remote), Is.EqualTo(before));
        return listed;
    }

    private static RepairChoices All => new() { CheckVolumes = [RepairChoices.ALL] };

    private static async Task<BackupCase> MakeAsync(string? passphrase)
    {
        var backup = new BackupCase(x => x with { Passphrase = passphrase, IndexPolicy = IndexPolicy.Full });
        for (var version = 0; version < 3; version++)
            await backup.BackUpAsync($"file {version}", 60_000 + (3_000 * version), version);
        return backup;
    }

    // A verify compares names and sizes: the first two are of different sizes, which those of full volumes need not be.
    private static string[] Volumes(BackupCase backup, string kind) =>
        [
            .. backup
                .Volumes(kind)
                .GroupBy(x => new FileInfo(x).Length)
                .SelectMany(x => x.Select((path, rank) => (Path: path, Rank: rank)))
                .OrderBy(x => x.Rank)
                .Select(x => x.Path),
        ];
}
