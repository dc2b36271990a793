// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using Duplicati.Benchmarks.Micro;
using Duplicati.Library.SQLiteHelper.Connections;
using Pragmas = Duplicati.Benchmarks.Micro.Pragmas;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>One round of each micro benchmark, without timing: it must run and give the right answer.</summary>
[TestFixture]
public class MicroBenchmarkTests
{
    [OneTimeSetUp]
    public void BeQuick() => BenchmarkScale.IsQuick = true;

    [OneTimeTearDown]
    public void RemoveTemplates() => DatabaseTemplates.Remove();

    [Test]
    public void Groups_are_found_by_their_attribute()
    {
        Assert.That(BenchmarkGroups.Names, Is.SupersetOf(new[] { "commits", "pragmas" }));
        Assert.That(
            BenchmarkGroups.Classes("Pragmas"),
            Is.EqualTo(new[] { typeof(Pragmas.FindBlocks), typeof(Pragmas.InsertBlocks), typeof(Pragmas.SortBlocks) })
        );
    }

    [TestCase("stock")]
    [TestCase("default")]
    [TestCase("page_size=16384")]
    public void Every_pragma_question_is_answered_alike(string variant)
    {
        RunOnce(new Pragmas.InsertBlocks { Variant = variant });
        RunOnce(new Pragmas.FindBlocks { Variant = variant });
        RunOnce(new Pragmas.SortBlocks { Variant = variant });
    }

    [Test]
    public void Every_way_of_committing_leaves_all_rows([ValueSource(typeof(CommitRows), nameof(CommitRows.Ways))] string way)
    {
        RunOnce(new CommitRows { Way = way, Writers = 2 });
    }

    [Test]
    public void A_thread_that_fails_fails_the_benchmark()
    {
        using var team = new ThreadTeam(
            3,
            number =>
            {
                if (number == 1)
                    throw new FormatException("one of three");
            }
        );
        Assert.That(team.Run, Throws.InvalidOperationException.With.InnerException.TypeOf<FormatException>());
    }

    [Test]
    public void Threads_that_were_never_let_to_work_do_nothing()
    {
        var worked = 0;
        new ThreadTeam(2, _ => Interlocked.Increment(ref worked)).Dispose();
        Assert.That(worked, Is.Zero);
    }

    [Test]
    public void A_group_says_how_durable_its_commits_are() =>
        Assert.That(BenchmarkGroups.Durability("commits"), Does.Contain("synchronous FULL"));

    [Test]
    public void The_pragma_variants_begin_with_the_baseline_and_end_with_the_presets()
    {
        var variants = Pragmas.PragmaVariants.All.ToArray();
        Assert.That(variants[0], Is.EqualTo("stock"));
        Assert.That(variants, Is.SupersetOf(ConnectionPreset.All.Select(preset => preset.Name)).And.Unique);
        foreach (var variant in variants.Where(variant => variant.Contains('=')))
            Assert.That(Pragmas.PragmaVariants.Options(variant).Pragmas.Select(pragma => pragma.ToString()), Has.Member(variant));
    }

    [Test]
    public void A_wrong_answer_fails_the_run()
    {
        using var folder = new TestFolder();
        BenchmarkRecord.Take();
        var run = new MicroRun(folder.Path);
        const ConfigOptions Options = ConfigOptions.DisableLogFile | ConfigOptions.DisableOptimizationsValidator;
        var right = run.Run([typeof(RightAnswer)], [], Options);
        Assert.That(right.Select(MicroRun.HasFailed), Is.All.False);
        Assert.That(run.Run([typeof(WrongAnswer)], [], Options).Select(MicroRun.HasFailed), Has.Some.True);
        var table = run.Results("group", "command", right).Single().Table;
        var row = table.Rows.Single().Zip(table.Texts.Concat(table.Figures)).ToDictionary(x => x.Second, x => x.First);
        Assert.That((row["answer"], row["speed-up"]), Is.EqualTo(("0000002a", "baseline")));
        Assert.That(table.Note, Does.StartWith("Medians of 3"));
    }

    [Test]
    public void Cases_are_held_against_the_baseline_and_one_with_another_answer_is_found()
    {
        using var folder = new TestFolder();
        BenchmarkRecord.Take();
        var run = new MicroRun(folder.Path);
        const ConfigOptions Options = ConfigOptions.DisableLogFile | ConfigOptions.DisableOptimizationsValidator;

        var result = run.Results("group", "command", run.Run([typeof(TwoWays)], [], Options)).Single();

        Assert.That(
            result.Differences,
            Is.EqualTo(new[] { "group/TwoWays(Way=other, Writers=2) answers 00000007, own answers 0000002a." })
        );
        Assert.That(result.Table.Texts, Is.EqualTo(new[] { "Writers", "Way" }));
        Assert.That(result.Table.Rows.Select(row => $"{row[0]} {row[1]}"), Is.EqualTo(new[] { "1 own", "1 other", "2 own", "2 other" }));
        Assert.That(
            result.Table.Ratios.Select(ratio => ratio.Name),
            Is.EqualTo(
                from writers in (string[])["1", "2"]
                from kind in (string[])["", ", cpu"]
                select $"group/TwoWays(Way=other, Writers={writers}) over own{kind}"
            )
        );
        Assert.That(result.Table.Ratios[0].Setting, Does.Match(@"^quick, 1 rows, seed \d+, SQLite [\d.]+, \d+ processors$"));
        Assert.That(result.Table.Chart!.Bars.Select(bar => bar.Label), Is.EqualTo(new[] { "writers 1, other", "writers 2, other" }));
    }

    [Test]
    public void A_round_is_recorded()
    {
        BenchmarkRecord.Take();
        RunOnce(new Pragmas.InsertBlocks { Variant = "default" });
        var record = BenchmarkRecord.Take();

        Assert.That(record.Answer, Is.Not.Null);
        Assert.That(record.Rows, Is.EqualTo(10_000));
        Assert.That(record.FileBytes, Is.GreaterThan(1 << 20));
        if (OperatingSystem.IsLinux())
            Assert.That(record.WrittenBytes, Is.GreaterThan(record.FileBytes));
    }

    private static void RunOnce(DatabaseBenchmark benchmark)
    {
        benchmark.MakeFolder();
        try
        {
            benchmark.OpenFresh();
            benchmark.Run();
            benchmark.CheckAndClose();
        }
        finally
        {
            benchmark.RemoveFolder();
        }
    }

    /// <summary>Public, as what the runner makes derives from it.</summary>
    public class RightAnswer : DatabaseBenchmark
    {
        protected override int Rows => 1;

        protected override long ExpectedAnswer => 42;

        // Long enough for a clock that a tick of nothing would not move.
        protected override void Work() => Answer = Enumerable.Range(0, 100_000).Count(number => number % 2 == 0) - 49_958;
    }

    /// <summary>The same, but wrong.</summary>
    public class WrongAnswer : RightAnswer
    {
        protected override void Work() => Answer = 41;
    }

    /// <summary>Two ways, of which one answers otherwise for two writers.</summary>
    [BaselineVariant(nameof(Way), "own")]
    public class TwoWays : RightAnswer
    {
        [Params("own", "other")]
        public string Way { get; set; } = "own";

        [Params(1, 2)]
        public int Writers { get; set; } = 1;

        protected override long ExpectedAnswer => Way == "other" && Writers == 2 ? 7 : 42;

        protected override void Work()
        {
            base.Work();
            Answer = ExpectedAnswer;
        }
    }
}
