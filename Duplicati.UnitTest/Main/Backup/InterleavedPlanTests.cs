using System.Diagnostics;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>
/// Equal answers and tables, whatever happens in between. The long run:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Long&amp;FullyQualifiedName~InterleavedPlanTests"</c>.
/// </summary>
[TestFixture]
public class InterleavedPlanTests
{
    private const int Steps = 200;

    // Nothing in memory, a filter, fingerprints, full keys.
    private static readonly long[] s_mapBytes = [0, 2_000, 9_000, 1L << 30];

    [Test]
    public Task A_backup_with_anything_in_between_is_that_of_plain_statements([Range(1, 20)] int seed) => RunAsync(seed, s_mapBytes[seed % 4]);

    [Test, Explicit("The long run, ten minutes"), Category(LongRun.Category)]
    public async Task Long_run_of_backups_with_anything_in_between()
    {
        var time = Stopwatch.StartNew();
        for (var seed = Environment.TickCount; time.Elapsed < TimeSpan.FromMinutes(10); seed++)
            await RunAsync(seed, s_mapBytes[seed & 3]);
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
