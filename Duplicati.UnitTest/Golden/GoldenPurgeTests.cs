// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// Real backups are tested and purged, damaged ones listed and mended; where the real program succeeds the outcome must be its own.
/// </summary>
[TestFixture]
internal sealed class GoldenPurgeTests : GoldenTestBase
{
    private static IEnumerable<string> Undamaged =>
        GoldenData.SetsWithDatabase.Where(x =>
            !x.StartsWith("f-", StringComparison.Ordinal) && !x.StartsWith("old-", StringComparison.Ordinal)
        );

    private static IEnumerable<string> Listed => GoldenData.Sets.Where(x => GoldenCommand.Find(x, "list-broken-files") is not null);

    [TestCaseSource(nameof(Undamaged))]
    [Contract("C 12 row 10")]
    public async Task Every_volume_of_an_undamaged_backup_holds_what_its_database_says(string set)
    {
        var options = Options(set);

        var report = await new TestOperation(options, SilentProgress.Instance).RunAsync(long.MaxValue, default);

        Assert.That(report.Differences, Is.Empty);
        Assert.That(report.Volumes, Has.Count.EqualTo(Directory.GetFiles(options.Remote).Length).And.Unique);
    }

    [TestCase("g-corrupt-dblock", ".dblock.")]
    [TestCase("g-corrupt-dindex", ".dindex.")]
    [TestCase("g-corrupt-dlist", ".dlist.")]
    [Contract("C 6.3")]
    public async Task A_damaged_volume_is_found(string set, string kind)
    {
        var report = await new TestOperation(Options(set), SilentProgress.Instance).RunAsync(long.MaxValue, default);

        Assert.That(report.Differences.Select(x => x.Volume), Is.Unique.And.All.Contain(kind).And.Not.Empty);
        Assert.That(report.Differences, Has.All.Matches<VolumeDifference>(x => x.Status == TestEntryStatus.Error));
    }

    [TestCase("g-missing-dblock")]
    [TestCase("g-missing-dindex")]
    [TestCase("g-missing-dlist")]
    public void A_missing_volume_fails_the_test_with_the_help_id_of_the_real_program(string set)
    {
        Assert.That(
            () => new TestOperation(Options(set), SilentProgress.Instance).RunAsync(1, default),
            Refused.HelpId(GoldenCommand.HelpId(set, "test-all"))
        );
    }

    [TestCaseSource(nameof(Listed))]
    [Contract("C 10 ListBrokenFilesHandler")]
    [Contract("C 12 row 8")]
    [Contract("B 7 row 3")]
    public async Task The_broken_files_are_those_the_real_program_lists(string set)
    {
        var options = Options(set);
        var before = DatabaseDump.Load(options.DatabasePath);

        var report = await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);

