// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Stress.Recreate;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>A few cycles of <c>stress recreate</c>, and what the command line says of mistakes.</summary>
[TestFixture]
[Platform("Linux")]
public class StressTests
{
    // Its first cycles are short, and nothing in them depends on the moment.
    private const long Seed = 7;

    private static readonly DateTime s_now = new(2026, 3, 4, 18, 0, 0, DateTimeKind.Local);

    [Test]
    public async Task A_stopped_run_goes_on_and_a_failed_cycle_is_kept_and_repeated_by_its_command()
    {
        using var folder = new TestFolder();
        var options = new StressOptions
        {
            Seed = Seed,
            Cycles = 2,
            Work = folder.File("work"),
            Break = 2,
        };
        using var stop = new CancellationTokenSource();
        using var first = new StoppingWriter("cycle 1 ", stop);
        Assert.That(await new StressRun(options, first, TextWriter.Null).RunAsync(stop.Token), Is.EqualTo(ExitCodes.Interrupted));
        Assert.That(Lines(first), Has.One.StartsWith("cycle 1  ok").And.None.StartsWith("cycle 2"));
        Assert.That(
            () => new StressRun(options with { Seed = Seed + 1 }, TextWriter.Null, TextWriter.Null).RunAsync(default),
            Throws.InstanceOf<EndToEndException>().With.Message.Contains("interrupted run of seed 7")
        );

        using var second = new StringWriter();
        // The seed is that of the interrupted run.
        Assert.That(
            await new StressRun(options with { Seed = null }, second, TextWriter.Null).RunAsync(default),
            Is.EqualTo(ExitCodes.Failed),
            second.ToString()
        );

        var lines = Lines(second);
        Assert.That(lines, Has.One.StartsWith("cycle 2  FAILED").And.None.StartsWith("cycle 1 "));
        Assert.That(lines, Has.One.StartsWith("2 cycles in ").And.One.Contains("seed 7: 1 failed"));
        Assert.That(
            Directory.GetDirectories(options.Work).Select(Path.GetFileName),
            Is.EqualTo(new[] { "cycle-2" }),
            "the other is removed"
        );
        Assert.That(await File.ReadAllTextAsync(Path.Combine(options.Work, "cycle-2", "log.txt")), Does.Contain(nameof(StressFailure)));
        var message = lines.SkipWhile(line => !line.StartsWith("cycle 2", StringComparison.Ordinal)).ElementAt(1);
        Assert.That(message, Does.Contain("recreate at the end of the history: filesets - "));

        using var third = new StringWriter();
        var repeat = lines.First(line => line.StartsWith("  repeat: ", StringComparison.Ordinal)).Split(" recreate ", 2)[1];
        Assert.That(await new StressRun(Read(repeat), third, TextWriter.Null).RunAsync(default), Is.EqualTo(ExitCodes.Failed));
        Assert.That(Lines(third), Has.One.StartsWith("cycle 2  FAILED"));
        Assert.That(third.ToString(), Does.Contain("recreate at the end of the history: filesets - "));
    }

    [Test]
    public async Task A_peer_recreates_every_database_as_well()
    {
        using var folder = new TestFolder();
        var options = new StressOptions
        {
            Seed = Seed,
            Cycles = 1,
            Work = folder.File("work"),
            Peers = [StandInPeers.Options(folder).Peers[0]],
        };
        using var output = new StringWriter();
        Assert.That(await new StressRun(options, output, TextWriter.Null).RunAsync(default), Is.Zero, output.ToString());
        Assert.That(output.ToString(), Does.Contain("1 recreates by peers"));
        using (FolderLock.Take(options.Work, "work"))
            Assert.That(
                () => new StressRun(options, TextWriter.Null, TextWriter.Null).RunAsync(default),
                Throws.InstanceOf<EndToEndException>().With.Message.Contains("in use by another run")
            );
    }

    [Test]
    public void A_seed_decides_everything_about_a_cycle()
    {
        var plans = Enumerable.Range(1, 300).Select(cycle => StressPlan.Draw(StressPlan.SeedOf(Seed, cycle))).ToList();
        var again = StressPlan.Draw(plans[7].Seed);
        Assert.That((again.Text, again.Damages), Is.EqualTo((plans[7].Text, plans[7].Damages)));
        Assert.That(again.Steps, Is.EqualTo(plans[7].Steps));
        Assert.That(plans.Select(plan => plan.Seed).Distinct().Count(), Is.EqualTo(plans.Count));
        Assert.That(
            plans.SelectMany(plan => plan.Steps).Select(step => step.Kind).Distinct().Count(),
            Is.EqualTo(Enum.GetValues<StressStepKind>().Length)
        );
    }

    [TestCase("recreate --until soon", "--until soon: this is no time")]
    [TestCase("recreate --until 2020-01-01T00:00", "this time is over")]
    [TestCase("recreate --cycles 0", "--cycles 0: give 1 or more.")]
    [TestCase("operations --processes 0", "--processes 0: give 1 or more.")]
    [TestCase("operations --cycles 3", "--cycles")]
    public void A_wrong_argument_is_told_in_one_line(string line, string error)
    {
        var parsed = StressCommand.Create().Parse(line);
        Assert.That(parsed.Errors.Select(x => x.Message), Has.Some.Contains(error));
        Assert.That(parsed.Errors.Select(x => x.Message), Has.None.Contains("\n"));
    }

    [Test]
    public void A_run_needs_an_end_and_peers_are_checked()
    {
        Assert.That(() => Read("--seed 3"), Throws.InstanceOf<EndToEndException>().With.Message.Contains("--until or --cycles"));
        Assert.That(() => Read("--cycles 1 --peer nothing"), Throws.InstanceOf<EndToEndException>().With.Message.Contains("NAME=COMMAND"));
        Assert.That(Read("--cycles 1 --peer \"x=one two\"").PeerWords, Is.EqualTo(" --peer \"x=one two\""));
    }

    [TestCase("18:30", "2026-03-04T18:30")]
    [TestCase("6:00", "2026-03-05T06:00")]
    [TestCase("90s", "2026-03-04T18:01:30")]
    [TestCase("8h", "2026-03-05T02:00")]
    [TestCase("2026-12-24T06:00", "2026-12-24T06:00")]
    public void A_time_is_of_the_day_or_from_now(string text, DateTime expected) =>
        Assert.That(StressCommand.ParseTime(text, s_now), Is.EqualTo(expected));

    private static string[] Lines(StringWriter output) => output.ToString().Split('\n');

    private static StressOptions Read(string line)
    {
        var command = new Command("recreate");
        var read = StressCommand.Recreate(command);
        var parsed = command.Parse(line);
        Assert.That(parsed.Errors, Is.Empty);
        return read(parsed);
    }
}
