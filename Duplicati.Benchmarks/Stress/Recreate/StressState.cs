// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>How far a run has come; in a file of the work folder after each cycle.</summary>
internal sealed record StressState
{
    private const string Name = "state.json";

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
    public void Add(int cycle, TimeSpan time, CycleCounts counts)
    {
        Next = cycle + 1;
        Seconds += time.TotalSeconds;
        foreach (var (what, count) in counts)
            Counts.Note(what, count);
    }

    /// <summary>Writes it, so that a kill leaves the old one or the new one.</summary>
    public void Save(string work)
    {
        var file = Path.Combine(work, Name);
        File.WriteAllText(file + ".new", JsonSerializer.Serialize(this, ResultFile.Json));
        File.Move(file + ".new", file, overwrite: true);
    }

    /// <summary>All of it in words.</summary>
    public string Summary =>
        string.Join(
            '\n',
            [
                FormattableString.Invariant(
                    $"{Cycles} cycles in {TimeSpan.FromSeconds(Seconds):hh\\:mm\\:ss}, seed {Seed}: {Failures.Count} failed; {Counts.Text}"
                ),
                .. Failures.Select(failure => $"{failure}"),
            ]
        );
}

/// <summary>A cycle that failed.</summary>
/// <param name="Cycle">Its number.</param>
/// <param name="Message">What is wrong.</param>
/// <param name="Folder">Where it is kept.</param>
/// <param name="Repeat">The command that repeats it.</param>
internal sealed record FailedCycle(int Cycle, string Message, string Folder, string Repeat)
{
    /// <inheritdoc/>
    public override string ToString() =>
        FormattableString.Invariant($"Cycle {Cycle} failed: {Message}\n  kept: {Folder}\n  repeat: {Repeat}");
}
