// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Micro;
using NUnit.Framework;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>One round of each question about blocks in each way, without timing: all ways must give the expected answer.</summary>
[TestFixture]
public class BlockBenchmarkTests
{
    private const int Rows = 2000;

    private static readonly (IEnumerable<string> Ways, Func<string, BlockBenchmark> Create)[] s_questions =
    [
        (
            SelectBlocks.Ways,
            way => new SelectBlocks
            {
                TableRows = Rows,
                Way = way,
                Hit = true,
            }
        ),
        (
            SelectBlocks.Ways,
            way => new SelectBlocks
            {
                TableRows = Rows,
                Way = way,
                Hit = false,
            }
        ),
        (InsertBlocks.Ways, way => new InsertBlocks { TableRows = Rows, Way = way }),
        (FindOrInsertBlocks.Ways, way => new FindOrInsertBlocks { TableRows = Rows, Way = way }),
        (InsertFirstBlocks.Ways, way => new InsertFirstBlocks { TableRows = Rows, Way = way }),
        (JoinBlockset.Ways, way => new JoinBlockset { TableRows = Rows, Way = way }),
        (JoinBlocks.Ways, way => new JoinBlocks { TableRows = Rows, Way = way }),
        (
            LinkBlocks.Ways,
            way => new LinkBlocks
            {
                TableRows = Rows,
                Way = way,
                BlocksPerFile = 100,
            }
        ),
        (
            LinkBlocks.Ways,
            way => new LinkBlocks
            {
                TableRows = Rows,
                Way = way,
                BlocksPerFile = 10_000,
            }
        ),
        (FirstBackup.Ways, way => new FirstBackup { TableRows = Rows, Way = way }),
        (FirstLinks.Ways, way => new FirstLinks { TableRows = Rows, Way = way }),
        (FillMap.Ways, way => new FillMap { TableRows = Rows, Way = way }),
    ];

    [OneTimeSetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public void Every_way_gives_the_same_answer([Range(0, 11)] int number)
    {
        var (ways, create) = s_questions[number];
        foreach (var way in ways)
            Assert.That(() => MicroBenchmarkTests.RunOnce(create(way)), Throws.Nothing, way);
    }

    [Test]
    public void All_questions_and_ways_are_there()
    {
        Assert.That(
            s_questions.Select(x => x.Create(BlockWays.Provider).GetType()).Distinct(),
            Is.EquivalentTo(BenchmarkGroups.Classes("blocks"))
        );
        string[] expected = [BlockWays.Provider, BlockWays.ProviderAsync, BlockWays.Unprepared, BlockWays.Native, BlockWays.Api];
        Assert.That(BlockWays.All, Is.SupersetOf(expected));
        Assert.That(BlockWays.All.Contains(BlockWays.CLoop), Is.EqualTo(CompiledLoop.IsAvailable));
    }

    [Test]
    public void Tables_have_the_sizes_that_were_asked_for()
    {
        BenchmarkScale.IsQuick = false;
        try
        {
            Assert.That(BlockBenchmark.Sizes, Is.EqualTo(new[] { 10_000, 100_000, 1_000_000 }));
            BenchmarkScale.IsHuge = true;
            Assert.That(BlockBenchmark.Sizes, Has.Member(10_000_000));
            BenchmarkScale.Rows = [3000];
            Assert.That(BlockBenchmark.Sizes, Is.EqualTo(new[] { 3000 }));
        }
        finally
        {
            (BenchmarkScale.IsHuge, BenchmarkScale.IsQuick, BenchmarkScale.Rows) = (false, true, []);
        }
    }
}
