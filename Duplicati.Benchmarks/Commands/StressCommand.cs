// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Stress.Operations;
using Duplicati.Benchmarks.Stress.Recreate;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>stress</c>: tries to break a recreate, or several processes on one database, for as long as it is given. Results go to stdout, the
/// rest to stderr.
/// </summary>
internal static class StressCommand
{
    private const string RecreateHelp = """
        Tries to break a recreate. A cycle makes a random source and a backup of it with random settings and a random past: changes, deletions, compacts, purges,
        kills in the middle of an operation, volumes lost and made anew. Then the database is made anew and compared with the one that was thrown away, and with
        that of each peer; versions are restored and compared with the source as it was. In half of the cycles volumes are removed or damaged then: what the
        backup can lose by that is reckoned from the database of before, all else must be there, and what is lost must be reported.

        A line a cycle; one that fails keeps its folder, with a log, and tells the command that repeats it. After Ctrl+C or a kill the same command goes on.

        Examples:
          stress recreate --until 06:00
          stress recreate --cycles 20 --seed 7
          stress recreate --until 2h --peer own=/opt/a/duplicati-cli

        Exit codes: 0 no cycle failed; 2 wrong command line, or it could not begin; 3 a cycle failed; 130 interrupted.
        """;

    private const string OperationsHelp = """
        Has several processes work on one database at the same time, each at random: backups, listings, tests, deletions, compacts, verifications; and "core" ones,
        which find and mark volumes in core's order of calls, without taking turns with the others. No operation may fail, a core one may be refused, and at the
        end the database must be sound and equal to one that is made anew. What goes wrong keeps the work folder.

        Examples:
          stress operations --processes 4 --until 2h
          stress operations --processes 2 --operations 50 --seed 7

        Exit codes: 0 nothing failed; 2 wrong command line, or it could not begin; 3 something failed; 130 interrupted.
        """;

    private const int Processes = 4;

    public static Command Create()
    {
        var recreate = new Command("recreate", RecreateHelp);
        var operations = new Command("operations", OperationsHelp);
        var arguments = new StressArguments(recreate, operations);
        recreate.SetAction(
            (parsed, token) =>
                EndToEndCommand.GuardAsync(() => new StressRun(arguments.Read(parsed), Console.Out, Console.Error).RunAsync(token))
        );
        operations.SetAction(
            (parsed, token) => EndToEndCommand.GuardAsync(() => RunAsync(arguments, parsed, Console.Out, Console.Error, token))
        );
        return new Command("stress", "Tries to break a recreate, or several processes on one database, for as long as it is given.")
        {
            recreate,
            operations,
        };
    }

    private static async Task<int> RunAsync(
        StressArguments arguments,
        ParseResult parsed,
        TextWriter output,
        TextWriter log,
        CancellationToken token
    )
    {
        var (until, count) = (arguments.Until(parsed), parsed.GetValue(arguments.Operations));
        if (until is null && count is null)
            throw new EndToEndException("Give --until or --operations; without either it would never end.");

        var work = arguments.Work(parsed) ?? Path.GetFullPath("artifacts/stress-operations");
        FolderLock.RequireSpace(work, StressOptions.BytesNeeded, "Give --work DIR on another disk.");
        using var taken = FolderLock.Take(work, "work");
        var seed = (int)((arguments.Seed(parsed) ?? Random.Shared.Next()) & int.MaxValue);
        var folder = Path.Combine(work, FormattableString.Invariant($"seed-{seed}"));
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
        Directory.CreateDirectory(folder);
        await log.WriteLineAsync(FormattableString.Invariant($"Seed {seed}"));
        var options = new SharedOptions(
            parsed.GetValue(arguments.Processes) ?? Processes,
            count ?? int.MaxValue,
            until?.ToUniversalTime() ?? DateTime.MaxValue,
            seed,
            folder
        );
        try
        {
            var result = await new SharedRun(options, log).RunAsync(token);
            await output.WriteLineAsync(FormattableString.Invariant($"{options.Processes} processes, seed {seed}: {result.Text}"));
            foreach (var line in result.Wrong)
                await output.WriteLineAsync(line);
            if (result.Wrong.Count > 0)
            {
                await output.WriteLineAsync($"kept: {folder}");
                return ExitCodes.Failed;
            }
        }
        catch (OperationCanceledException)
        {
            await log.WriteLineAsync("Interrupted.");
            return ExitCodes.Interrupted;
        }

        Directory.Delete(folder, recursive: true);
        return ExitCodes.Done;
    }
}
