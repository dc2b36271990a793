// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Scale;

/// <summary>Turns results into a table, and holds memory and disk to their goals.</summary>
/// <param name="results">The cases, of an operation the smallest size first.</param>
/// <param name="unit">What is scaled: blocks or versions.</param>
internal sealed class ScaleReport(IReadOnlyList<ScaleResult> results, string unit)
{
    private const string Durability = RunEnvironment.WriteAheadLog + "; recreate: none";

    private const string Note = """
        Processor time and the clock's, medians with the least and the most of the rounds. Making the data is not
        counted. A row is what an operation must look at or write, or what comes out, whichever are more. "growth" is
        what a row costs over what it costs at the smallest size: 1.00 is linear, less is better. The speed-up is of
        processor time, and then the clock's, of plain SQL over this way: each operation as its definition reads, in
        sets, through the provider. All ways must give, and leave, the same.
        """;

    private const string NoteOfProcesses = """
        Each case in a process of its own, with the runtime's settings of `duplicati-db`; opening and closing the
        database are part of it. A row is a block that is added (`first-backup`), offered, half of them known
        (`find-or-insert`), there (`check`), deleted, a twentieth of all (`delete`), or rebuilt (`recreate`). Memory and
        disk are the most of all rounds: "disk" is database, log and temporary files at a moment, "of the file" that
        over the file afterwards.
        """;

    private const string NoteOfVersions = """
        What changes the database has a copy of its own; its commit, and closing with the checkpoint, are counted, opening is not.
        """;

    private bool HasProcesses => results.Any(result => result.Costs.Any(cost => cost.PeakBytes > 0));

    /// <summary>The goals of memory and disk that were missed, a line each.</summary>
    public IEnumerable<string> Missed => results.Where(result => HasProcesses && result.Case.Way == ScaleWays.Api).SelectMany(MissedOf);

    /// <summary>The table.</summary>
    /// <param name="title">Heading.</param>
    /// <param name="command">The arguments that repeat the run.</param>
    public TableResults Table(string title, string command) =>
        new()
        {
            Title = title,
            Command = command,
            Environment = RunEnvironment.Current(0, Durability),
            Note = string.Join("\n\n", [$"{(HasProcesses ? NoteOfProcesses : NoteOfVersions)} {Note}", .. Phases()]),
            Texts = HasProcesses ? ["operation", "way", "preset"] : ["operation", "way", "row"],
            Figures =
            [
                unit,
                "rows",
                "cpu s",
                "clock s",
                "cpu µs/row",
                "growth",
                "speed-up (cpu)",
                "speed-up (clock)",
                .. HasProcesses
                    ? ["memory, MiB", "of the bound", "written, MiB", "disk, MiB", "file, MiB", "of the file"]
                    : Array.Empty<string>(),
                "rounds",
            ],
            Rows = [.. Ordered().Select(Cells)],
            Ratios = [.. Ordered().Select(RatioOf).OfType<SpeedUp>()],
        };

    private IEnumerable<ScaleResult> Ordered()
    {
        var names = results.Select(result => result.Case.Operation).Distinct().ToList();
        return results.Where(result => result.Costs.Count > 0).OrderBy(result => names.IndexOf(result.Case.Operation));
    }

    private string[] Cells(ScaleResult result)
    {
        var item = result.Case;
        var smallest = results.First(other => other.Case == item with { Size = other.Case.Size });
        var plain = PlainOf(result);
        return
        [
            item.Operation,
            item.Way,
            HasProcesses ? item.Preset : result.Row,
            item.Size.ToString(CultureInfo.InvariantCulture),
            result.Rows.ToString(CultureInfo.InvariantCulture),
            Numbers.Spread(result.Costs.Select(cost => cost.Processor)),
            Numbers.Spread(result.Costs.Select(cost => cost.Clock)),
            Numbers.Two(result.RowCost),
            result == smallest ? "–" : Numbers.Two(result.RowCost / smallest.RowCost),
            plain is null ? "–" : Numbers.Two(plain.Median(cost => cost.Processor) / result.Median(cost => cost.Processor)),
            plain is null ? "–" : Numbers.Two(plain.Median(cost => cost.Clock) / result.Median(cost => cost.Clock)),
            .. HasProcesses ? OfProcess(result) : [],
            result.Costs.Count.ToString(CultureInfo.InvariantCulture),
        ];
    }

    private static string[] OfProcess(ScaleResult result) =>
        [
            Numbers.MiB(Peak(result)),
            OfBound(result).ToString("P0", CultureInfo.InvariantCulture),
            Numbers.MiB((long)result.Median(cost => cost.WrittenBytes)),
            Numbers.MiB(result.Costs.Max(cost => cost.DiskBytes)),
            Numbers.MiB(result.Costs.Max(cost => cost.FileBytes)),
            Numbers.Two(DiskRatio(result)),
        ];

    private static long Peak(ScaleResult result) => result.Costs.Max(cost => cost.PeakBytes);

    private static double OfBound(ScaleResult result) => Peak(result) / (double)ScaleGoals.MemoryOf(result.Case.Preset);

    private static double DiskRatio(ScaleResult result) => result.Costs.Max(cost => cost.DiskBytes / (double)cost.FileBytes);

    private static IEnumerable<string> MissedOf(ScaleResult result)
    {
        var name = FormattableString.Invariant($"{result.Case.Operation}, {result.Case.Preset}, {result.Case.Size} blocks");
        if (OfBound(result) > 1)
            yield return $"{name}: {Numbers.MiB(Peak(result))} MiB of memory, the bound is {ScaleGoals.MemoryOf(result.Case.Preset) >> 20}";
        if (DiskRatio(result) > ScaleGoals.DiskRatio)
            yield return FormattableString.Invariant(
                $"{name}: {DiskRatio(result):0.00} times the file on the disk, the goal is {ScaleGoals.DiskRatio}"
            );
    }

    private ScaleResult? PlainOf(ScaleResult result) =>
        result.Case.Way == ScaleWays.Plain
            ? null
            : results.FirstOrDefault(other => other.Costs.Count > 0 && other.Case == result.Case with { Way = ScaleWays.Plain });

    private SpeedUp? RatioOf(ScaleResult result) =>
        PlainOf(result) is not { } plain
            ? null
            : SpeedUp.Of(
                FormattableString.Invariant(
                    $"scale/{result.Case.Operation}, {result.Case.Size} {unit}, {result.Case.Way} over {ScaleWays.Plain}, cpu"
                ),
                FormattableString.Invariant(
                    $"{result.Rows} rows, {result.Case.BlocksPerFile} blocks a file, SQLite {RunEnvironment.CurrentSqlite}"
                ),
                [.. plain.Costs.Select(cost => cost.Processor)],
                [.. result.Costs.Select(cost => cost.Processor)]
            );

    private IEnumerable<string> Phases() =>
        from result in Ordered()
        where result.Costs[0].Phases.Count > 0
        let parts = result
            .Costs[0]
            .Phases.Keys.Select(phase => $"{phase} {Numbers.Two(result.Median(cost => cost.Phases[phase]) * 1e6 / result.Rows)}")
        select FormattableString.Invariant(
            $"- {result.Case.Operation}, {result.Case.Way}, {result.Case.Size} {unit}, µs a row: {string.Join(", ", parts)}"
        );
}
