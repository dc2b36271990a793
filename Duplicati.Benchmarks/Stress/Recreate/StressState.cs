// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using System.Text.Json;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>How far a run has come; in a file of the work folder after each cycle.</summary>
internal sealed record StressState
{
    private const string Name = "state.json";
    private const int Slow = 5;

    public required long Seed { get; init; }

    /// <summary>Number of the first cycle.</summary>
    public required int First { get; init; }

    /// <summary>Number of the next one.</summary>
    public int Next { get; set; }

    /// <summary>Whether the run has come to its end.</summary>
    public bool IsDone { get; set; }

    public double Seconds { get; set; }
    public CycleCounts Counts { get; init; } = new();
    public List<FailedCycle> Failures { get; init; } = [];

    /// <summary>The slowest cycles, the slowest first.</summary>
    public List<SlowCycle> Slowest { get; init; } = [];

    /// <summary>Number of cycles so far.</summary>
    public int Cycles => Next - First;

    /// <summary>Takes up an interrupted run, or begins one.</summary>
    /// <exception cref="EndToEndException">The folder holds another interrupted run.</exception>
    public static StressState Open(StressOptions options)
    {
        var file = Path.Combine(options.Work, Name);
        if (
            File.Exists(file) && JsonSerializer.Deserialize<StressState>(File.ReadAllText(file), ResultFile.Json) is { IsDone: false } found
        )
        {
            if (found.Seed == (options.Seed ?? found.Seed) && found.First == options.First)
                return found;
            throw new EndToEndException(
                FormattableString.Invariant(
                    $"{options.Work} holds an interrupted run of seed {found.Seed}, first cycle {found.First}. Give --seed {found.Seed} --first {found.First} to go on with it, or another folder by --work."
                )
            );
        }

        return new StressState
        {
            Seed = options.Seed ?? Random.Shared.Next(),
            First = options.First,
            Next = options.First,
        };
    }

    /// <summary>Takes a cycle in.</summary>
    public void Add(int cycle, TimeSpan time, string plan, CycleCounts counts)
    {
        Next = cycle + 1;
        Seconds += time.TotalSeconds;
        Counts.Add(counts);
        Slowest.Add(new SlowCycle(cycle, time.TotalSeconds, plan));
        Slowest.Sort((x, y) => y.Seconds.CompareTo(x.Seconds));
        Slowest.RemoveRange(Math.Min(Slow, Slowest.Count), Math.Max(0, Slowest.Count - Slow));
    }

    /// <summary>Writes it, so that a kill leaves the old one or the new one.</summary>
    public void Save(string work)
    {
        var file = Path.Combine(work, Name);
        File.WriteAllText(file + ".new", JsonSerializer.Serialize(this, ResultFile.Json));
        File.Move(file + ".new", file, overwrite: true);
    }

    /// <summary>All of it in words.</summary>
    public string Summary
    {
        get
        {
            var text = new StringBuilder();
            text.Append(
                System.Globalization.CultureInfo.InvariantCulture,
                $"{Cycles} cycles in {TimeSpan.FromSeconds(Seconds):hh\\:mm\\:ss}, seed {Seed}: {Failures.Count} failed; {Counts.Text}\n"
            );
            text.Append(
                System.Globalization.CultureInfo.InvariantCulture,
                $"{Counts.Kills} operations were to be killed, {Counts.Hits} were still running\n"
            );
            text.Append("Slowest:\n");
            foreach (var slow in Slowest)
                text.Append(
                    System.Globalization.CultureInfo.InvariantCulture,
                    $"  cycle {slow.Cycle}: {slow.Seconds:0.0} s, {slow.Plan}\n"
                );
            foreach (var failure in Failures)
                text.Append(
                    System.Globalization.CultureInfo.InvariantCulture,
                    $"Cycle {failure.Cycle} failed: {failure.Message}\n  kept: {failure.Folder}\n  repeat: {failure.Repeat}\n"
                );
            return text.ToString().TrimEnd('\n');
        }
    }
}

/// <summary>A cycle that failed.</summary>
/// <param name="Cycle">Its number.</param>
/// <param name="Message">What is wrong.</param>
/// <param name="Folder">Where it is kept.</param>
/// <param name="Repeat">The command that repeats it.</param>
internal sealed record FailedCycle(int Cycle, string Message, string Folder, string Repeat);

/// <summary>A cycle that took long.</summary>
/// <param name="Cycle">Its number.</param>
/// <param name="Seconds">How long.</param>
/// <param name="Plan">What it was.</param>
internal sealed record SlowCycle(int Cycle, double Seconds, string Plan);
