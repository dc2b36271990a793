// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Recreates from a remote folder with file lists that do not even open, and with damaged lists of blocks.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnreadableListTests
{
    [TestCase(0)]
    [TestCase(200)]
    public async Task A_list_that_does_not_open_costs_its_own_version_alone(int bytes)
    {
        using var backup = new BackupCase();
        var expected = new List<string[]>();
        for (var version = 0; version < 3; version++)
        {
            await backup.BackUpAsync($"file {version}", 30_000, version);
            expected.Insert(0, SourceTree.Describe(backup.Source));
        }

        var list = backup.Volumes("dlist")[1];
        var whole = await File.ReadAllBytesAsync(list);
        await File.WriteAllBytesAsync(list, whole[..bytes]);
        var first = backup.Options.DatabasePath;

        var report = await backup.UseRecreatedAsync();

        Assert.That((report.Problems, report.Filelists), Is.EqualTo((1, 2)));
        var filesets = backup.Dump().Filesets.ToList();
        Assert.That(filesets.Select(x => x.IsFull), Is.EqualTo(new long?[] { 1, 0, 1 }));
        Assert.That(filesets[1].Entries, Is.Empty);
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(expected[0]));
        Assert.That(await backup.RestoredAsync(2), Is.EqualTo(expected[2]));
        var verify = await backup.VerifyAsync();
        Assert.That(verify.Problems, Has.Some.Contains(Path.GetFileName(list)));

        await File.WriteAllBytesAsync(list, whole);
        backup.Options = backup.Options with { DatabasePath = first };
        await backup.AssertRecreateEqualsAsync("with the list put back");
    }

    // Readable in all of its parts; only its checksum tells, at the end.
    [Test]
    public async Task What_is_altered_in_a_list_does_not_stand_for_what_whole_lists_say_of_the_same_contents()
    {
        using var backup = new BackupCase(x =>
            x with
            {
                IndexPolicy = IndexPolicy.None,
                Compression = new() { ZipLevel = 0 },
                BlockHash = "SHA256",
                FileHash = "MD5",
            }
        );
        // More than is read at once.
        for (var file = 0; file < 300; file++)
            SourceTree.Write(backup.Source, $"in both {file}", 30, new Random(file));
        await backup.BackUpAsync();
        for (var file = 0; file < 3; file++)
            await backup.BackUpAsync($"later {file}", 3_000, -file);
        var lists = backup.Volumes("dlist");
        Alter(lists[0]);
        await File.WriteAllBytesAsync(lists[1], []);
        Alter(lists[2]);

        var report = await backup.UseRecreatedAsync();

        Assert.That((report.Problems, report.Filelists), Is.EqualTo((3, 1)));
        Assert.That(backup.Warnings.Texts, Has.Some.Contains("checksum"));
        Assert.That(backup.IsFull(), Is.EqualTo(new long?[] { 0, 0, 0, 1 }), "also that of the list of which nothing is left");
        Assert.That(await backup.ListBrokenAsync(), Is.Empty);
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));

        // The metadata of all but the folder, which comes first and is another one in the next list.
        static void Alter(string list)
        {
            var bytes = File.ReadAllBytes(list);
            var name = "\"metablockhash\":\""u8;
            for (int at = bytes.AsSpan().IndexOf(name), next; (next = bytes.AsSpan(at + 1).IndexOf(name)) >= 0; )
            {
                at += 1 + next;
                ref var letter = ref bytes[at + name.Length];
                letter = letter == 'A' ? (byte)'B' : (byte)'A';
            }

            File.WriteAllBytes(list, bytes);
        }
    }

    [TestCase(null)]
    [TestCase("a passphrase")]
    public async Task Lists_of_blocks_in_a_volume_of_which_nothing_is_left_cost_the_files_that_need_them(string? passphrase)
    {
        using var backup = new BackupCase(x =>
            x with
            {
                IndexPolicy = IndexPolicy.Lookup,
                Passphrase = passphrase,
                VolumeSize = 200 * 1024,
            }
        );
        await backup.BackUpAsync("grown", 65_536, 1);
        var volume = backup.Volumes("dblock").Single();
        await File.AppendAllBytesAsync(Path.Combine(backup.Source, "grown"), VolumeFixture.RandomBytes(new Random(2), 40_000));
        await backup.BackUpAsync("small", 3_000, 3);
        await File.WriteAllBytesAsync(volume, []);

        var broken = await BrokenAsync(backup);
        Assert.That(
            broken.Select(x => x.Files.Select(file => Path.GetFileName(file.Path)).ToList()),
            Has.All.Member("grown").And.Exactly(2).Items
        );
        await backup.PurgeBrokenAsync();
        Assert.That(await backup.RestoredAsync(0), Has.Some.Contains("small").And.None.Contains("grown"));
    }

    [Test]
    public async Task A_list_of_blocks_in_the_damaged_part_of_a_volume_costs_its_file_alone()
    {
        using var backup = new BackupCase(x => x with { IndexPolicy = IndexPolicy.Lookup, VolumeSize = 200 * 1024 });
        SourceTree.Write(backup.Source, "large", 65_000, new Random(1));
        await backup.BackUpAsync("small", 3_000, 2);
        var list = backup.Dump().Blocksets.Single(x => x.BlocklistHashes.Count == 2).BlocklistHashes[1];
        var volume = backup.Volumes("dblock").Single();
        Damage(volume, list);

        var broken = await BrokenAsync(backup);
        Assert.That(broken.Single().Files.Select(x => Path.GetFileName(x.Path)), Is.EqualTo(new[] { "large" }));
        await backup.PurgeBrokenAsync();
        File.Delete(Path.Combine(backup.Source, "large"));
        Assert.That((await backup.RestoredAsync(0)).Where(IsFile), Is.EqualTo(SourceTree.Describe(backup.Source).Where(IsFile)));
    }

    // Without an index volume nothing tells its hash, so it is only seen to be damaged when all lists before have been taken in.
    [Test]
    public async Task What_a_volume_brought_before_its_damaged_part_counts_also_if_nothing_is_new_in_the_rest()
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 200 * 1024 });
        for (var file = 0; file < 5; file++)
            SourceTree.Write(backup.Source, $"{file}", 3_000 + file, new Random(file));
        await backup.BackUpAsync();
        var volume = backup.Volumes("dblock").Single();
        var content = await File.ReadAllBytesAsync(volume);
        var last = backup.Dump().Blocksets.Where(x => x.BlocklistHashes.Count == 1).MaxBy(x => OffsetOf(content, x.BlocklistHashes[0]))!;
        Damage(volume, last.BlocklistHashes[0]);
        File.Delete(backup.Volumes("dindex").Single());

        var broken = await BrokenAsync(backup);
        var lost = Path.Combine(backup.Source, $"{last.Length - 3_000}");
        Assert.That(broken.SelectMany(x => x.Files).Select(x => x.Path), Is.EqualTo(new[] { lost }));
        await backup.PurgeBrokenAsync();
        await backup.RepairAsync();
        Assert.That(
            backup.Warnings.Texts,
            Has.Some.Contains($"{Path.GetFileName(volume)} is not as it was uploaded"),
            "nobody took the damaged volume for a whole one"
        );
        await backup.AssertSoundAsync("after the repair");
        File.Delete(lost);
        Assert.That((await backup.RestoredAsync(0)).Where(IsFile), Is.EqualTo(SourceTree.Describe(backup.Source).Where(IsFile)));
    }

    // Nothing is left of the volume that holds its list of blocks, which the index volume has as well.
    [Test]
    public async Task A_file_whose_list_of_blocks_an_index_volume_has_is_not_broken_by_the_loss_of_the_volume_with_the_list()
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 200 * 1024 });
        var (whole, begin, lost) = (
            Path.Combine(backup.Source, "whole"),
            Path.Combine(backup.Source, "begin"),
            Path.Combine(backup.Source, "lost")
        );
        await backup.BackUpAsync("whole", 10 * 1024, 1);
        var blocks = backup.Volumes("dblock");
        await File.WriteAllBytesAsync(begin, (await File.ReadAllBytesAsync(whole))[..(5 * 1024)]);
        File.SetLastWriteTimeUtc(begin, File.GetLastWriteTimeUtc(whole));
        await backup.BackUpAsync();
        var volume = backup.Volumes("dblock").Except(blocks).Single();
        var (indexes, others) = (backup.Volumes("dindex"), backup.Volumes("dblock"));
        await backup.BackUpAsync("lost", 3_000, 3);
        var list = backup.Dump().Blocksets.Single(x => x.Length == 3_000).BlocklistHashes[0];
        Damage(backup.Volumes("dblock").Except(others).Single(), list);
        File.Delete(backup.Volumes("dindex").Except(indexes).Single());
        await File.WriteAllBytesAsync(volume, []);

        var broken = await BrokenAsync(backup);
        Assert.That(backup.Warnings.Texts, Has.Some.Contains(Path.GetFileName(volume)), "it was asked for the lost list");
        Assert.That(broken.SelectMany(x => x.Files).Select(x => x.Path), Is.EqualTo(new[] { lost }));
    }

    [TestCase(null)]
    [TestCase("passphrase")]
    public async Task Without_any_list_that_opens_the_blocks_stay_and_the_next_backup_uploads_none(string? passphrase)
    {
        using var backup = new BackupCase(x => x with { Passphrase = passphrase });
        await backup.BackUpAsync("file", 30_000, 1);
        var list = backup.Volumes("dlist").Single();
        var content = await File.ReadAllBytesAsync(list);
        // The head of a container, or what tells whether the passphrase is right.
        content.AsSpan(0, passphrase is null ? content.Length : 300)[(passphrase is null ? 0 : 100)..].Fill(1);
        await File.WriteAllBytesAsync(list, content);

        var report = await backup.UseRecreatedAsync();

        Assert.That((report.Problems, report.Filelists), Is.EqualTo((1, 0)));
        Assert.That(backup.Warnings.Texts, Has.Some.Contains(Path.GetFileName(list)));
        var next = await backup.BackUpAsync();
        Assert.That(next.NewBlocks, Is.Zero);
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
    }

    // All that is known of the files of a version whose list is damaged.
    [TestCase(1)]
    [TestCase(2)]
    public async Task A_database_that_knows_what_a_damaged_list_has_lost_is_kept_when_it_is_replaced(int versions)
    {
        using var backup = new BackupCase();
        for (var version = 0; version < versions; version++)
            await backup.BackUpAsync($"file {version}", 30_000, version);
        await File.WriteAllTextAsync(backup.Volumes("dlist")[0], "no zip");
        await backup.RecreateInPlaceAsync();

        var kept = DatabaseDump.Load(backup.Options.DatabasePath + ".backup");
        Assert.That(kept.Filesets.Select(x => x.Entries.Any()), Is.All.True);
        Assert.That(backup.Dump().Filesets.Select(x => x.Entries.Any()), Has.One.False);
    }

    [Test]
    public async Task Without_any_volume_that_opens_the_failure_is_that_of_the_lists()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("file", 30_000, 1);
        foreach (var volume in Directory.GetFiles(backup.Remote))
            await File.WriteAllTextAsync(volume, "no zip");

        Assert.That(async () => await backup.RecreateAsync(backup.File("recreated.sqlite")), Throws.InstanceOf<VolumeException>());
    }

    // What a recreate says to purge.
    private static Task<IReadOnlyList<BrokenFilesReport>> BrokenAsync(BackupCase backup)
    {
        Assert.That(backup.UseRecreatedAsync, Throws.InstanceOf<UserInformationException>().With.Message.Contains("purge-broken-files"));
        return new ListBrokenFilesOperation(backup.Options, SilentProgress.Instance).RunAsync(default);
    }

    private static bool IsFile(string described) => described.StartsWith("file", StringComparison.Ordinal);

    private static int OffsetOf(byte[] content, string list) =>
        content.AsSpan().IndexOf(Encoding.ASCII.GetBytes(HashEncoding.ToEntryName(list)));

    // Within the content of the list, whose entry's name is before it.
    private static void Damage(string volume, string list) =>
        VolumeEdit.Flip(volume, OffsetOf(File.ReadAllBytes(volume), list) + HashEncoding.ToEntryName(list).Length + 5);
}
