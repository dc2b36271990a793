// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>
/// Every write, flush, rename and removal of a run is recorded; then the power fails after any of them, and of what was not flushed some is
/// there, in whatever order, and of a write some sectors. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~PowerLossTests"</c>.
/// </summary>
[TestFixture]
[NonParallelizable]
[Platform("Linux")]
internal sealed class PowerLossTests
{
    private const int Few = 20;
    private const int Many = 250;
    private const int FewCommits = 6;
    private const int ManyCommits = 25;

    [TestCase("default", Few)]
    [TestCase("durable", Few)]
    [TestCase("small", Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("default", Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("durable", Many, Explicit = true, Category = LongRun.Category)]
    public Task A_backup_loses_no_commit_that_was_promised(string preset, int states) =>
        RunAsync(new BackupPowerLoss(preset, states == Few ? FewCommits : ManyCommits), states);

    [Test]
    public async Task A_backup_without_any_flush_is_seen_to_be_damaged() =>
        Assert.That((await RunAsync(new BackupPowerLoss("rebuild", FewCommits), Few)).Damaged, Is.Positive);

    [TestCase("default", true, Few)]
    [TestCase("rebuild", true, Few)]
    [TestCase("default", false, Few)]
    [TestCase("default", true, Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("rebuild", true, Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("default", false, Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("rebuild", false, Many, Explicit = true, Category = LongRun.Category)]
    public Task A_recreate_hands_over_a_whole_database_or_none(string preset, bool replaces, int states) =>
        RunAsync(new RecreatePowerLoss(preset, replaces), states);

    [TestCase("handmade-v00", "default", Few)]
    [TestCase("downgraded-v18", "durable", Few)]
    [TestCase("handmade-v00", "default", Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("downgraded-v18", "default", Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("downgraded-v18", "durable", Many, Explicit = true, Category = LongRun.Category)]
    public Task An_upgrade_leaves_the_old_or_a_newer_version_and_a_copy_of_the_old_one(string old, string preset, int states) =>
        RunAsync(new UpgradePowerLoss(old, preset), states);

    [TestCase("default", Few)]
    [TestCase("default", Many, Explicit = true, Category = LongRun.Category)]
    public Task A_vacuum_changes_no_row(string preset, int states) => RunAsync(new VacuumPowerLoss(preset), states);

    [TestCase("default", 30, Few)]
    [TestCase("durable", 90, Few)]
    [TestCase("default", 30, Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("default", 90, Many, Explicit = true, Category = LongRun.Category)]
    [TestCase("durable", 30, Many, Explicit = true, Category = LongRun.Category)]
    public Task A_deletion_of_many_versions_is_done_or_not_begun(string preset, int versions, int states) =>
        RunAsync(new DeletionPowerLoss(preset, versions), states);

    private static async Task<PowerLossRun> RunAsync(PowerLossCase test, int states)
    {
        using var tested = test;
        var random = new Random(LongRun.Seed());
        var clock = Stopwatch.StartNew();
        using var folder = new TestFolder();
        await test.PrepareAsync(folder.Path, random);
        var recording = await DiskRecording.MakeAsync(
            folder.Path,
            PowerLossCase.Database,
            recorder => test.RunAsync(folder.Path, recorder)
        );
        var recorded = clock.Elapsed;
        var run = new PowerLossRun(recording, test, random);
        await run.RunAsync(states);
        TestContext.Out.WriteLine(
            $"{test.Name}: {run.States} states at {recording.Points.Count} points of {recording.Steps.Count} steps and {recording.Commits} commits; commits lost: states that lost them {run.Lost}; recorded in {recorded.TotalSeconds:0.0} s, all in {clock.Elapsed.TotalSeconds:0.0} s"
        );
        Assert.That(run.States, Is.GreaterThan(states / 2));
        return run;
    }
}
