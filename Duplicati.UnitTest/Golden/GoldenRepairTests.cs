// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.UnitTest.Dump;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// Damaged and interrupted backups are repaired; the outcome must be that of the real program, but for the decisions to do better.
/// </summary>
[TestFixture]
internal sealed class GoldenRepairTests : GoldenTestBase
{
    private const string Done = "after-repair.dump.json";

    private const string Truncated = "g-truncated-dblock";

    private static readonly DumpComparisonOptions s_content = new() { IgnoreDeleteTimes = true };

    private static IEnumerable<string> Repaired => GoldenData.Sets.Where(x => GoldenCommand.Find(x, "repair") is { ExitCode: 0 });

    // The real program leaves a truncated block volume as it is.
    private static IEnumerable<string> LeftAlike => Repaired.Where(x => x != Truncated);

    private static IEnumerable<string> RefusedSets => GoldenData.Sets.Where(x => GoldenCommand.Find(x, "repair") is { ExitCode: not 0 });

    private static IEnumerable<string> Killed => GoldenData.Sets.Where(x => GoldenData.Exists(x, "as-left/local.sqlite"));

    [TestCaseSource(nameof(LeftAlike))]
    [Contract("B 6")]
    public async Task Repair_gives_the_database_and_the_folder_that_the_real_program_left(string set)
    {
        var options = Options(set);
        var damaged = Directory.GetFiles(options.Remote).Select(x => Path.GetFileName(x)).ToHashSet(StringComparer.Ordinal);

        var report = await RepairAsync(options);

        AssertAsTheRealProgram(set, options, damaged);
        Assert.That(report.Problems, Is.Empty);
        Assert.That(report.UnknownFiles, Is.Empty);
    }

    [TestCaseSource(nameof(Killed))]
    [Contract("B 6 step 2")]
    [Contract("B 6 step 14")]
    public async Task A_database_left_with_its_log_by_a_killed_program_is_repaired_all_the_same(string set)
    {
        var options = Options(set);
        File.Delete(options.DatabasePath);
        GoldenData.Unpack(set, "as-left/local.sqlite", Folder.Path);
        if (GoldenData.Exists(set, "as-left/local.sqlite-wal"))
            GoldenData.Unpack(set, "as-left/local.sqlite-wal", Folder.Path);
        var damaged = Directory.GetFiles(options.Remote).Select(x => Path.GetFileName(x)).ToHashSet(StringComparer.Ordinal);

        await RepairAsync(options);

        AssertAsTheRealProgram(set, options, damaged);
    }

    [TestCaseSource(nameof(RefusedSets))]
    [Contract("B 6 step 6")]
    public void A_repair_that_the_real_program_refuses_fails_with_the_same_help_id_and_changes_nothing(string set)
    {
        var options = Options(set);
        var before = Directory.GetFiles(options.Remote);

        Assert.That(() => RepairAsync(options), Refused.HelpId(GoldenCommand.HelpId(set, "repair")));
        Assert.That(Directory.GetFiles(options.Remote), Is.EquivalentTo(before));
        Assert.That(Differences(set, options), Is.Empty);
    }

    [Test]
    public async Task A_truncated_block_volume_is_salvaged_and_what_is_lost_can_be_purged()
    {
        var options = Options(Truncated);

        var report = await RepairAsync(options);

        Assert.That((report.RecoveredBlocks > 0, report.LostBlocks > 0, report.KeptDamaged.Count), Is.EqualTo((true, true, 1)));
        await new PurgeBrokenFilesOperation(options, SilentProgress.Instance).RunAsync(default);
        Assert.That((await RepairAsync(options)).Problems, Is.Empty);
        Assert.That((await new TestOperation(options, SilentProgress.Instance).RunAsync(long.MaxValue, default)).Differences, Is.Empty);
    }

    [TestCaseSource(nameof(LeftAlike))]
    public async Task A_second_repair_finds_nothing_more_to_do(string set)
    {
        var options = Options(set);
        await RepairAsync(options);
        var database = DatabaseDump.Load(options.DatabasePath);
        var files = Directory.GetFiles(options.Remote);

        var report = await RepairAsync(options);

        Assert.That(report.Uploaded.Concat(report.Deleted), Is.Empty);
        Assert.That(Directory.GetFiles(options.Remote), Is.EquivalentTo(files));
        // What the first one uploaded counts as verified once it has been seen in the folder.
        var same = new DumpComparisonOptions { IgnoreVolumeStates = true };
        Assert.That(
            DatabaseComparison.Compare(database, DatabaseDump.Load(options.DatabasePath), same).Select(x => x.ToString()),
            Is.Empty
        );
    }

