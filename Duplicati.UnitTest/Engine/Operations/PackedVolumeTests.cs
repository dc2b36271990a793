// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.UnitTest.Engine.Volumes;
using SharpCompress.Common;
using SharpCompress.Writers.Zip;
using PublicZipWriter = SharpCompress.Writers.Zip.ZipWriter;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Backups whose volumes are packed in each way that can be written: the rows of the table in docs/remotes.md.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class PackedVolumeTests
{
    [Test]
    public async Task A_backup_is_restored_recreated_tested_and_salvaged_however_it_is_packed(
        [ValueSource(typeof(VolumeFixture), nameof(VolumeFixture.Packings))] string packing
    )
    {
        // Zstandard packs 128 KB together, of which a part is nothing.
        using var backup = new BackupCase(x => With(x, packing) with { VolumeSize = 1024 * 1024 });
        var seed = LongRun.Seed();
        SourceTree.Make(backup.Source, new Random(seed));
        await backup.BackUpAsync("large", 600_000, seed + 2);
        var first = SourceTree.Describe(backup.Source);
        SourceTree.Change(backup.Source, new Random(seed + 1));
        await backup.BackUpAsync();

        var module = VolumeFixture.Packed(packing).Module;
        Assert.That(Directory.GetFiles(backup.Remote), Is.All.EndsWith("." + module));
        Assert.That(await backup.RestoredAsync(1), Is.EqualTo(first));
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        await backup.AssertRecreateEqualsAsync(packing);
        var test = await backup.TestAsync();
        Assert.That(test.Differences, Is.Empty);

        await LoseIndexesAsync(backup);
        await LoseHalfAsync(backup);
    }

    [Test]
    public void The_table_of_the_documents_says_what_is_read_and_written()
    {
        var rows = File.ReadLines(Repository.File("docs", "remotes.md"))
            .Where(x => x.StartsWith("| `", StringComparison.Ordinal))
            .Select(x => x.Split('|', StringSplitOptions.TrimEntries))
            .Where(x => VolumeName.Modules.Contains(x[1].Split('`')[1]))
            .ToDictionary(x => x[1].Split('`', StringSplitOptions.RemoveEmptyEntries | StringSplitOptions.TrimEntries)[^1]);
        Assert.That(rows.Keys, Is.EquivalentTo(VolumeFixture.Packings.Union(ForeignPackings.Names)));
        Assert.That(rows.Values.Select(x => (x[2], x[4])), Is.All.EqualTo(("yes", "yes")));
        foreach (var (packing, row) in rows)
            Assert.That(row[3], Is.EqualTo(VolumeFixture.Packings.Contains(packing) ? "yes" : "no"), packing);
    }

    [Test]
    public async Task Volumes_of_all_kinds_in_one_folder_are_one_backup()
    {
        using var backup = new BackupCase();
        var random = new Random(LongRun.Seed());
        var versions = new List<string[]>();
        foreach (var packing in VolumeFixture.Packings)
        {
            backup.Options = With(backup.Options, packing);
            SourceTree.Write(backup.Source, packing, 20_000, random);
            SourceTree.Write(backup.Source, "changed by all", 5000, random);
            await backup.BackUpAsync();
            versions.Insert(0, SourceTree.Describe(backup.Source));
        }

        var endings = Directory.GetFiles(backup.Remote).Select(Path.GetExtension).Distinct();
        Assert.That(endings, Is.EquivalentTo(VolumeName.Modules.Select(x => "." + x)));
        // The module is the database's from now on, and what is recreated goes on with that of the newest version.
        backup.Options = backup.Options with
        {
            CompressionModule = null,
        };
        for (var version = 0; version < versions.Count; version++)
            Assert.That(await backup.RestoredAsync(version), Is.EqualTo(versions[version]));
        await backup.AssertRecreateEqualsAsync("all");

        await new DeleteOperation(backup.Options with { CompactThreshold = 1 }, backup.Warnings).RunAsync([1, 2, 3, 5], false, default);
        await backup.AssertRecreateEqualsAsync("after the compact");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(versions[0]));
        Assert.That(await backup.RestoredAsync(3), Is.EqualTo(versions[7]));
    }

    [Test]
    public async Task A_second_is_taken_by_a_list_of_another_module()
    {
        using var backup = new BackupCase();
        SourceTree.Write(backup.Source, "file", 100, new Random(1));
        foreach (var packing in new[] { VolumeName.TGZ, VolumeName.ZIP, VolumeName.TZSTD })
        {
            backup.Options = With(backup.Options, packing == VolumeName.ZIP ? nameof(ZipMethod.Deflate) : packing);
            await backup.BackUpAsync(packing, 100, 2);
        }

        var times = backup.Volumes("dlist").Select(x => VolumeName.Parse(Path.GetFileName(x))!.Time).ToList();
        Assert.That(times, Has.Count.EqualTo(3).And.Unique);
        await backup.AssertRecreateEqualsAsync("three modules");
    }

    [TestCase("7z", "Deflate", null, null)]
    [TestCase("zip", "Deflate64", null, null)]
    [TestCase("zip", "Xz", null, null)]
    [TestCase("zip", "Deflate", 10, null)]
    [TestCase("tgz", "Deflate", null, 4)]
    public void What_cannot_be_written_is_an_error_in_one_line(string module, string method, int? zipLevel, int? tgzLevel)
    {
        using var backup = new BackupCase(x =>
            x with
            {
                CompressionModule = module,
                Compression = new()
                {
                    Method = VolumeCompression.ParseMethod(method),
                    ZipLevel = zipLevel,
                    TgzLevel = tgzLevel,
                },
            }
        );
        SourceTree.Write(backup.Source, "file", 100, new Random(1));
        var error = BackupCase.Refused("InvalidCompression", backup.BackUpAsync);
        Assert.That(error.Message, Does.Not.Contain('\n'));
        Assert.That(Directory.Exists(backup.Remote) && Directory.EnumerateFiles(backup.Remote).Any(), Is.False);
    }

    // Duplicati writes them with this library (D 6c), so it has no volumes that the table lacks.
    [TestCase(CompressionType.Deflate64)]
    [TestCase(CompressionType.Xz)]
    [TestCase(CompressionType.GZip)]
    public void What_is_not_written_here_cannot_be_written_by_Duplicati_either(CompressionType method) =>
        Assert.Throws<InvalidFormatException>(() =>
        {
            using var writer = new PublicZipWriter(new MemoryStream(), new ZipWriterOptions(method));
            writer.Write("entry", new MemoryStream(new byte[100]), new ZipWriterEntryOptions());
        });

    private static EngineOptions With(EngineOptions options, string packing)
    {
        var compression = VolumeFixture.Packed(packing);
        return options with { Compression = compression, CompressionModule = compression.Module };
    }

    // The block volumes are read for what the index volumes would tell.
    private static async Task LoseIndexesAsync(BackupCase backup)
    {
        var aside = backup.File("aside");
        Directory.CreateDirectory(aside);
        var indexes = backup.Volumes("dindex");
        foreach (var path in indexes)
            File.Move(path, Path.Combine(aside, Path.GetFileName(path)));
        var report = await backup.RecreateAsync(backup.File("without-indexes.sqlite"));
        Assert.That(report.BlockVolumes, Is.Positive);
        foreach (var path in indexes)
            File.Move(Path.Combine(aside, Path.GetFileName(path)), path);
    }

    private static async Task LoseHalfAsync(BackupCase backup)
    {
        var volume = backup.Volumes("dblock")[0];
        VolumeEdit.Cut(volume);
        var restore = await backup.RestoreAsync(backup.File("damaged"));
        Assert.That(restore.Failed, Is.Not.Empty, "something is damaged");

        var repair = await backup.RepairAsync(new RepairChoices { CheckVolumes = [Path.GetFileName(volume)] });
        Assert.That(repair.RecoveredBlocks, Is.Positive, "all that was before the damage can be read");
        await backup.PurgeBrokenAsync();
        await backup.AssertSoundAsync("after the repair");
        Assert.That((await backup.RecreateAsync(backup.File("repaired.sqlite"))).Problems, Is.Zero);
    }
}
