// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Security.Cryptography;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Volumes that are as they were uploaded by their hashes, and hold something else than the database says. The repair that a test advises
/// finds out which is wrong, and the test finds nothing when its advice was followed.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ContradictedVolumeTests : BackupTestBase
{
    private string Index => Backup.Volumes("dindex").MaxBy(x => new FileInfo(x).Length)!;

    [SetUp]
    public async Task MakeBackup() => Backup = await BackupCase.MadeAsync(7);

    [Test]
    public async Task A_database_that_has_another_hash_is_made_anew()
    {
        Backup.Sql(
            """
            UPDATE "Block" SET "Hash" = substr("Hash", 2, 1) || substr("Hash", 1, 1) || substr("Hash", 3)
            WHERE "ID" = (
                SELECT MIN("Block"."ID") FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
                WHERE substr("Hash", 1, 1) <> substr("Hash", 2, 1))
            """
        );
        var tested = await TestAsync();
        Assert.That(tested, Has.Length.EqualTo(2), "a block volume and its index volume");
        var files = Directory.GetFiles(Backup.Remote);

        var report = await RepairAsync(tested);

        Assert.That(report.Problems, Has.Exactly(2).Contains(Advice.RecreateDatabase()));
        Assert.That(Directory.GetFiles(Backup.Remote), Is.EqualTo(files), "nothing was done to the volumes");
        await Backup.RecreateInPlaceAsync();
        Assert.That(await TestAsync(), Is.Empty);
        await Backup.AssertSoundAsync("after the recreate");
    }

    [Test]
    public async Task An_index_volume_that_lacks_a_block_is_made_anew()
    {
        var index = Index;
        VolumeEdit.Describe(index, described => described["blocks"]!.AsArray().RemoveAt(0));
        Book(index);
        var tested = await TestAsync();
        Assert.That(tested, Is.EqualTo(new[] { Path.GetFileName(index) }));

        Assert.That((await RepairAsync(tested)).Problems, Is.Empty);

        Assert.That(await TestAsync(), Is.Empty);
        await Backup.AssertRecreateEqualsAsync("after the repair");
    }

    // Its index volume says the same as the database.
    [Test]
    public async Task A_block_volume_that_lacks_a_block_is_made_anew()
    {
        var index = Index;
        var name = VolumeEdit.Described(index).Volume;
        var volume = Path.Combine(Backup.Remote, name);
        using (var zip = ZipFile.Open(volume, ZipArchiveMode.Update))
            zip.Entries.First(x => x.FullName != "manifest").Delete();
        VolumeEdit.Describe(
            index,
            described =>
            {
                described["volumehash"] = HashOf(volume);
                described["volumesize"] = new FileInfo(volume).Length;
            }
        );
        Book(volume);
        Book(index);
        var tested = await TestAsync();
        Assert.That(tested, Is.EqualTo(new[] { name }));

        Assert.That((await RepairAsync(tested)).Problems, Is.Empty);

        Assert.That(await TestAsync(), Is.Empty);
        await Backup.AssertRecreateEqualsAsync("after the repair");
    }

    // A recreate believes it, and a compact takes what is really there for further copies.
    [Test]
    public async Task What_an_index_volume_claims_of_another_block_volume_is_not_deleted_there(
        [Values(5, int.MaxValue)] int count,
        [Values] bool isFirst,
        [Values] bool rewrites
    )
    {
        SourceTree.Change(Backup.Source, new Random(8));
        await Backup.BackUpAsync();
        var expected = await Backup.RestoredVersionsAsync(2);
        var indexes = Backup.Volumes("dindex").Where(x => VolumeEdit.Described(x).Content["blocks"]!.AsArray().Count > 10).ToArray();
        if (!isFirst)
            indexes.AsSpan().Reverse();
        var volume = VolumeEdit.Described(indexes[0]).Volume;
        VolumeEdit.Claim(indexes[0], indexes[1], count);
        Backup.Options = Backup.Options with
        {
            CompactThreshold = rewrites ? 0 : 25,
            SmallFileMaxCount = rewrites ? 0 : 20,
            SmallFileSize = rewrites ? 100 * 1024 : null,
        };
        await Backup.UseRecreatedAsync();
        // That which is read first.
        var isRecordedThere =
            Backup
                .Rows($"""SELECT 1 FROM "Block" JOIN "Remotevolume" ON "Remotevolume"."ID" = "VolumeID" WHERE "Name" = '{volume}'""")
                .Length > VolumeEdit.Read(Path.Combine(Backup.Remote, volume)).Count(x => x.Name != "manifest");

        for (var round = 0; round < 2; round++)
            await Backup.CompactAsync();

        if (isRecordedThere)
        {
            Assert.That(Backup.Volumes("dblock").Select(Path.GetFileName), Does.Contain(volume));
            if (rewrites)
                Assert.That(Backup.Warnings.Texts, Has.Some.Contains($"repair --check-volume {volume}"));
            var found = await Backup.VerifyAsync();
            Assert.That(found.Problems, Has.Exactly(1).Contains($"repair --check-volume {volume}"));
            Assert.That((await RepairAsync([volume])).Problems, Is.Empty);
        }

        await Backup.AssertSoundAsync("after the repair");
        await Backup.CompactAsync();
        Assert.That(await Backup.RestoredVersionsAsync(2), Is.EqualTo(expected));
        await Backup.AssertSoundAsync("after the compact");
    }

    private static string HashOf(string path) => Convert.ToBase64String(SHA256.HashData(File.ReadAllBytes(path)));

    // As it would be if it had been uploaded so.
    private void Book(string path) =>
        Backup.Sql(
            $"""
            UPDATE "Remotevolume" SET "Hash" = '{HashOf(path)}', "Size" = {new FileInfo(path).Length}
            WHERE "Name" = '{Path.GetFileName(path)}'
            """
        );

    private async Task<string[]> TestAsync() => [.. (await Backup.TestAsync()).Differences.Select(x => x.Volume).Distinct().Order()];

    private Task<RepairReport> RepairAsync(string[] volumes) => Backup.RepairAsync(new RepairChoices { CheckVolumes = volumes });
}