    [TestCaseSource(nameof(Repaired))]
    [TestCaseSource(nameof(RefusedSets))]
    public async Task A_dry_run_changes_nothing_and_says_what_the_repair_does(string set)
    {
        var options = Options(set);
        var before = FolderState.Contents(Folder.Path);

        var dry = await TryAsync(options with { DryRun = true });

        Assert.That(FolderState.Contents(Folder.Path), Is.EqualTo(before));
        var real = await TryAsync(options);
        Assert.That(dry is null, Is.EqualTo(real is null));
        Assert.That(dry?.Uploaded.Select(KindOf), Is.EqualTo(real?.Uploaded.Select(KindOf)));
        Assert.That(dry?.Deleted, Is.EqualTo(real?.Deleted));
    }

    [TestCase("g-missing-dindex")]
    [TestCase("g-missing-all-dindex")]
    [TestCase("g-missing-dlist")]
    [TestCase("f-killed-at-dlist")]
    public async Task A_repaired_backup_is_sound_and_recreates_to_the_same_database(string set)
    {
        var options = Options(set);
        await RepairAsync(options);

        Assert.That((await new TestOperation(options, SilentProgress.Instance).RunAsync(long.MaxValue, default)).Differences, Is.Empty);
        var recreated = options with { DatabasePath = Folder.File("recreated.sqlite") };
        var report = await new RecreateOperation(recreated, SilentProgress.Instance).RunAsync(default);

        Assert.That((report.Problems, report.BlockVolumes), Is.EqualTo((0, 0)), "every block volume has its index volume");
        Databases.AssertEqual(options.DatabasePath, recreated.DatabasePath);
    }

    [TestCase("g-missing-dindex")]
    [TestCase("a-plain-1k")]
    [TestCase("b-aes-1k")]
    public async Task Repair_without_a_database_recreates_it(string set)
    {
        var options = Options(set);
        File.Delete(options.DatabasePath);

        var report = await RepairAsync(options);

        Assert.That(report.Recreated!.Filelists, Is.EqualTo(4));
        Assert.That(Differences(set, "recreated.dump.json", options, DumpComparisonOptions.Logical).Select(x => x.ToString()), Is.Empty);
    }

    [TestCase("g-missing-dblock")]
    [TestCase("g-missing-dblock-and-dindex")]
    public async Task Rebuilding_a_lost_block_volume_from_the_sources_finds_the_content_that_the_real_program_found(string set)
    {
        var options = Options(set);
        GoldenData.CopyRemote("a-plain-1k", Folder.File("whole"));
        await new RestoreOperation(options with { Remote = Folder.File("whole") }, SilentProgress.Instance).RunAsync(
            Folder.File("tree1"),
            0,
            null,
            default
        );
        MoveSources(options.DatabasePath, Folder.File("tree1"));

        var report = await RepairAsync(options, new RepairChoices { RebuildMissingBlockVolumes = true });

        var upstream = GoldenData
            .Dump(set, "after-repair-rebuild.dump.json")
            .DuplicateBlocks.Select(x => x.Hash)
            .ToHashSet(StringComparer.Ordinal);
        var own = DatabaseDump.Load(options.DatabasePath);
        var metadata = own.Metadatasets.Select(x => x.FullHash).ToHashSet(StringComparer.Ordinal);
        var recovered = own.DuplicateBlocks.Select(x => x.Hash).ToHashSet(StringComparer.Ordinal);
        // The time of creation is part of metadata and cannot be set, so restored sources have other metadata.
        Assert.That(recovered, Is.SupersetOf(upstream.Where(x => !metadata.Contains(x))));
        Assert.That(report.RecoveredBlocks, Is.EqualTo(recovered.Count).And.Positive);
        Assert.That(report.LostBlocks, Is.Positive, "the rest is of older versions");
        Assert.That(
            report.Uploaded.Select(KindOf).Order(),
            Is.EqualTo(set == "g-missing-dblock" ? new[] { "dblock", "dindex" } : ["dblock", "dindex", "dindex"])
        );
        Assert.That(own.RowCounts["remotevolume"], Is.EqualTo(36 + report.Uploaded.Count));
    }

