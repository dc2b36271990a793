using BenchmarkDotNet.Attributes;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Running;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Pragmas;
using Duplicati.Benchmarks.Micro.Schema;
using Duplicati.Benchmarks.Micro.Transactions;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

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
        Assert.That(BenchmarkGroups.Names, Is.SupersetOf(new[] { "pragmas", "schema", "transactions" }));
        Assert.That(BenchmarkGroups.Classes("Pragmas"), Is.EqualTo(new[] { typeof(FindBlocks), typeof(InsertBlocks), typeof(SortBlocks) }));
    }

    [Test]
    public void Every_shape_of_the_block_table_takes_and_finds_the_same_blocks([ValueSource(typeof(BlockTableShapeBenchmark), nameof(BlockTableShapeBenchmark.Shapes))] string shape)
    {
        var insert = new ShapeInsert { Shape = shape };
        RunOnce(insert, insert.Insert);
        var select = new ShapeSelect { Shape = shape };
        RunOnce(select, select.Select);
    }

    [TestCase(256)]
    [TestCase(5000)]
    public void Every_transaction_size_leaves_the_same_table(int rowsPerCommit)
    {
        var insert = new CommitInsert { RowsPerCommit = rowsPerCommit };
        RunOnce(insert, insert.Insert);
        var mixed = new CommitMixed { RowsPerCommit = rowsPerCommit };
        RunOnce(mixed, mixed.FindOrInsert);
    }

    [TestCase("stock")]
    [TestCase("default")]
    [TestCase("page_size=16384")]
    public void Every_pragma_question_is_answered_alike(string variant)
    {
        var insert = new InsertBlocks { Variant = variant };
        RunOnce(insert, insert.Insert);
        var find = new FindBlocks { Variant = variant };
        RunOnce(find, find.Find);
        var sort = new SortBlocks { Variant = variant };
        RunOnce(sort, sort.Sort);
    }

    [Test]
    public void Instruments_can_be_measured_silent_heard_and_alone([ValueSource(nameof(InstrumentParts))] (string Work, string Part) item)
    {
        var calls = new InstrumentCalls { Work = item.Work, Part = item.Part };
        RunOnce(calls, calls.Run);
    }

    private static IEnumerable<(string Work, string Part)> InstrumentParts =>
        from work in Values(nameof(InstrumentCalls.Work))
        from part in Values(nameof(InstrumentCalls.Part))
        select (work, part);

    private static IEnumerable<string> Values(string parameter) =>
        typeof(InstrumentCalls).GetProperty(parameter)!.GetCustomAttributes(typeof(ParamsAttribute), false).Cast<ParamsAttribute>().Single().Values.Cast<string>();

    [Test]
    public void The_pragma_variants_begin_with_the_baseline_and_end_with_the_presets()
    {
        var variants = PragmaVariants.All.ToArray();
        Assert.That(variants[0], Is.EqualTo("stock"));
        Assert.That(variants, Is.SupersetOf(ConnectionPreset.All.Select(preset => preset.Name)).And.Unique);
        foreach (var variant in variants.Where(variant => variant.Contains('=')))
            Assert.That(PragmaVariants.Options(variant).Pragmas.Select(pragma => pragma.ToString()), Has.Member(variant));
    }

    [Test]
    public void A_wrong_answer_fails_the_benchmark()
    {
        var benchmark = new Wrong();
        Assert.Throws<InvalidOperationException>(() => RunOnce(benchmark, benchmark.Run));
    }

    [Test]
    public void A_wrong_answer_fails_the_run()
    {
        using var folder = new TestFolder();
        BenchmarkRecord.Take();
        var config = BenchmarkConfig.Create(folder.Path).WithOptions(ConfigOptions.DisableOptimizationsValidator);

        Assert.That(MicroCommand.HasFailed(BenchmarkRunner.Run<RightAnswer>(config)), Is.False);
        Assert.That(MicroCommand.HasFailed(BenchmarkRunner.Run<WrongAnswer>(config)), Is.True);
    }

    [Test]
    public void A_round_is_recorded()
    {
        BenchmarkRecord.Take();
        var insert = new InsertBlocks { Variant = "default" };
        RunOnce(insert, insert.Insert);
        var record = BenchmarkRecord.Take();

        Assert.That(record.Answer, Is.Not.Null);
        Assert.That(record.Rows, Is.EqualTo(10_000));
        Assert.That(record.FileBytes, Is.GreaterThan(1 << 20));
        if (OperatingSystem.IsLinux())
            Assert.That(record.WrittenBytes, Is.GreaterThan(record.FileBytes));
    }

    internal static void RunOnce(DatabaseBenchmark benchmark, Action operation)
    {
        benchmark.MakeFolder();
        try
        {
            benchmark.OpenFresh();
            operation();
            benchmark.CheckAndClose();
        }
        finally
        {
            benchmark.RemoveFolder();
        }
    }

    private sealed class Wrong : DatabaseBenchmark
    {
        protected override int Rows => 1;

        protected override long ExpectedAnswer => 42;

        public void Run() => Answer = 41;
    }

    /// <summary>Public, as what the runner makes derives from it.</summary>
    public class RightAnswer : DatabaseBenchmark
    {
        protected override int Rows => 1;

        protected override long ExpectedAnswer => 42;

        [Benchmark]
        public virtual void Run() => Answer = 42;
    }

    /// <summary>The same, but wrong.</summary>
    public class WrongAnswer : RightAnswer
    {
        [Benchmark]
        public override void Run() => Answer = 41;
    }
}
