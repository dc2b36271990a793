// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>
/// Equal answers and tables, whatever happens in between. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~InterleavedPlanTests"</c>.
/// </summary>
[TestFixture]
public class InterleavedPlanTests
{
    private const int Steps = 200;
    private const int PlansOfSeed = 1000;

    // Nothing in memory, a filter, fingerprints, full keys.
    private static readonly long[] s_mapBytes = [0, 2_000, 9_000, 1L << 30];

    [Test]
    [Contract("A 1.6 identity")]
    [Contract("A 7.2")]
    [Contract("A 7.2 FindBlockIDAsync")]
    [Contract("A 7.2 MoveBlockToVolumeAsync")]
    [Contract("A 7.3")]
    [Contract("A 13 row Q1")]
    public async Task A_random_backup_leaves_the_tables_of_plain_statements(
        [Range(1, 4)] int seed,
        [Values(0L, 200_000L, 1L << 30)] long mapBytes
    )
    {
        await using var plan = new BackupPlan(seed);
        await plan.BeginAsync();
        BlockOptions.Of(plan.Real.Database.Session).MapBytes = mapBytes;
        for (var step = 0; step < 700; step++)
            await plan.StepAsync();
        plan.CompareTables();
    }

    [Test]
    public Task A_backup_with_anything_in_between_is_that_of_plain_statements([Range(1, 20)] int seed) =>
        RunAsync(seed, s_mapBytes[seed % 4]);

    [Test, Explicit("The long run, 100,000 steps"), Category(LongRun.Category)]
    public async Task Long_run_of_backups_with_anything_in_between()
    {
        // Those of the next run of rounds are others.
        var seed = (LongRun.Seed() & 0xffff) * PlansOfSeed;
        for (var left = LongRun.Count(100_000); left > 0; left -= Steps)
        {
            await RunAsync(seed, s_mapBytes[seed & 3]);
            seed++;
        }
    }

    private static async Task RunAsync(int seed, long mapBytes)
    {
        await using var plan = new InterleavedPlan(seed, mapBytes);
        await plan.BeginAsync();
        for (var step = 0; step < Steps; step++)
            await plan.StepAsync();
        await plan.CompareAsync();
        TestContext.Out.WriteLine($"answered by {string.Join(", ", plan.Tiers)}");
    }
}
