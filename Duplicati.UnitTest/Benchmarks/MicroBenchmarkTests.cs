// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using Duplicati.Benchmarks.Documents;
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
        Assert.That(BenchmarkGroups.Names, Is.SupersetOf(new[] { "commits", "pragmas", "schema" }));
        Assert.That(
            BenchmarkGroups.Classes("Pragmas"),
            Is.EqualTo(new[] { typeof(Pragmas.FindBlocks), typeof(Pragmas.InsertBlocks), typeof(Pragmas.SortBlocks) })
        );
    }

    [Test]
    public void Every_shape_of_the_block_table_takes_and_finds_the_same_blocks(
        [ValueSource(typeof(BlockTableShapeBenchmark), nameof(BlockTableShapeBenchmark.Shapes))] string shape
    )
    {
        RunOnce(new ShapeInsert { Shape = shape });
        RunOnce(new ShapeSelect { Shape = shape });
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
    public void Instruments_can_be_measured_silent_heard_and_alone([ValueSource(nameof(InstrumentParts))] (string Call, string Part) item)
    {
        RunOnce(new InstrumentCalls { Call = item.Call, Part = item.Part });
    }

    private static IEnumerable<(string Call, string Part)> InstrumentParts =>
        from call in Values(nameof(InstrumentCalls.Call))
        from part in Values(nameof(InstrumentCalls.Part))
        select (call, part);

    private static IEnumerable<string> Values(string parameter) =>
        typeof(InstrumentCalls)
            .GetProperty(parameter)!
            .GetCustomAttributes(typeof(ParamsAttribute), false)
            .Cast<ParamsAttribute>()
            .Single()
            .Values.Cast<string>();

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
        SampleResults.Write(folder.Path, run.Results("group", "command", right));
        var item = ResultFolder.Load(folder.Path).Micro.Single().Cases.Single();
        Assert.That(item.ProcessorNanoseconds, Has.Count.EqualTo(item.Repetitions));
        Assert.That(item.Answer, Is.EqualTo(42));
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

        protected override void Work() => Answer = 42;
    }

    /// <summary>The same, but wrong.</summary>
    public class WrongAnswer : RightAnswer
    {
        protected override void Work() => Answer = 41;
    }
}
