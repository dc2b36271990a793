// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Security.Cryptography;
using System.Text;
using System.Text.Encodings.Web;
using System.Text.Json;
using System.Text.Json.Nodes;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// Volumes that are as they were uploaded by their hashes, and hold something else than the database says. The repair that a test advises
/// finds out which is wrong, and the test finds nothing when its advice was followed.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ContradictedVolumeTests
{
    // As volumes are written.
    private static readonly JsonSerializerOptions s_json = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    private BackupCase m_backup = null!;

    private string Index => m_backup.Volumes("dindex").MaxBy(x => new FileInfo(x).Length)!;

    [SetUp]
    public async Task MakeBackup()
    {
        m_backup = new BackupCase();
        SourceTree.Make(m_backup.Source, new Random(7));
        await m_backup.BackUpAsync();
    }

    [TearDown]
    public void RemoveBackup() => m_backup.Dispose();

    [Test]
    public async Task A_database_that_has_another_hash_is_made_anew()
    {
        Sql(
            """
            UPDATE "Block" SET "Hash" = substr("Hash", 2, 1) || substr("Hash", 1, 1) || substr("Hash", 3)
            WHERE "ID" = (
                SELECT MIN("Block"."ID") FROM "BlocksetEntry" JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
                WHERE substr("Hash", 1, 1) <> substr("Hash", 2, 1))
            """
        );
        var tested = await TestAsync();
        Assert.That(tested, Has.Length.EqualTo(2), "a block volume and its index volume");
        var files = Directory.GetFiles(m_backup.Remote);

        var report = await RepairAsync(tested);

        Assert.That(report.Problems, Has.Exactly(2).Contains(Advice.RecreateDatabase()));
        Assert.That(Directory.GetFiles(m_backup.Remote), Is.EqualTo(files), "nothing was done to the volumes");
        await new RecreateOperation(m_backup.Options, m_backup.Warnings) { Overwrite = true }.RunAsync(default);
        Assert.That(await TestAsync(), Is.Empty);
        await m_backup.AssertSoundAsync("after the recreate");
    }

    [Test]
    public async Task An_index_volume_that_lacks_a_block_is_made_anew()
    {
        var index = Index;
        Describe(index, described => described["blocks"]!.AsArray().RemoveAt(0));
        Book(index);
        var tested = await TestAsync();
        Assert.That(tested, Is.EqualTo(new[] { Path.GetFileName(index) }));

        Assert.That((await RepairAsync(tested)).Problems, Is.Empty);

        Assert.That(await TestAsync(), Is.Empty);
        await m_backup.AssertSoundAsync("after the repair");
        await m_backup.AssertRecreateEqualsAsync("after the repair");
    }

    // Its index volume says the same as the database.
    [Test]
    public async Task A_block_volume_that_lacks_a_block_is_made_anew()
    {
        var index = Index;
        var name = VolumeEdit.Read(index).Single(x => x.Name.StartsWith("vol/", StringComparison.Ordinal)).Name["vol/".Length..];
        var volume = Path.Combine(m_backup.Remote, name);
        using (var zip = ZipFile.Open(volume, ZipArchiveMode.Update))
            zip.Entries.First(x => x.FullName != "manifest").Delete();
        Describe(
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
        await m_backup.AssertSoundAsync("after the repair");
        await m_backup.AssertRecreateEqualsAsync("after the repair");
    }

    // A recreate believes it, and a compact takes what is really there for further copies.
    [Test]
    public async Task What_an_index_volume_claims_of_another_block_volume_is_not_deleted_there(
        [Values(5, int.MaxValue)] int count,
        [Values] bool isFirst,
        [Values] bool rewrites
    )
    {
        SourceTree.Change(m_backup.Source, new Random(8));
        await m_backup.BackUpAsync();
        var expected = await m_backup.RestoredVersionsAsync(2);
        var indexes = m_backup.Volumes("dindex").Where(x => VolumeEdit.Described(x).Content["blocks"]!.AsArray().Count > 10).ToArray();
        if (!isFirst)
            indexes.AsSpan().Reverse();
        var volume = VolumeEdit.Described(indexes[0]).Volume;
        VolumeEdit.Claim(indexes[0], indexes[1], count);
        m_backup.Options = m_backup.Options with
        {
            DatabasePath = m_backup.File("recreated.sqlite"),
            CompactThreshold = rewrites ? 0 : 25,
            SmallFileMaxCount = rewrites ? 0 : 20,
            SmallFileSize = rewrites ? 100 * 1024 : null,
        };
        await m_backup.RecreateAsync(m_backup.Options.DatabasePath);
        // That which is read first.
        var isRecordedThere =
            SampleDatabase
                .Rows(
                    m_backup.Options.DatabasePath,
                    $"""SELECT 1 FROM "Block" JOIN "Remotevolume" ON "Remotevolume"."ID" = "VolumeID" WHERE "Name" = '{volume}'"""
                )
                .Length > VolumeEdit.Read(Path.Combine(m_backup.Remote, volume)).Count(x => x.Name != "manifest");

        for (var round = 0; round < 2; round++)
            await new CompactOperation(m_backup.Options, m_backup.Warnings).RunAsync(default);

        if (isRecordedThere)
        {
            Assert.That(m_backup.Volumes("dblock").Select(Path.GetFileName), Does.Contain(volume));
            if (rewrites)
                Assert.That(m_backup.Warnings.Texts, Has.Some.Contains($"repair --check-volume {volume}"));
            var found = await new VerifyOperation(m_backup.Options, m_backup.Warnings).RunAsync(false, default);
            Assert.That(found.Problems, Has.Exactly(1).Contains($"repair --check-volume {volume}"));
            Assert.That((await RepairAsync([volume])).Problems, Is.Empty);
        }

        await m_backup.AssertSoundAsync("after the repair");
        await new CompactOperation(m_backup.Options, m_backup.Warnings).RunAsync(default);
        Assert.That(await m_backup.RestoredVersionsAsync(2), Is.EqualTo(expected));
        await m_backup.AssertSoundAsync("after the compact");
    }

    private static string HashOf(string path) => Convert.ToBase64String(SHA256.HashData(File.ReadAllBytes(path)));

    private static void Describe(string index, Action<JsonObject> change) =>
        VolumeEdit.Rewrite(
            index,
            (name, content) =>
            {
                if (!name.StartsWith("vol/", StringComparison.Ordinal))
                    return (name, content);
                var described = JsonNode.Parse(content)!.AsObject();
                change(described);
                return (name, Encoding.UTF8.GetBytes(described.ToJsonString(s_json)));
            }
        );

    // As it would be if it had been uploaded so.
    private void Book(string path) =>
        Sql(
            $"""
            UPDATE "Remotevolume" SET "Hash" = '{HashOf(path)}', "Size" = {new FileInfo(path).Length}
            WHERE "Name" = '{Path.GetFileName(path)}'
            """
        );

    private void Sql(string sql) => Databases.Execute(m_backup.Options.DatabasePath, sql);

    private async Task<string[]> TestAsync()
    {
        var report = await new TestOperation(m_backup.Options, m_backup.Warnings).RunAsync(long.MaxValue, default);
        return [.. report.Differences.Select(x => x.Volume).Distinct().Order()];
    }

    private Task<RepairReport> RepairAsync(string[] volumes) => m_backup.RepairAsync(new RepairChoices { CheckVolumes = volumes });
}
