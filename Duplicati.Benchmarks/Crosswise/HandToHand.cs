// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Replay;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>
/// One database that two contenders use in turns, with a check after each operation. Each operation is also killed in the middle on a copy:
/// then the other one repairs, and the operation is run again.
/// </summary>
internal sealed class HandToHand
{
    /// <summary>The kind of its rows.</summary>
    public const string Kind = "hand to hand";

    // A kill at the very beginning or end would hit nothing.
    private const double EarliestKill = 0.3;
    private const double LatestKill = 0.9;

    private readonly CrossPair m_pair;
    private readonly Random m_random;
    private readonly CrossChain m_chain;
    private int m_kills;
    private int m_hits;

    private HandToHand(CrossPair pair)
    {
        m_pair = pair;
        m_random = new Random((int)pair.Options.Seed);
        m_chain = new CrossChain(pair.Log, $"{pair.Volumes}, one database of {pair.First.Name} and {pair.Second.Name}");
    }

    /// <summary>Does it.</summary>
    public static async Task<CrossRow> RunAsync(CrossPair pair, CancellationToken token)
    {
        var hands = new HandToHand(pair);
        await hands.RunAsync(token);
        return new CrossRow(Kind, pair.Volumes, pair.First.Name, pair.Second.Name, hands.m_chain.Cells)
        {
            Kills = hands.m_kills,
            Hits = hands.m_hits,
        };
    }

    private async Task RunAsync(CancellationToken token)
    {
        var (first, second) = (m_pair.First, m_pair.Second);
        Directory.CreateDirectory(Path.Combine(m_pair.Folder, "state"));
        await m_chain.TryAsync("first backup", () => AndCheckAsync(first, TimedOperation.Backup, StepIn("state"), token));
        m_pair.ChangeTree(0);
        (TimedOperation Operation, CrossProgram Program, CrossProgram Other)[] turns =
        [
            (TimedOperation.Changed, first, second),
            (TimedOperation.List, second, first),
            (TimedOperation.Delete, first, second),
            (TimedOperation.Compact, second, first),
        ];
        foreach (var (operation, program, other) in turns)
            await TurnAsync(operation, program, other, token);
        await m_chain.TryAsync("restore", () => m_pair.RestoreAsync(second, StepIn("state"), "restored", token));
    }

    private async Task TurnAsync(TimedOperation operation, CrossProgram program, CrossProgram other, CancellationToken token)
    {
        var copy = Path.Combine(m_pair.Folder, $"killed-{operation.Key}");
        var time = TimeSpan.Zero;
        await m_chain.TryAsync(
            operation.Key,
            async () =>
            {
                await ChangedTree.CopyAsync(Path.Combine(m_pair.Folder, "state"), copy, token);
                (var wrong, time) = await program.RunAsync(operation, StepIn("state"), token);
                return wrong.Count > 0 ? wrong : await m_pair.CheckAsync(StepIn("state"), token);
            }
        );
        var life = time * (EarliestKill + (m_random.NextDouble() * (LatestKill - EarliestKill)));
        await m_chain.TryAsync(
            $"{operation.Key} killed",
            () => KilledAsync(operation, program, other, Path.GetFileName(copy), life, token),
            isNeeded: false
        );
    }

    private async Task<IReadOnlyList<string>> KilledAsync(
        TimedOperation operation,
        CrossProgram program,
        CrossProgram other,
        string copy,
        TimeSpan life,
        CancellationToken token
    )
    {
        var step = StepIn(copy);
        m_kills++;
        m_hits += await program.KillAsync(operation, step, life, token) ? 1 : 0;
        var wrong = await AndCheckAsync(other, TimedOperation.Recreate, step, token);
        if (wrong.Count == 0 && (operation != TimedOperation.Delete || await HasSecondVersionAsync(step, token)))
            wrong = await AndCheckAsync(program, operation, step, token);
        return wrong.Count == 0
            ? wrong
            :
            [
                FormattableString.Invariant($"{program.Name} was killed after {life.TotalSeconds:0.00} s, {other.Name} repaired:"),
                .. wrong,
            ];
    }

    private async Task<IReadOnlyList<string>> AndCheckAsync(
        CrossProgram program,
        TimedOperation operation,
        Step step,
        CancellationToken token
    )
    {
        var (wrong, _) = await program.RunAsync(operation, step, token);
        return wrong.Count > 0 ? wrong : await m_pair.CheckAsync(step, token);
    }

    // The deletion may have been done before the kill.
    private static async Task<bool> HasSecondVersionAsync(Step step, CancellationToken token) =>
        (await new DatabaseListing(step.Database, "default").VersionsAsync(token)).Count > 1;

    // Of two versions the older one is deleted.
    private Step StepIn(string folder) =>
        new(Path.Combine(m_pair.Folder, folder, "remote"), Path.Combine(m_pair.Folder, folder, "local.sqlite"), m_pair.Tree, "1");
}

/// <summary>Things done one after the other, of which later ones need earlier ones.</summary>
/// <param name="log">Told each outcome.</param>
/// <param name="title">Who does it.</param>
internal sealed class CrossChain(TextWriter log, string title)
{
    private readonly List<CrossCell> m_cells = [];
    private bool m_broken;

    /// <summary>What came of each.</summary>
    public IReadOnlyList<CrossCell> Cells => m_cells;

    /// <summary>Does one thing, unless one failed that all later ones need.</summary>
    /// <param name="what">Its name.</param>
    /// <param name="run">Does it, and says what is wrong.</param>
    /// <param name="isNeeded">Whether later ones need it.</param>
    public async Task TryAsync(string what, Func<Task<IReadOnlyList<string>>> run, bool isNeeded = true)
    {
        var wrong = m_broken ? [] : await RunAsync(run);
        var outcome =
            m_broken ? CrossOutcome.NotTried
            : wrong.Count > 0 ? CrossOutcome.Wrong
            : CrossOutcome.Good;
        m_broken |= isNeeded && wrong.Count > 0;
        m_cells.Add(new CrossCell(what, outcome, wrong));
        await log.WriteLineAsync($"{title}: {what} {m_cells[^1].Word}");
        foreach (var line in wrong)
            await log.WriteLineAsync($"  {line}");
    }

    // What a program left behind may be anything.
    private static async Task<IReadOnlyList<string>> RunAsync(Func<Task<IReadOnlyList<string>>> run)
    {
        try
        {
            return await run();
        }
        catch (Exception ex)
            when (ex
                    is UserInformationException
                        or SqliteException
                        or VolumeException
                        or IOException
                        or JsonException
                        or InvalidDataException
                        or UnauthorizedAccessException
            )
        {
            return [ex.Message];
        }
    }
}
