// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Compact;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Main.Compact;

[TestFixture]
public class CompactReportTests
{
    [Test]
    [Contract("A 8.2 figures")]
    [Contract("A 8.2 lists")]
    [Contract("A 12 row 7")]
    public async Task Volumes_are_clean_wasteful_or_small_and_the_oldest_come_first()
    {
        using var sample = new SampleDatabase();
        var (clean, recent, old, fine, small) = (
            sample.Volume("clean"),
            sample.Volume("recent"),
            sample.Volume("old"),
            sample.Volume("fine"),
            sample.Volume("small", size: 10)
        );
        sample.DeletedBlock("d0", 100, clean);
        sample.DeletedBlock("d1", 60, recent);
        sample.DeletedBlock("d2", 60, old);
        sample.DeletedBlock("d3", 1, fine);
        var live = new[] { recent, old, fine, small }.Select((x, i) => sample.Block($"l{i}", 100, x)).ToArray();
        var metadata = sample.Metadata(sample.Blockset("meta", 100, live[1]));
        sample.Fileset(1000, sample.File("/d/", SampleDatabase.Folder, metadata));
        sample.Fileset(2000, sample.File("/d/a", sample.Blockset("a", 300, live[0], live[2], live[3])));
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Compact", null, default);

        var report = await db.GetCompactReportAsync(1000, 25, 10, 20, default);

        Assert.That(report.DeleteableVolumes, Is.EqualTo(new[] { "clean" }));
        Assert.That(report.CompactableVolumes, Is.EqualTo(new[] { "old", "recent", "small" }));
        Assert.That(report.ShouldReclaim);
        Assert.That(report.ShouldCompact, Is.False, "120 of 621 bytes are less than a quarter");
        Assert.That((await db.GetCompactReportAsync(1000, 19, 10, 20, default)).ShouldCompact, Is.True, "but more than 19 percent");
        Assert.That(
            (await db.GetCompactReportAsync(1000, 25, 10, 0, default)).ShouldCompact,
            Is.True,
            "one small volume is more than none"
        );
        Assert.That(
            (await db.GetCompactReportAsync(9, 100, 10, 20, default)).ShouldCompact,
            Is.True,
            "small volumes fill more than one volume"
        );
    }

    [Test]
    [Contract("A 8.2 figures")]
    public async Task Waste_counts_against_the_full_volume_size_too()
    {
        using var sample = new SampleDatabase();
        var volume = sample.Volume("a");
        sample.Block("live", 900, volume);
        sample.DeletedBlock("gone", 30, volume);
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Compact", null, default);

        Assert.That((await db.GetCompactReportAsync(100, 30, 0, 20, default)).CompactableVolumes, Is.EqualTo(new[] { "a" }));
        Assert.That((await db.GetCompactReportAsync(101, 30, 0, 20, default)).CompactableVolumes, Is.Empty);
    }

    [Test]
    [Contract("A 8.2 figures")]
    public async Task Volumes_with_nothing_in_use_are_deletable_but_empty_ones_only_once_they_are_finished()
    {
        using var sample = new SampleDatabase();
        sample.Volume("verified");
        sample.Volume("uploaded", state: "Uploaded", size: null);
        sample.Volume("uploading", state: "Uploading");
        sample.Volume("index", "Index");
        sample.DeletedBlock("x", 5, sample.Volume("deleting", state: "Deleting"));
        sample.Block("y", 5, 99);
        var both = sample.Volume("both");
        sample.Block("z", 5, both);
        sample.DeletedBlock("z", 5, both);
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Compact", null, default);

        var report = await db.GetCompactReportAsync(1000, 25, 10, 20, default);

        Assert.That(report.DeleteableVolumes, Is.EqualTo(new[] { "verified", "uploaded", "deleting", "both" }));
        Assert.That(report.CompactableVolumes, Is.Empty);
        Assert.That(
            () => db.PrepareForDeleteAsync("both", [both], default),
            Throws.TypeOf<Exception>().With.Message.Contains("Unexpected number of rows updated"),
            "its live block has no copy elsewhere"
        );
    }