    [Test]
    public void Rebuilding_without_any_source_is_refused_when_a_part_is_not_enough()
    {
        var options = Options("g-missing-dblock");
        var before = Directory.GetFiles(options.Remote);
        var choices = new RepairChoices { RebuildMissingBlockVolumes = true, DisablePartialRecovery = true };

        Assert.That(() => RepairAsync(options, choices), Refused.HelpId("RepairIsNotPossible"));
        Assert.That(Directory.GetFiles(options.Remote), Is.EquivalentTo(before));
        var left = Differences("g-missing-dblock", options);
        Assert.That(left.Where(x => x.Section is not ("configuration" or "row_counts")).Select(x => x.ToString()), Is.Empty);
    }

    // The real program leaves block volumes without an index volume; here each gets one.
    private static void AssertAsTheRealProgram(string set, EngineOptions options, HashSet<string> damaged)
    {
        var upstream = GoldenData.Dump(set, Done);
        var indexed = upstream.IndexBlockLinks.Select(x => x.BlockVolume).ToHashSet(StringComparer.Ordinal);
        var bare = upstream
            .RemoteVolumes.Where(x => x.Type == "Blocks" && (x.State is "Uploaded" or "Verified") && !indexed.Contains(x.Name))
            .Select(x => x.Name)
            .ToList();
        var differences = Differences(set, options);

        var added = differences
            .Where(x => x.Section == "index_block_links" && bare.Exists(y => x.Actual?.Contains(y, StringComparison.Ordinal) == true))
            .ToList();
        var addedVolumes = differences
            .Where(x => x.Section == "remote_volumes" && x.Actual?.Contains("new Index", StringComparison.Ordinal) == true)
            .ToList();
        Assert.That((added.Count, addedVolumes.Count), Is.EqualTo((bare.Count, bare.Count)));
        var rest = differences.Except(added).Except(addedVolumes).Where(x => bare.Count == 0 || x.Section != "row_counts");
        Assert.That(rest.Select(x => x.ToString()).Where(x => !IsNewList(x, damaged)), Is.Empty);
        AssertListing(set, options, damaged, bare.Count);
    }

    // A list made anew has the name that the real program gives it, but is compressed in its own way.
    private static bool IsNewList(string difference, HashSet<string> damaged) =>
        difference.StartsWith("remote_volumes", StringComparison.Ordinal)
        && difference.Contains(".dlist.", StringComparison.Ordinal)
        && difference.Contains("\"state\": \"Uploaded\"", StringComparison.Ordinal)
        && !damaged.Any(x => difference.Contains(x, StringComparison.Ordinal));

    private static void AssertListing(string set, EngineOptions options, HashSet<string> damaged, int moreIndexes)
    {
        var upstream = GoldenFacts.Of(set).Folder("after-repair");
        var own = new DirectoryInfo(options.Remote).GetFiles().ToDictionary(x => x.Name, x => x.Length);
        Assert.That(
            own.Where(x => damaged.Contains(x.Key)),
            Is.EquivalentTo(upstream.Where(x => damaged.Contains(x.Key))),
            "what was there"
        );
        string[] Kinds(IEnumerable<string> names) =>
            [.. names.Where(x => !damaged.Contains(x)).Select(KindOf).Order(StringComparer.Ordinal)];
        Assert.That(
            Kinds(own.Keys),
            Is.EqualTo(Kinds(upstream.Keys).Concat(Enumerable.Repeat("dindex", moreIndexes)).Order(StringComparer.Ordinal)),
            "what is new"
        );
    }

    private static string KindOf(string name) => name.Split('.')[1];

    private static List<DumpDifference> Differences(string set, EngineOptions options) =>
        [.. VolumeRenaming.Compare(GoldenData.Dump(set, Done), DatabaseDump.Load(options.DatabasePath), s_content)];

    private static Task<RepairReport> RepairAsync(EngineOptions options, RepairChoices? choices = null) =>
        new RepairOperation(options, choices ?? new RepairChoices(), SilentProgress.Instance).RunAsync(default);

    private static async Task<RepairReport?> TryAsync(EngineOptions options)
    {
        try
        {
            return await RepairAsync(options);
        }
        catch (UserInformationException)
        {
            return null;
        }
    }

    private static void MoveSources(string database, string root) =>
        Databases.Execute(database, $"""UPDATE "PathPrefix" SET "Prefix" = replace("Prefix", '/data/tree1/', '{root}/')""");
}
