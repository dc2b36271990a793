using Duplicati.Benchmarks.Large;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>How figures of large databases are put together and held to the goals.</summary>
[TestFixture]
internal sealed class LargeReportTests
{
    private const long MiB = 1 << 20;

    [Test]
    public void Growth_is_over_the_smallest_size_of_the_same_step_and_preset()
    {
        var table = new LargeReport(
        [
            Sample("default", 2000, processor: 8000), Sample("default", 1000, processor: 2000), Sample("small", 1000, processor: 4000), Sample("small", 2000, processor: 12000),
        ]).Table("large");

        Assert.That(table.Rows.Select(row => string.Join(' ', row.Skip(1).Take(4))), Is.EqualTo(new[] { "default 1000 2.00 1.00", "default 2000 4.00 2.00", "small 1000 4.00 1.00", "small 2000 6.00 1.50" }));
        Assert.That(table.Fault, Is.Null);
    }

    [Test]
    public void Times_are_medians_and_memory_is_the_most_of_all_rounds()
    {
        var table = new LargeReport([Sample("small", 1000, processor: 1000), Sample("small", 1000, processor: 9000, peak: 128 * MiB), Sample("small", 1000, processor: 2000)]).Table("large");

        Assert.That(table.Rows, Has.Count.EqualTo(1));
        Assert.That(table.Rows[0], Has.Member("2.00").And.Member("128.0").And.Member("50 %"));
        Assert.That(table.Rows[0][^1], Is.EqualTo("3"));
    }

    [TestCase("default", 1024, 25, 0)]
    [TestCase("default", 1025, 25, 1)]
    [TestCase("small", 256, 25, 0)]
    [TestCase("small", 257, 26, 2)]
    public void Memory_and_disk_have_goals_and_time_has_none(string preset, int memory, int disk, int missed)
    {
        var report = new LargeReport([Sample(preset, 1000, processor: 1), Sample(preset, 2000, processor: 1e9, peak: memory * MiB, disk: disk * MiB)]);

        Assert.That(report.Missed.Count(), Is.EqualTo(missed));
        Assert.That(report.Missed, Is.All.StartWith($"{LargeSteps.Recreate}, {preset}, 2000 blocks: "));
    }

    [Test]
    public void A_slow_disk_takes_its_time_for_bytes_and_for_flushes()
    {
        var table = new LargeReport([Sample("default", 1000, processor: 1, written: 50_000_000, flushes: 100)]).Table("large");

        Assert.That(table.Figures, Is.SupersetOf(new[] { "flushes", "slow disk µs/block" }));
        Assert.That(table.Rows[0], Has.Member("100").And.Member("1000.00"), "half a second for each");
    }

    private static (LargeCase, LargeSample) Sample(string preset, long blocks, double processor, long peak = MiB, long disk = 10 * MiB, long written = 0, long? flushes = null) =>
        (new LargeCase(LargeSteps.Recreate, preset, blocks), new LargeSample(new LargeCost(processor, processor, peak, written, 0, 1), disk, 10 * MiB, flushes));
}
