// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>A test within a budget: what it takes, what it leaves, and what it has kept when it is stopped.</summary>
[TestFixture]
internal sealed class ToolTestBudgetTests : CopiedToolTestBase
{
    private Dictionary<string, long> m_sizes = null!;

    protected override async Task MakeAsync(ToolCase made)
    {
        Assert.That((await made.BackUpAsync()).Code, Is.Zero);
        m_sizes = new DirectoryInfo(made.Remote).GetFiles().ToDictionary(x => x.Name, x => x.Length, StringComparer.Ordinal);
        Assert.That(m_sizes, Has.Count.GreaterThan(6));
    }

    [TestCase("30%")]
    [TestCase("60kb")]
    public async Task Runs_within_a_budget_test_others_until_all_are_tested(string budget)
    {
        var most = budget == "60kb" ? 60 * 1024 : m_sizes.Values.Sum() * 30 / 100 + 1;
        var tested = new HashSet<string>();
        while (tested.Count < m_sizes.Count)
        {
            var run = await ToolRun.OkAsync(Tool.RunAsync("test", "--read-data", budget));
            var volumes = run.Strings("volumes");
            Assert.That(volumes.Count == 1 || volumes.Sum(x => m_sizes[x]) <= most, Is.True, run.Output);
            var left = run.Json.GetProperty("left");
            Assert.That(
                (left.GetProperty("volumes").GetInt32(), left.GetProperty("bytes").GetInt64()),
                Is.EqualTo((m_sizes.Count - volumes.Count, m_sizes.Values.Sum() - volumes.Sum(x => m_sizes[x])))
            );
            var untested = m_sizes.Keys.Except(tested).ToList();
            Assert.That(volumes.Take(untested.Count), Is.SubsetOf(untested), "what was not tested comes first");
            tested.UnionWith(volumes);
        }
    }

    [Test]
    public async Task The_parts_are_all_volumes_each_once_and_stay_what_they_are()
    {
        var parts = new List<List<string>>();
        for (var part = 1; part <= 3; part++)
            parts.Add((await Tool.RunAsync("test", "--read-data", $"{part}/3")).Strings("volumes"));
        Assert.That(parts.SelectMany(x => x), Is.EquivalentTo(m_sizes.Keys));
        Assert.That((await Tool.RunAsync("test", "--read-data", "2/3")).Strings("volumes"), Is.EquivalentTo(parts[1]));
        Assert.That((await Tool.RunAsync("test", "--read-data", "100%")).Strings("volumes"), Is.EquivalentTo(m_sizes.Keys));
    }

    [Test]
    public async Task Index_volumes_alone_are_tested()
    {
        var volumes = (await Tool.RunAsync("test", "--index-only", "--samples", "all")).Strings("volumes");
        Assert.That(volumes, Is.EquivalentTo(m_sizes.Keys.Where(x => x.Contains(".dindex.", StringComparison.Ordinal))).And.Not.Empty);
        var text = await Tool.LineAsync("test $REMOTE --dbpath $DB --no-encryption --index-only --read-data 1b");
        Assert.That(text.Output, Does.Contain($"Left for other runs: {volumes.Count - 1} volume"));
    }

    [Test]
    public async Task A_run_whose_time_is_up_has_kept_what_it_tested()
    {
        var budget = new TestBudget { MaxDuration = TimeSpan.FromMinutes(90), Clock = new HourlyClock() };
        var report = await new TestOperation(Options with { TestBudget = budget }, SilentProgress.Instance).RunAsync(
            long.MaxValue,
            default
        );
        Assert.That(report.Volumes, Has.Count.EqualTo(2));
        Assert.That(Tested(), Is.EquivalentTo(report.Volumes));
        Assert.That(report.Left!.Volumes, Is.EqualTo(m_sizes.Count - 2));
        var next = await new TestOperation(Options with { TestBudget = budget }, SilentProgress.Instance).RunAsync(long.MaxValue, default);
        Assert.That(next.Volumes, Has.Count.EqualTo(2).And.None.AnyOf(report.Volumes.ToArray<object>()));
    }

    [Test]
    public async Task A_run_that_is_interrupted_has_kept_what_it_tested_and_says_so()
    {
        using var stop = new CancellationTokenSource();
        var progress = new StoppingProgress(stop, 3);
        Assert.CatchAsync<OperationCanceledException>(() => new TestOperation(Options, progress).RunAsync(long.MaxValue, stop.Token));
        var tested = Tested();
        Assert.That(tested, Has.Length.EqualTo(3));
        Assert.That(progress.Step!.Done, Does.StartWith($"3 of {m_sizes.Count} volumes were tested"));
        var rest = (await Tool.RunAsync("test", "--read-data", "1b")).Strings("volumes");
        Assert.That(rest, Has.Count.EqualTo(1).And.None.AnyOf(tested.ToArray<object>()));
    }

    [TestCase("--read-data", "0%")]
    [TestCase("--read-data", "101%")]
    [TestCase("--read-data", "8/7")]
    [TestCase("--read-data", "0/7")]
    [TestCase("--read-data", "7")]
    [TestCase("--read-data", "lots")]
    [TestCase("--read-data", "10%", "--samples", "2")]
    [TestCase("--max-duration", "5x")]
    [TestCase("--max-duration", "0m")]
    public async Task What_is_no_budget_is_a_wrong_command_line(params string[] words) =>
        Assert.That((await Tool.RunAsync("test", words)).Code, Is.EqualTo(ExitCode.Usage));

    private EngineOptions Options => new() { Remote = Tool.Remote, DatabasePath = Tool.Database };

    private string[] Tested() => SampleDatabase.Rows(Tool.Database, """SELECT "Name" FROM "Remotevolume" WHERE "VerificationCount" > 0""");

    // An hour goes by between two looks.
    private sealed class HourlyClock : TimeProvider
    {
        private long m_hours;

        public override long TimestampFrequency => 1;

        public override long GetTimestamp() => 3600 * ++m_hours;
    }

    private sealed class StoppingProgress(CancellationTokenSource stop, long after) : IEngineProgress
    {
        internal StepReached? Step { get; private set; }

        public void Message(string text) { }

        public void Warning(string text) => Assert.Fail(text);

        public void Reached(StepReached step) => Step = step;

        public void Advance(string phase, long done, long total)
        {
            if (phase == "volumes" && done == after)
                stop.Cancel();
        }
    }
}
