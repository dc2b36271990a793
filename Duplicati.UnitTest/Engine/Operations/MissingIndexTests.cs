// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Whichever index volume is lost, a recreate reads the block volume of it, also where nothing else names a block of that volume.
/// </summary>
[TestFixture]
internal sealed class MissingIndexTests
{
    [Test]
    public async Task Without_any_one_of_the_index_volumes_a_recreate_is_complete()
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 100_000 });
        var random = new Random(7);
        for (var i = 0; i < 10; i++)
            SourceTree.Write(backup.Source, $"folder/{i}", 100_000, random);
        await backup.BackUpAsync();
        var whole = backup.File("whole.sqlite");
        await backup.RecreateAsync(whole);

        var indexes = backup.Volumes("dindex");
        Assert.That(indexes, Has.Length.GreaterThan(8));
        foreach (var index in indexes)
        {
            File.Move(index, backup.File("hidden"));
            var report = await backup.RecreateAsync(backup.File("recreated.sqlite"));
            Assert.That((report.BlockVolumes, report.Problems), Is.EqualTo((1, 0)), index);
            Assert.That(Differences(whole, backup.File("recreated.sqlite")), Is.Empty, index);
            File.Delete(backup.File("recreated.sqlite"));
            File.Move(backup.File("hidden"), index);
        }
    }

    [TestCase("\"Blocksize\":1024", "\"Blocksize\":4096")]
    [TestCase("\"FileHash\":\"SHA256\"", "\"FileHash\":\"MD5\"")]
    [Contract("B 8.3")]
    public async Task An_index_volume_that_was_made_with_other_settings_is_told_of_and_counts_as_lost(string part, string instead)
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 200_000 });
        await backup.BackUpAsync("file", 30_000, 1);
        var index = backup.Volumes("dindex").Single();
        using (var zip = ZipFile.Open(index, ZipArchiveMode.Update))
        {
            await using var content = zip.GetEntry(VolumeManifest.ENTRY_NAME)!.Open();
            using var reader = new StreamReader(content);
            var changed = Encoding.UTF8.GetBytes((await reader.ReadToEndAsync()).Replace(part, instead, StringComparison.Ordinal));
            content.SetLength(0);
            await content.WriteAsync(changed);
        }

        var report = await backup.RecreateAsync(backup.File("recreated.sqlite"));

        Assert.That((report.IndexVolumes, report.BlockVolumes, report.Problems), Is.EqualTo((0, 1, 1)));
        Assert.That(backup.Warnings.Texts, Has.Some.Contains(Path.GetFileName(index)));
        Assert.That(Differences(backup.Options.DatabasePath, backup.File("recreated.sqlite")), Is.Empty);
    }

    [Test]
    public async Task Also_of_a_block_volume_that_holds_only_blocks_and_the_lists_of_them()
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 200_000 });
        await backup.BackUpAsync("folder/file", 100, 8);
        var first = backup.Volumes("dindex");
        Grow(Path.Combine(backup.Source, "folder/file"));
        await backup.BackUpAsync();
        var index = backup.Volumes("dindex").Except(first).Single();
        Assert.That(
            backup.Rows(
                """
                SELECT COUNT(*) FROM "Metadataset" m JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID" JOIN "Block" b ON b."ID" = e."BlockID"
                WHERE b."VolumeID" = (SELECT MAX("ID") FROM "Remotevolume" WHERE "Type" = 'Blocks')
                """
            ),
            Is.EqualTo(new[] { "0" })
        );
        File.Delete(index);

        var report = await backup.RecreateAsync(backup.File("recreated.sqlite"));
        Assert.That((report.BlockVolumes, report.Problems), Is.EqualTo((1, 0)));
        Assert.That(Differences(backup.Options.DatabasePath, backup.File("recreated.sqlite")), Is.Empty);
    }

    // No list names a block of it, so it was not read.
    [Test]
    public async Task None_is_made_of_a_block_volume_of_which_nothing_is_known([Values] bool isRepaired)
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("first", 30_000, 1);
        var (lists, indexes, blocks) = (backup.Volumes("dlist"), backup.Volumes("dindex"), backup.Volumes("dblock").Length);
        await backup.BackUpAsync("second", 30_000, 2);
        var unknown = backup.Volumes("dblock").Length - blocks;
        foreach (var volume in backup.Volumes("dlist").Except(lists).Concat(backup.Volumes("dindex").Except(indexes)))
            File.Delete(volume);
        File.Delete(Path.Combine(backup.Source, "second"));
        SourceTree.Write(backup.Source, "third", 100, new Random(3));
        Assert.That((await backup.UseRecreatedAsync()).BlockVolumes, Is.Zero);

        if (isRepaired)
            Assert.That((await backup.RepairAsync()).Uploaded, Is.Empty);
        await backup.BackUpAsync();

        Assert.That(backup.Volumes("dindex"), Has.Length.EqualTo(backup.Volumes("dblock").Length - unknown));
        // A repair has found its hash, which a recreate does not look for.
        if (!isRepaired)
            await backup.AssertRecreateEqualsAsync("after the backup");
        await backup.CompactAsync();
        Assert.That(backup.Volumes("dindex"), Has.Length.EqualTo(backup.Volumes("dblock").Length));
    }

    // Neither the times of the file nor those of its folder change, so that there is no new metadata.
    private static void Grow(string path)
    {
        var time = File.GetLastWriteTimeUtc(path);
        File.AppendAllBytes(path, VolumeFixture.RandomBytes(new Random(9), 60_000));
        File.SetLastWriteTimeUtc(path, time);
    }

    private static IEnumerable<string> Differences(string whole, string other)
    {
        var options = DumpComparisonOptions.Logical with
        {
            IgnoredSections = new HashSet<string>
            {
                DumpNames.Operations,
                DumpNames.RemoteVolumes,
                DumpNames.IndexBlockLinks,
                DumpNames.RowCounts,
            },
        };
        return Databases.Compare(whole, other, options).Select(x => x.ToString());
    }
}
