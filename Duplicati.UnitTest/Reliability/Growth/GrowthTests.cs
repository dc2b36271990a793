// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability.Growth;

/// <summary>
/// More and more versions: each operation takes more steps of the engine in proportion to the rows that it has to look at, not more.
/// The long run: see docs/reliability.md.
/// </summary>
[TestFixture]
[NonParallelizable]
internal sealed class GrowthTests
{
    // What a further row may cost, in what one of the last cost; where something grows with the square of the versions it costs ten.
    private const double Factor = 2;

    [Test]
    public Task No_operation_takes_more_steps_than_in_proportion_to_what_it_looks_at() => RunAsync(1, 10, 100);

    [Test, Explicit("The long run, 1,000 versions"), Category(LongRun.Category)]
    public Task Long_run_of_versions() => RunAsync(1, 10, 100, LongRun.Count(1000));

    private static async Task RunAsync(params int[] versions)
    {
        using var backup = new GrowingBackup();
        var measured = MeasuredOperation.All.ToDictionary(x => x, _ => new List<Point>());
        foreach (var count in versions)
        {
            await backup.GrowAsync(count);
            var size = backup.Size;
            TestContext.Out.WriteLine(size);
            foreach (var (operation, points) in measured)
                points.Add(new Point(operation.Rows(size), await backup.StepsAsync(operation)));
        }

        foreach (var (operation, points) in measured)
            TestContext.Out.WriteLine($"{operation.Name}: {string.Join("; ", points.Select(x => $"{x.Steps} steps for {x.Rows} rows"))}");
        Assert.Multiple(() =>
        {
            foreach (var (operation, points) in measured)
                AssertProportional(operation.Name, points);
        });
    }

    // Twice what each of the last rows has cost, or what all have in the mean: the first rows of all cost most, or least.
    private static void AssertProportional(string name, List<Point> points)
    {
        for (var i = 2; i < points.Count; i++)
        {
            var (few, before, now) = (points[i - 2], points[i - 1], points[i]);
            var last = (double)(before.Steps - few.Steps) / (before.Rows - few.Rows);
            var mean = (double)before.Steps / before.Rows;
            var most = before.Steps + ((now.Rows - before.Rows) * Math.Max(Factor * last, mean));
            Assert.That(now.Steps, Is.AtMost((long)most), $"{name}: steps for {now.Rows} rows");
        }
    }

    private sealed record Point(long Rows, long Steps);
}

[TestFixture]
[NonParallelizable]
internal sealed class VolumeTestGrowthTests
{
    private const int Files = 1000;
    private const int FileSize = 1500;
    private const int SmallVolumes = 20 * 1024;
    private const int LargeVolumes = 10 * SmallVolumes;

    // Ten times the volumes take more steps for what is done once for each. All lists read again for each take twenty times as many.
    private const long Factor = 5;

    [Test]
    public async Task A_test_of_many_volumes_does_not_read_all_lists_of_blocks_for_each()
    {
        var (few, fewSteps) = await StepsAsync(LargeVolumes);
        var (many, manySteps) = await StepsAsync(SmallVolumes);

        TestContext.Out.WriteLine($"{fewSteps} steps for {few} volumes, {manySteps} for {many}");
        Assert.That(many, Is.GreaterThan(5 * few));
        Assert.That(manySteps, Is.LessThan(Factor * fewSteps));
    }

    // Each file has a list of its two blocks.
    private static async Task<(int Volumes, long Steps)> StepsAsync(int volumeSize)
    {
        using var backup = new BackupCase(x => x with { VolumeSize = volumeSize });
        var random = new Random(1);
        for (var i = 0; i < Files; i++)
            SourceTree.Write(backup.Source, $"file-{i}", FileSize, random);
        await backup.BackUpAsync();

        using var counter = new WorkCounter();
        var report = await new TestOperation(backup.Options, SilentProgress.Instance).RunAsync(long.MaxValue, default);
        Assert.That(report.Differences, Is.Empty);
        return (report.Volumes.Count, counter.Steps);
    }
}