        var expected = GoldenCommand.Facts<BrokenFacts[]>(set, "list-broken-files");
        Assert.That(report.Select(x => $"{x.Version}: {x.Files.Count}"), Is.EqualTo(expected.Select(x => $"{x.Version}: {x.Count}")));
        foreach (var (version, recorded) in report.Zip(expected))
            Assert.That(version.Files.Select(x => x.Path), Is.EquivalentTo(recorded.Files.Select(x => x[0])));
        Assert.That(
            DatabaseComparison.Compare(before, DatabaseDump.Load(options.DatabasePath), new DumpComparisonOptions()),
            Is.Empty,
            "listing leaves no trace"
        );
    }

    [TestCase("g-missing-dblock")]
    [TestCase("g-missing-dblock-and-dindex")]
    [Contract("C 10 PurgeBrokenFilesHandler")]
    [Contract("B 7 row 4")]
    public async Task Purging_broken_files_makes_a_backup_whole_that_restores_and_recreates(string set)
    {
        var options = Options(set);
        var broken = await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);
        var before = Directory.GetFiles(options.Remote);

        var dry = await new PurgeBrokenFilesOperation(options with { DryRun = true }, SilentProgress.Instance).RunAsync(default);
        Assert.That(Directory.GetFiles(options.Remote), Is.EquivalentTo(before), "a dry run changes nothing");
        var report = await new PurgeBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);

        Assert.That(report.Rewritten, Has.Count.EqualTo(broken.Count));
        Assert.That(
            report.Rewritten.Select(x => (x.RemovedFiles, x.RemovedBytes)),
            Is.EqualTo(dry.Rewritten.Select(x => (x.RemovedFiles, x.RemovedBytes)))
        );
        Assert.That(await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default), Is.Empty);
        Assert.That((await new PurgeBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default)).Rewritten, Is.Empty);
        var recreated = options with { DatabasePath = Folder.File("recreated.sqlite") };
        await new RecreateOperation(recreated, SilentProgress.Instance).RunAsync(default);
        var restored = await new RestoreOperation(recreated, SilentProgress.Instance).RunAsync(Folder.File("restored"), 0, null, default);
        Assert.That(restored.Failed, Is.Empty);
    }

    [TestCase("g-missing-dblock")]
    [TestCase("g-missing-dblock-and-dindex")]
    public async Task Without_replacing_metadata_entries_whose_metadata_are_lost_are_purged_as_well(string set)
    {
        var options = Options(set) with { DisableReplaceMissingMetadata = true };
        var before = Metadata(options);

        await new PurgeBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);

        Assert.That(Metadata(options), Is.SubsetOf(before), "no entry has other metadata than it had");
        Assert.That(await new ListBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default), Is.Empty);
        await new RecreateOperation(options with { DatabasePath = Folder.File("recreated.sqlite") }, SilentProgress.Instance).RunAsync(
            default
        );

        static HashSet<string> Metadata(EngineOptions options) =>
            [
                .. DatabaseDump
                    .Load(options.DatabasePath)
                    .Filesets.SelectMany(x => x.Entries)
                    .Select(x => $"{x.Path} {x.MetadataHash} {x.LastModified}"),
            ];
    }

    [TestCase("g-missing-dlist")]
    [TestCase("g-missing-dindex")]
    [TestCase("g-corrupt-dblock")]
    public async Task Purging_changes_nothing_where_no_file_is_broken(string set)
    {
        var options = Options(set);

        var report = await new PurgeBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);

        Assert.That((report.Rewritten.Count, report.Deleted.Count), Is.EqualTo((0, 0)));
        Assert.That(Differences(set, "after-purge-broken-files.dump.json", options), Is.Empty);
    }

    [Test]
    public async Task Purging_by_pattern_gives_the_database_that_the_real_program_made()
    {
        var options = Options("a-plain-1k") with { NoAutoCompact = true };

        var dry = await new PurgeOperation(options with { DryRun = true }, SilentProgress.Instance).RunAsync(["*/docs/*.txt"], [], default);
        var all = await new PurgeOperation(options, SilentProgress.Instance).RunAsync(["*/docs/*.txt"], [], default);
        var one = await new PurgeOperation(options, SilentProgress.Instance).RunAsync(["*/names/*"], [1], default);

        Assert.That(dry.Rewritten.Select(x => x.RemovedFiles), Is.EqualTo(all.Rewritten.Select(x => x.RemovedFiles)));
        Assert.That((all.Rewritten.Count, one.Rewritten.Count), Is.EqualTo((4, 1)));
        Assert.That(
            Differences("j-purge", "local.dump.json", options).Where(x => x.Section != "remote_volumes"),
            Is.Empty,
            "sizes and hashes of lists depend on how well they are compressed"
        );
        GoldenData.CopyRemote("j-purge", Folder.File("expected"));
        Assert.That(
            Directory.GetFiles(options.Remote).Select(Path.GetFileName),
            Is.EquivalentTo(Directory.GetFiles(Folder.File("expected")).Select(Path.GetFileName))
        );
        Assert.That((await new TestOperation(options, SilentProgress.Instance).RunAsync(long.MaxValue, default)).Differences, Is.Empty);
    }

    [Test]
    public void A_purge_without_a_pattern_or_of_everything_is_refused()
    {
        var options = Options("k-small");
        var before = Directory.GetFiles(options.Remote);

        Assert.That(() => PurgeAsync(" "), Refused.HelpId("EmptyFilterPurgeNotAllowed"));
        Assert.That(() => PurgeAsync("*"), Refused.HelpId("PurgeWouldRemoveEntireFileset"));
        Assert.That(Directory.GetFiles(options.Remote), Is.EquivalentTo(before));

        Task<PurgeReport> PurgeAsync(string pattern) =>
            new PurgeOperation(options, SilentProgress.Instance).RunAsync([pattern], [], default);
    }
}
