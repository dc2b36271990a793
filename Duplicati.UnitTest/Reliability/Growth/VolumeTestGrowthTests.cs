// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Reliability.Growth;

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
