// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Stress.Recreate;

namespace Duplicati.Benchmarks.Commands;

/// <summary>The options of <c>stress recreate</c> and <c>stress operations</c>.</summary>
/// <param name="recreate">The first command.</param>
/// <param name="operations">The second one.</param>
internal sealed class StressArguments(Command recreate, Command operations)
{
    /// <summary>Number of processes.</summary>
    public Option<int?> Processes { get; } = operations.Add<int?>("--processes", "Processes side by side [default: 4]").AtLeast(1);

    private readonly Option<DateTime?> m_until = recreate
        .Add(
            "--until",
            "Begin nothing more after this time: 18:30, 2026-12-24T06:00, or from now 90s, 45m, 8h",
            parse: result => ParseTime(result, DateTime.Now)
        )
        .In(operations);

    /// <summary>Operations of each process; null without a limit.</summary>
    public Option<int?> Operations { get; } = operations.Add<int?>("--operations", "Operations of each process").AtLeast(1);

    private readonly Option<int?> m_cycles = recreate.Add<int?>("--cycles", "Number of cycles").AtLeast(1);
    private readonly Option<long?> m_seed = recreate
        .Add<long?>("--seed", "Seed of all that is random [default: that of the interrupted run, or a new one]")
        .In(operations);
    private readonly Option<int?> m_first = recreate.Add<int?>("--first", "Number of the first cycle [default: 1]").AtLeast(1);
    private readonly Option<string[]> m_peers = recreate.Add<string[]>(
        "--peer",
        "NAME=COMMAND: a program with the command line of Duplicati that recreates every database as well; may be repeated"
    );
    private readonly Option<DirectoryInfo?> m_work = recreate
        .Add<DirectoryInfo?>(
            "--work",
            "Work folder, with the state of the run and cycles that failed [default: artifacts/stress-recreate or artifacts/stress-operations]"
        )
        .In(operations);
    private readonly Option<int?> m_break = new Option<int?>("--break") { Hidden = true }.In(recreate);

    /// <summary>When nothing more begins (local time); null for never.</summary>
    public DateTime? Until(ParseResult parsed) => parsed.GetValue(m_until);

    /// <summary>The seed; null if none was given.</summary>
    public long? Seed(ParseResult parsed) => parsed.GetValue(m_seed);

    /// <summary>The work folder; null if none was given.</summary>
    public string? Work(ParseResult parsed) => parsed.GetValue(m_work)?.FullName;

    /// <summary>Reads the command line of <c>stress recreate</c>.</summary>
    /// <exception cref="EndToEndException">Something in it does not fit together.</exception>
    public StressOptions Read(ParseResult parsed)
    {
        if (Until(parsed) is null && parsed.GetValue(m_cycles) is null)
            throw new EndToEndException("Give --until or --cycles; without either it would never end.");
        var peers = parsed.GetValue(m_peers) ?? [];
        var options = new StressOptions
        {
            Seed = Seed(parsed),
            First = parsed.GetValue(m_first) ?? 1,
            Cycles = parsed.GetValue(m_cycles),
            Until = Until(parsed),
            Peers = PeerArguments.Parse(peers, []),
            PeerWords = string.Concat(peers.Select(peer => " --peer " + PeerArguments.Quote(peer))),
            Break = parsed.GetValue(m_break),
        };
        return parsed.GetValue(m_work) is { } work ? options with { Work = work.ToString() } : options;
    }

    /// <summary>Reads a time.</summary>
    /// <param name="text">A time of the day, which is the next one; a day and time; or a number with s, m or h, from now.</param>
    /// <param name="now">What the clock says (local).</param>
    /// <returns>Null if it is none.</returns>
    internal static DateTime? ParseTime(string text, DateTime now)
    {
        if (
            text.Length > 1
            && "smh".IndexOf(text[^1], StringComparison.Ordinal) is >= 0 and var unit
            && int.TryParse(text.AsSpan(0, text.Length - 1), NumberStyles.None, CultureInfo.InvariantCulture, out var count)
        )
            return now
                + (
                    count
                    * (
                        unit == 0 ? TimeSpan.FromSeconds(1)
                        : unit == 1 ? TimeSpan.FromMinutes(1)
                        : TimeSpan.FromHours(1)
                    )
                );
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
