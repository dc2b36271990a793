// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>What a run of cycles does.</summary>
internal sealed record StressOptions
{
    /// <summary>Bytes that a run has on the disk at most.</summary>
    internal const long BytesNeeded = 500L * 1024 * 1024;

    /// <summary>Seed; null takes that of an interrupted run, or one of its own.</summary>
    public long? Seed { get; init; }

    /// <summary>Number of the first cycle, from 1.</summary>
    public int First { get; init; } = 1;

    /// <summary>How many cycles; null for no limit.</summary>
    public int? Cycles { get; init; }

    /// <summary>When no further cycle begins (local time); null for never.</summary>
    public DateTime? Until { get; init; }

    /// <summary>Programs that recreate every database as well.</summary>
    public IReadOnlyList<Peer> Peers { get; init; } = [];

    /// <summary>The peers as they were typed, for the command that repeats a cycle.</summary>
    public string PeerWords { get; init; } = "";

    /// <summary>The work folder.</summary>
    public required string Work { get; init; }

    /// <summary>A cycle whose recreated database is falsified, for tests.</summary>
    public int? Break { get; init; }
}

/// <summary>Runs cycles until their number or the time is reached, a line each; goes on after a stop.</summary>
/// <param name="options">What to do.</param>
/// <param name="output">Gets the lines and the summary.</param>
/// <param name="log">Told of the rest.</param>
internal sealed class StressRun(StressOptions options, TextWriter output, TextWriter log)
{
    private const int MostLetters = 1000;

    /// <summary>Runs it.</summary>
    /// <returns>The exit code.</returns>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    public async Task<int> RunAsync(CancellationToken token)
    {
        FolderLock.RequireSpace(options.Work, StressOptions.BytesNeeded, "Give --work DIR on another disk.");
        using var folder = FolderLock.Take(options.Work, "work");
        var state = StressState.Open(options);
        await log.WriteLineAsync(
            FormattableString.Invariant($"Seed {state.Seed}{(state.Cycles > 0 ? $"; going on with cycle {state.Next}" : "")}")
        );
        try
        {
            await TryPeersAsync(token);
            while (!(state.Cycles >= options.Cycles) && !(DateTime.Now >= options.Until))
            {
                await RunOneAsync(state, token);
                state.Save(options.Work);
            }

            state.IsDone = true;
        }
        catch (OperationCanceledException)
        {
            await log.WriteLineAsync("Interrupted. The same command goes on.");
        }

        state.Save(options.Work);
        await output.WriteLineAsync(state.Summary);
        return !state.IsDone ? ExitCodes.Interrupted
            : state.Failures.Count > 0 ? ExitCodes.Failed
            : ExitCodes.Done;
    }

    private async Task TryPeersAsync(CancellationToken token)
    {
        if (options.Peers.Count == 0)
            return;
        var trial = Path.Combine(options.Work, "trial");
        if (Directory.Exists(trial))
            Directory.Delete(trial, recursive: true);
        Directory.CreateDirectory(trial);
        var tried = new EndToEndOptions { Peers = options.Peers, Presets = [] };
        await new ContenderTrial(tried, trial, log).RunAllAsync((name, program) => log.WriteLine($"{name} is {program}"), token);
        Directory.Delete(trial, recursive: true);
    }

    private async Task RunOneAsync(StressState state, CancellationToken token)
    {
        var number = state.Next;
        var plan = StressPlan.Draw(StressPlan.SeedOf(state.Seed, number));
        var folder = Path.GetFullPath(Path.Combine(options.Work, FormattableString.Invariant($"cycle-{number}")));
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
        Directory.CreateDirectory(folder);
        var clock = Stopwatch.StartNew();
        var (counts, failure) = await RunAsync(new CycleLog(Path.Combine(folder, "log.txt")), plan, folder, number, token);
        state.Add(number, clock.Elapsed, counts);
        await output.WriteLineAsync(
            FormattableString.Invariant(
                $"cycle {number}  {(failure is null ? "ok" : "FAILED")}  {clock.Elapsed.TotalSeconds:0.0} s  {plan.Text}; {counts.Text}"
            )
        );
        if (failure is null)
        {
            Directory.Delete(folder, recursive: true);
            return;
        }

        state.Failures.Add(new FailedCycle(number, failure, folder, Repeat(state.Seed, number)));
        await output.WriteLineAsync($"{state.Failures[^1]}");
    }

    // Whatever goes wrong is a finding, and the next cycle is another one.
    private async Task<(CycleCounts Counts, string? Failure)> RunAsync(
        CycleLog cycleLog,
        StressPlan plan,
        string folder,
        int number,
        CancellationToken token
    )
    {
        using (cycleLog)
        {
            var cycle = new CycleContext(plan, folder, options.Peers, options.Break == number, cycleLog);
            cycleLog.Write($"Seed {plan.Seed}: {plan.Text}");
            try
            {
                await new StressCycle(cycle).RunAsync(token);
                return (cycle.Counts, null);
            }
            catch (Exception ex) when (ex is not OperationCanceledException || !token.IsCancellationRequested)
            {
                cycleLog.Write(ex.ToString());
                var message = ex is StressFailure ? ex.Message : $"{ex.GetType().Name}: {ex.Message}";
                return (
                    cycle.Counts,
                    message.ReplaceLineEndings(" ") is { Length: > MostLetters } text
                        ? text[..MostLetters] + " ..."
                        : message.ReplaceLineEndings(" ")
                );
            }
        }
    }

    private string Repeat(long seed, int number)
    {
        var work = PeerArguments.Quote(Path.Combine(options.Work, FormattableString.Invariant($"repeat-{number}")));
        var hidden = options.Break == number ? FormattableString.Invariant($" --break {number}") : "";
        return FormattableString.Invariant(
            $"{ThisProgram.FromRepository} stress recreate --cycles 1 --seed {seed} --first {number} --work {work}{options.PeerWords}{hidden}"
        );
    }
}
