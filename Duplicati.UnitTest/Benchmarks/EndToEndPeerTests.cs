// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>End-to-end runs of two programs with Duplicati's command line, on little data.</summary>
[TestFixture]
public class EndToEndPeerTests : FolderTestBase
{
    private static readonly string[] s_twoPeers = ["a", "b"];

    [Test]
    public async Task Two_peers_are_timed_at_every_operation_and_held_against_each_other()
    {
        var options = StandInPeers.Options(Folder) with { IsEncrypted = true };
        using var output = new StringWriter();
        using var log = new StringWriter();

        var exitCode = await EndToEndCommand.RunAsync(options, "e2e --peer a --peer b", output, log, default);

        Assert.That(exitCode, Is.Zero, log.ToString());
        var results = Results(options);
        foreach (var operation in TimedOperation.All)
        foreach (var name in s_twoPeers)
            Check(results.Find(name, operation.Title)!.Runs.Single(), operation);
        Assert.That(results.Programs["a"], Does.Contain("release 0.1.0"));
        var table = TableResults.Load(options.Output).Single();
        Assert.That(table.Rows, Has.Count.EqualTo(2 * TimedOperation.All.Count));
        Assert.That(table.Ratios, Has.Count.EqualTo(2 * TimedOperation.All.Count), "of b over a");
        Assert.That(table.Command, Is.EqualTo("e2e --peer a --peer b"));
        Assert.That(log.ToString(), Does.Contain("Warning: a is release 0.1.0; this was made for 2.3.0.109."));
        Assert.That(output.ToString(), Does.Contain(table.Markdown()));
        Assert.That(Directory.Exists(options.Work), Is.False, "it is removed when all went well");
    }

