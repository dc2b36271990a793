// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
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

    public static Command Create() =>
        new("stress", "Tries to break a recreate, or several processes on one database, for as long as it is given.")
        {
            CreateRecreate(),
            CreateOperations(),
        };

    private static Command CreateRecreate()
    {
        var command = new Command("recreate", RecreateHelp);
        var read = Recreate(command);
        command.SetAction(
            (parsed, token) => EndToEndCommand.GuardAsync(() => new StressRun(read(parsed), Console.Out, Console.Error).RunAsync(token))
        );
        return command;
    }

    /// <summary>Gives <c>stress recreate</c> its options, and reads them.</summary>
    internal static Func<ParseResult, StressOptions> Recreate(Command command)
    {
        var until = Until(command);
        var cycles = command.Add<int?>("--cycles", "Number of cycles").AtLeast(1);
        var seed = command.Add<long?>("--seed", "Seed of all that is random [default: that of the interrupted run, or a new one]");
        var first = command.Add<int>("--first", "Number of the first cycle").Or(1).AtLeast(1);
        var peers = command
            .Add<string[]>("--peer", "A program with Duplicati's command line that recreates every database as well", "NAME=COMMAND")
            .Or([]);
        var work = Work(command, "artifacts/stress-recreate");
        var broken = command.Add<int?>("--break", "A cycle whose recreated database is falsified, for tests");
        broken.Hidden = true;
        return parsed =>
            parsed.GetValue(until) is null && parsed.GetValue(cycles) is null
                ? throw new EndToEndException("Give --until or --cycles; without either it would never end.")
                : new StressOptions
                {
                    Seed = parsed.GetValue(seed),
                    First = parsed.GetValue(first),
                    Cycles = parsed.GetValue(cycles),
                    Until = parsed.GetValue(until),
                    Peers = PeerArguments.Parse(parsed.GetValue(peers)!, []),
                    PeerWords = string.Concat(parsed.GetValue(peers)!.Select(peer => " --peer " + PeerArguments.Quote(peer))),
                    Break = parsed.GetValue(broken),
                    Work = parsed.GetValue(work)!.ToString(),
                };
    }

    private static Command CreateOperations()
    {
        var command = new Command("operations", OperationsHelp);
        var processes = command.Add<int>("--processes", "Processes side by side").Or(Processes).AtLeast(1);
        var until = Until(command);
        var operations = command.Add<int?>("--operations", "Operations of each process").AtLeast(1);
        var seed = command.Add<int?>("--seed", "Seed of all that is random [default: a new one]");
        var work = Work(command, "artifacts/stress-operations");
        command.SetAction(
            (parsed, token) =>
                EndToEndCommand.GuardAsync(() =>
                    parsed.GetValue(until) is null && parsed.GetValue(operations) is null
                        ? throw new EndToEndException("Give --until or --operations; without either it would never end.")
                        : RunAsync(
                            new SharedOptions(
                                parsed.GetValue(processes),
                                parsed.GetValue(operations) ?? int.MaxValue,
                                parsed.GetValue(until)?.ToUniversalTime() ?? DateTime.MaxValue,
                                parsed.GetValue(seed) ?? Random.Shared.Next(),
                                parsed.GetValue(work)!.FullName
                            ),
                            Console.Out,
                            Console.Error,
                            token
                        )
                )
        );
        return command;
    }

    private static Option<DateTime?> Until(Command command) =>
        command.Add(
            "--until",
            "Begin nothing more after this time: 18:30, 2026-12-24T06:00, or from now 90s, 45m, 8h",
            parse: result => ParseTime(result, DateTime.Now)
        );

    private static Option<DirectoryInfo> Work(Command command, string usual) =>
        command
            .Add<DirectoryInfo>("--work", "Work folder, with the state of the run and cycles that failed", "DIR")
            .Or(new DirectoryInfo(usual));

    private static async Task<int> RunAsync(SharedOptions options, TextWriter output, TextWriter log, CancellationToken token)
    {
        FolderLock.RequireSpace(options.Folder, StressOptions.BytesNeeded, "Give --work DIR on another disk.");
        using var taken = FolderLock.Take(options.Folder, "work");
        var folder = Path.Combine(options.Folder, FormattableString.Invariant($"seed-{options.Seed}"));
        if (Directory.Exists(folder))
            Directory.Delete(folder, recursive: true);
        Directory.CreateDirectory(folder);
        await log.WriteLineAsync(FormattableString.Invariant($"Seed {options.Seed}"));
        try
        {
            var result = await new SharedRun(options with { Folder = folder }, log).RunAsync(token);
            await output.WriteLineAsync(FormattableString.Invariant($"{options.Processes} processes, seed {options.Seed}: {result.Text}"));
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

    /// <summary>Reads a time.</summary>
    /// <param name="text">A time of the day, which is the next one; a day and time; or a number with s, m or h, from now.</param>
    /// <param name="now">What the clock says (local).</param>
    /// <returns>Null if it is none.</returns>
    internal static DateTime? ParseTime(string text, DateTime now)
    {
        if (int.TryParse(text.AsSpan(0, Math.Max(0, text.Length - 1)), NumberStyles.None, CultureInfo.InvariantCulture, out var count))
        {
            var seconds = text[^1] switch
            {
                's' => 1,
                'm' => 60,
                'h' => 3600,
                _ => 0,
            };
            if (seconds > 0)
                return now.AddSeconds((double)count * seconds);
        }

        if (TimeOnly.TryParseExact(text, "H:mm", CultureInfo.InvariantCulture, DateTimeStyles.None, out var time))
            return now.Date + time.ToTimeSpan() is var today && today > now ? today : today.AddDays(1);
        return DateTime.TryParse(text, CultureInfo.InvariantCulture, DateTimeStyles.AssumeLocal, out var moment) && text.Length > 8
            ? moment
            : null;
    }

    private static DateTime? ParseTime(ArgumentResult result, DateTime now)
    {
        var text = result.Tokens.Single().Value;
        if (ParseTime(text, now) is not { } time)
            result.AddError($"--until {text}: this is no time; write 18:30, 2026-12-24T06:00, or from now 90s, 45m or 8h.");
        else if (time < now)
            result.AddError($"--until {text}: this time is over.");
        else
            return time;
        return null;
    }
}
