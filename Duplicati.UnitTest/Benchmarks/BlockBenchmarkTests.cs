using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Blocks;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>One round of each question about blocks in each way, without timing: all ways must give the expected answer.</summary>
[TestFixture]
public class BlockBenchmarkTests
{
    [OneTimeSetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public void Every_way_gives_the_same_answer([Range(0, 10)] int number)
    {
        var question = BlockCases.All[number];
        foreach (var way in question.Ways)
        {
            var benchmark = question.Create(2000, way);
            benchmark.MakeFolder();
            try
            {
                benchmark.OpenFresh();
                benchmark.Measure();
                Assert.That(benchmark.CheckAndClose, Throws.Nothing, $"{question.Name}, {way}");
            }
            finally
            {
                benchmark.RemoveFolder();
            }
        }
    }

    [Test]
    public void Both_ways_of_reading_all_blocks_into_memory_find_the_last_one([ValueSource(typeof(FillMap), nameof(FillMap.Ways))] string way)
    {
        var fill = new FillMap { TableRows = 2000, Way = way };
        Assert.That(() => MicroBenchmarkTests.RunOnce(fill, fill.Measure), Throws.Nothing);
    }

    [Test]
    public void All_questions_and_ways_are_there()
    {
        Assert.That(BlockCases.All, Has.Count.EqualTo(11));
        string[] expected = [BlockWays.Provider, BlockWays.ProviderAsync, BlockWays.Unprepared, BlockWays.Native, BlockWays.Door, BlockWays.Batch];
        Assert.That(BlockWays.All, Is.SupersetOf(expected));
        Assert.That(BlockWays.All.Contains(BlockWays.CLoop), Is.EqualTo(CompiledLoop.IsAvailable));
    }

    [Test]
    public void Ten_million_blocks_are_only_there_when_asked_for()
    {
        BenchmarkScale.IsQuick = false;
        try
        {
            Assert.That(BlockBenchmark.Sizes, Is.EqualTo(new[] { 10_000, 100_000, 1_000_000 }));
            BenchmarkScale.IsHuge = true;
            Assert.That(BlockBenchmark.Sizes, Has.Member(10_000_000));
        }
        finally
        {
            BenchmarkScale.IsHuge = false;
            BenchmarkScale.IsQuick = true;
        }
    }
}