    [Test]
    public async Task A_peer_that_fails_is_shown_with_its_last_lines_and_the_others_go_on()
    {
        var broken = new PeerOptions("changed", ["--dbpath=" + Folder.File("other.sqlite")]);
        var options = StandInPeers.Options(Folder) with { Repeat = 2, Operations = ["changed"] };
        options = options with { Peers = [options.Peers[0], options.Peers[1] with { Options = [broken] }] };
        using var output = new StringWriter();
        using var log = new StringWriter();

        var exitCode = await EndToEndCommand.RunAsync(options, "e2e", output, log, default);

        Assert.That(exitCode, Is.EqualTo(ExitCodes.Failed));
        var results = Results(options);
        Assert.That(results.Find("a", TimedOperation.Changed.Title)!.Runs.Select(run => run.Round), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(results.Find("b", TimedOperation.Changed.Title), Is.Null);
        var failure = results.Failures.Single();
        Assert.That(
            (failure.Contender, failure.Operation, failure.Round, failure.ExitCode),
            Is.EqualTo(("b", TimedOperation.Changed.Title, 1, (int?)100))
        );
        Assert.That(
            output.ToString(),
            Does.Contain("b, backup 10 % changed: failed in round 1 with exit code 100").And.Contain(failure.Lines[^1])
        );
        Assert.That(failure.Lines[^1], Does.Contain("no database here knows"));
        Assert.That(log.ToString(), Does.Contain($"The work folder is kept: {options.Work}"));
        Assert.That(Directory.Exists(Path.Combine(options.Work!, "b-1", "remote")), Is.True);
    }

    [Test]
    public async Task An_interrupted_run_has_its_report_and_goes_on_where_it_was()
    {
        var options = StandInPeers.Options(Folder) with { Repeat = 2, Operations = ["backup", "changed"] };
        options = options with { Peers = [options.Peers[0]] };
        using var stop = new CancellationTokenSource();
        using var output = new StringWriter();
        using var log = new StoppingWriter("2/2 a           backup  ", stop);

        Assert.That(await EndToEndCommand.RunAsync(options, "e2e", output, log, stop.Token), Is.EqualTo(ExitCodes.Interrupted));
        var first = Results(options);
        Assert.That(first.Find("a", TimedOperation.Changed.Title)!.Runs, Has.Count.EqualTo(1));
        Assert.That(first.Find("a", "backup")!.Runs, Has.Count.EqualTo(2), "every result is on the disk at once");
        Assert.That(output.ToString(), Does.Contain("1 to 2 rounds of the 2 asked for"));

        Assert.That(await EndToEndCommand.RunAsync(options with { Resume = true }, "e2e", output, TextWriter.Null, default), Is.Zero);

        var whole = Results(options);
        Assert.That(whole.Find("a", TimedOperation.Changed.Title)!.Runs.Select(run => run.Round), Is.EqualTo(new[] { 1, 2 }));
        Assert.That(
            whole.Find("a", TimedOperation.Changed.Title)!.Runs[0],
            Is.EqualTo(first.Find("a", TimedOperation.Changed.Title)!.Runs[0]),
            "the first round was kept"
        );
        Assert.That(
            whole.Find("a", "backup")!.Runs[1],
            Is.Not.EqualTo(first.Find("a", "backup")!.Runs[1]),
            "the broken round was made again"
        );
        Assert.That(
            async () => await EndToEndCommand.RunAsync(options with { Resume = true, Seed = 8 }, "e2e", output, TextWriter.Null, default),
            Throws.InstanceOf<EndToEndException>().With.Message.Contains("other data")
        );
    }

    [Test]
    public void A_program_that_is_missing_or_does_not_work_is_found_before_anything_else()
    {
        var options = StandInPeers.Options(Folder);
        var missing = options with { Peers = [new Peer("a", [Folder.File("no program")], [])] };
        Assert.That(
            () => RunAsync(missing),
            Throws.InstanceOf<EndToEndException>().With.Message.Contains("a cannot be timed").And.Message.Contains("no program")
        );

        Directory.Delete(options.Work!, recursive: true);
        var broken = options with { Peers = [options.Peers[0] with { Options = [new PeerOptions("restore", ["--version=99"])] }] };
        Assert.That(
            () => RunAsync(broken),
            Throws.InstanceOf<EndToEndException>().With.Message.Contains("asked to restore a small file, ended with exit code 100")
        );
        Assert.That(Directory.EnumerateFiles(options.Output), Is.Empty);
    }

    [Test]
    public void A_folder_in_use_and_a_disk_that_is_too_small_are_told_first()
    {
        var options = StandInPeers.Options(Folder);
        Assert.That(
            () => RunAsync(options with { TotalBytes = 900L << 40 }),
            Throws.InstanceOf<EndToEndException>().With.Message.Match("too little space: this takes up to .* PB, and .* has .* free")
        );

        using (WorkFolder.Open(options))
            Assert.That(
                () => RunAsync(options with { Work = Folder.File("other") }),
                Throws.InstanceOf<EndToEndException>().With.Message.Contains("in use by another run")
            );

        Directory.CreateDirectory(options.Work!);
        File.WriteAllText(Path.Combine(options.Work!, "mine.txt"), "");
        Assert.That(() => RunAsync(options), Throws.InstanceOf<EndToEndException>().With.Message.Contains("in use: it has files"));
        Assert.That(File.Exists(Path.Combine(options.Work!, "mine.txt")), Is.True);
    }

    [Test]
    [Platform("Linux")]
    public async Task The_cost_of_a_program_is_that_of_all_processes_below_it()
    {
        var big = Folder.File("big");
        // The process that writes has lost its parent when it begins.
        string[] words =
        [
            "/bin/sh",
            "-c",
            $"(sh -c 'while kill -0 $0 2>/dev/null; do :; done; head -c 3000000 /dev/zero > {big}' $$ &) ; echo said; exit 2",
        ];

        var end = await new MeasuredProgram(Folder.Path).RunAsync(words, [], default);

        Assert.That(new FileInfo(big).Length, Is.EqualTo(3_000_000), "it was waited for");
        Assert.That(end.Result!.WrittenBytes, Is.GreaterThanOrEqualTo(3_000_000));
        Assert.That(end.Result.PeakBytes, Is.GreaterThan(100_000));
        Assert.That(end.Result.ExitCode, Is.EqualTo(2));
        Assert.That(end.Lines, Is.EqualTo(new[] { "said" }));
    }

    private static EndToEndResults Results(EndToEndOptions options) =>
        ResultFile.Read<EndToEndResults>(Path.Combine(options.Output, EndToEndResults.FileName));

    private static Task<int> RunAsync(EndToEndOptions options) =>
        EndToEndCommand.RunAsync(options, "e2e", TextWriter.Null, TextWriter.Null, default);

    private static void Check(StepResult run, TimedOperation operation)
    {
        Assert.That(run.CpuSeconds, Is.GreaterThan(0), operation.Title);
        Assert.That(run.WallSeconds, Is.GreaterThan(0), operation.Title);
        Assert.That(run.ExitCode, Is.InRange(0, 2), operation.Title);
        if (!OperatingSystem.IsLinux())
            return;

        Assert.That(run.PeakBytes, Is.GreaterThan(10 << 20), operation.Title);
        if (operation == TimedOperation.Backup)
            Assert.That(run.WrittenBytes, Is.GreaterThan(StandInPeers.TotalBytes / 2));
    }
}