    [Test]
    public async Task The_reason_is_told_once()
    {
        using var sample = new SampleDatabase();
        await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Compact", null, default);
        using var log = new LogCapture();

        (await db.GetCompactReportAsync(1000, 25, 10, 20, default)).ReportCompactData();

        Assert.That(log.Of(LogMessageType.Information, "CompactReason").Single().FormattedMessage, Is.EqualTo("Compacting not required"));
        foreach (var id in new[] { "FullyDeletableCount", "SmallVolumeCount", "WastedSpaceVolumes" })
            Assert.That(log.Of(LogMessageType.Verbose, id), Has.Count.EqualTo(1), id);
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [TestCase(200, 100, 0, 0, "fully deletable")]
    [TestCase(0, 0, 60, 60, "wasted space")]
    [Contract("A 8.2 ReportCompactData")]
    public void The_first_reason_that_applies_is_told(long cleanWaste, long cleanData, long waste1, long waste2, string expected)
    {
        using var log = new LogCapture();
        var volumes = new List<VolumeUsage> { new(1, "a", 100, waste1, 1000), new(2, "b", 100, waste2, 1000) };
        if (cleanWaste > 0)
            volumes.Add(new VolumeUsage(3, "c", cleanData, cleanWaste, 0));

        new CompactReport(volumes, 1000, 25, 10, 20).ReportCompactData();

        Assert.That(log.WithId("CompactReason").Single().FormattedMessage, Does.Contain(expected));
    }

    [TestCase(0L)]
    [TestCase(long.MaxValue)]
    [Contract("A 8.2 single precision")]
    public void Division_by_zero_is_no_waste(long threshold)
    {
        var report = new CompactReport([new VolumeUsage(1, "a", 0, 0, 100)], 0, threshold, 10, 20);

        Assert.That(report.DeleteableVolumes, Is.EqualTo(new[] { "a" }));
        Assert.That(report.CompactableVolumes, Is.Empty);
        Assert.That(report.ShouldCompact, Is.False);
    }

    [Test]
    [Contract("A 8.2 age")]
    public async Task Random_ages_are_those_of_plain_statements(
        [Values("", "UPDATE \"Fileset\" SET \"Timestamp\" = \"ID\" * 7 % 5 + 1", "DELETE FROM \"Fileset\" WHERE \"ID\" <> 2")] string change
    )
    {
        using var backup = new RandomBackup(LongRun.Seed(), files: 8);
        if (change.Length > 0)
            backup.Database.Rows(change);
        await using var db = await LocalDeleteDatabase.CreateAsync(backup.Path, "Compact", null, default);
        var expected = backup.Database.Rows(
            """
            SELECT v."ID", IFNULL((
                SELECT MIN(s."Timestamp") FROM "Block" b JOIN "BlocksetEntry" e ON e."BlockID" = b."ID"
                JOIN (SELECT "ID", "BlocksetID" FROM "FileLookup" UNION ALL SELECT l."ID", m."BlocksetID" FROM "FileLookup" l JOIN "Metadataset" m ON m."ID" = l."MetadataID") f ON f."BlocksetID" = e."BlocksetID"
                JOIN "FilesetEntry" fe ON fe."FileID" = f."ID" JOIN "Fileset" s ON s."ID" = fe."FilesetID" WHERE b."VolumeID" = v."ID"), 0)
            FROM "Remotevolume" v
            """
        );

        var ages = db.Session.Do(
            session => expected.Select(x => long.Parse(x.Split('|')[0])).Select(id => $"{id}|{new VolumeAges(session).Of(id)}").ToArray(),
            default
        );

        Assert.That(ages, Is.EqualTo(expected));
    }

    // All orders of three versions, and for each choice of them a volume of data and one of metadata: nothing is left to a draw.
    [Test]
    [Contract("A 8.2 age")]
    public async Task Ages_are_right_for_every_order_of_versions_and_every_choice_of_them()
    {
        foreach (
            var times in (long[][])
                [
                    [1, 2, 3],
                    [1, 3, 2],
                    [2, 1, 3],
                    [2, 3, 1],
                    [3, 1, 2],
                    [3, 2, 1],
                ]
        )
        {
            using var sample = new SampleDatabase();
            var files = times.Select(_ => new List<long>()).ToArray();
            var expected = new Dictionary<long, long>();
            for (var choice = 1; choice < 8; choice++)
            {
                var (data, metadata) = (sample.Volume($"data {choice}"), sample.Volume($"metadata {choice}"));
                var content = sample.Blockset($"d{choice}", 100, sample.Block($"d{choice}", 100, data));
                var described = sample.Metadata(sample.Blockset($"m{choice}", 100, sample.Block($"m{choice}", 100, metadata)));
                sample.File($"/unused {choice}", content, described);
                foreach (
                    var file in (long[])[sample.File($"/d{choice}", content), sample.File($"/m{choice}/", SampleDatabase.Folder, described)]
                )
                {
                    for (var version = 0; version < times.Length; version++)
                    {
                        if ((choice & (1 << version)) != 0)
                            files[version].Add(file);
                    }
                }

                expected[data] = expected[metadata] = times.Where((_, version) => (choice & (1 << version)) != 0).Min();
            }

            for (var version = 0; version < times.Length; version++)
                sample.Fileset(times[version], [.. files[version]]);
            await using var db = await LocalDeleteDatabase.CreateAsync(sample.Close(), "Compact", null, default);

            var ages = db.Session.Do(
                session =>
                {
                    var ages = new VolumeAges(session);
                    return expected.Keys.ToDictionary(volume => volume, ages.Of);
                },
                default
            );

            Assert.That(ages, Is.EqualTo(expected), $"times {string.Join(' ', times)} in the order of ids");
        }
    }

    [TestCase("a-plain-1k", 1, 2)]
    [TestCase("e-delete-nocompact", 1, 2)]
    [TestCase("j-purge", 25, 20)]
    [Contract("A 8.2 ShouldCompact")]
    public async Task What_Duplicati_does_not_compact_is_not_compacted(string set, long threshold, long smallCount)
    {
        using var folder = new TestFolder();
        await using var db = await LocalDeleteDatabase.CreateAsync(GoldenData.UnpackDatabase(set, folder.Path), "Compact", null, default);

        var report = await db.GetCompactReportAsync(51200, threshold, 10240, smallCount, default);

        Assert.That((report.ShouldReclaim, report.ShouldCompact), Is.EqualTo((false, false)));
    }
}
