// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Text.Json.Serialization;
using Duplicati.Library.SQLiteHelper;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Results;

/// <summary>How result files and manifests are written and read.</summary>
internal static class ResultFile
{
    /// <summary>
    /// How result files and manifests are written, and what must be in them. A figure that a time of zero made infinite must not lose all
    /// the others.
    /// </summary>
    public static JsonSerializerOptions Json { get; } =
        new()
        {
            WriteIndented = true,
            RespectNullableAnnotations = true,
            RespectRequiredConstructorParameters = true,
            NumberHandling = JsonNumberHandling.AllowNamedFloatingPointLiterals,
        };

    /// <summary>Reads one file.</summary>
    /// <exception cref="InvalidDataException">It is not what it should be; the message names it and says what to do.</exception>
    public static T Read<T>(string path)
    {
        try
        {
            return JsonSerializer.Deserialize<T>(File.ReadAllText(path), Json) ?? throw new JsonException("It has no content.");
        }
        catch (JsonException ex)
        {
            throw new InvalidDataException($"{path} cannot be read: {ex.Message} Make it again, or take it away.", ex);
        }
    }
}

/// <summary>
/// The table that a command prints, kept in a file whose name ends in <see cref="Suffix"/>, so that a report shows it and a comparison
/// holds its ratios. Any command may write some; a report has a section for each.
/// </summary>
internal sealed record TableResults
{
    /// <summary>End of the file's name.</summary>
    public const string Suffix = ".table.json";

    // Of the commands: whole operations first, single statements last.
    private static readonly string[] s_order = ["e2e", "scale", "techniques", "micro"];

    /// <summary>Heading of the section.</summary>
    public required string Title { get; init; }

    /// <summary>The arguments that repeat the run.</summary>
    public required string Command { get; init; }

    /// <summary>Where and with what.</summary>
    public required RunEnvironment Environment { get; init; }

    /// <summary>What is to be known to read the table, paragraphs of markdown; null if it says all itself.</summary>
    public string? Note { get; init; }

    /// <summary>Heads of the columns with text, which come first.</summary>
    public required IReadOnlyList<string> Texts { get; init; }

    /// <summary>Heads of the columns with figures.</summary>
    public required IReadOnlyList<string> Figures { get; init; }

    /// <summary>The cells of each row, texts and then figures.</summary>
    public required IReadOnlyList<IReadOnlyList<string>> Rows { get; init; }

    /// <summary>The ratios among the figures that a later run can be held against.</summary>
    public IReadOnlyList<SpeedUp> Ratios { get; init; } = [];

    /// <summary>Ratios as bars, where there is something to see.</summary>
    public BarChart? Chart { get; init; }

    /// <summary>The table as markdown.</summary>
    public string Markdown() => Markdown(Texts, Figures, Rows);

    /// <summary>A table as markdown, whose columns stand below each other.</summary>
    public static string Markdown(
        IReadOnlyCollection<string> texts,
        IReadOnlyCollection<string> figures,
        IReadOnlyList<IReadOnlyList<string>> rows
    )
    {
        List<List<string>> all =
        [
            .. rows.Prepend([.. texts, .. figures])
                .Select(row => row.Select(cell => cell.Replace("|", "\\|", StringComparison.Ordinal)).ToList()),
        ];
        var widths = all[0].Select((_, column) => Math.Max(IsText(column) ? 3 : 4, all.Max(row => row[column].Length))).ToList();
        all.Insert(1, [.. widths.Select((width, column) => IsText(column) ? new string('-', width) : new string('-', width - 1) + ":")]);
        return string.Join('\n', all.Select(row => $"| {string.Join(" | ", row.Select(Padded))} |"));

        bool IsText(int column) => column < texts.Count;

        string Padded(string cell, int column) => IsText(column) ? cell.PadRight(widths[column]) : cell.PadLeft(widths[column]);
    }

    /// <summary>Writes the tables of a run, and removes those of an earlier one; folders that are missing are made.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">What the names of the files begin with.</param>
    /// <param name="tables">The tables.</param>
    public static void Write(string folder, string name, IEnumerable<TableResults> tables)
    {
        Directory.CreateDirectory(folder);
        foreach (var old in Directory.GetFiles(folder, $"{name}-*{Suffix}"))
            File.Delete(old);
        foreach (var (number, table) in tables.Index())
            File.WriteAllText(
                Path.Combine(folder, FormattableString.Invariant($"{name}-{number + 1}{Suffix}")),
                JsonSerializer.Serialize(table, ResultFile.Json)
            );
    }

    /// <summary>Reads the tables of a folder and of all below.</summary>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="InvalidDataException">A file is not what it should be; the message names it.</exception>
    public static IReadOnlyList<TableResults> Load(string folder) =>
        [
            .. Directory
                .EnumerateFiles(folder, "*" + Suffix, SearchOption.AllDirectories)
                .Order(StringComparer.Ordinal)
                .Select(ResultFile.Read<TableResults>)
                .OrderBy(table => Array.IndexOf(s_order, table.Command.Split(' ')[0])),
        ];
}

/// <summary>Speed-ups as bars.</summary>
/// <param name="Name">Name of its file; anything but letters and digits becomes a dash.</param>
/// <param name="Title">What it shows.</param>
/// <param name="Bars">From top to bottom.</param>
internal sealed record BarChart(string Name, string Title, IReadOnlyList<SpeedUpBar> Bars)
{
    /// <summary>One of ratios; null if none of them is a figure.</summary>
    public static BarChart? Of(string name, string title, IEnumerable<(string Label, int Series, SpeedUp? Ratio)> ratios) =>
        ratios
            .Where(entry => entry.Ratio is { IsFigure: true })
            .Select(entry => new SpeedUpBar(entry.Label, entry.Series, entry.Ratio!))
            .ToList()
            is { Count: > 0 } bars
            ? new BarChart(name, title, bars)
            : null;
}

/// <summary>One bar.</summary>
/// <param name="Label">What stands beside it.</param>
/// <param name="Series">Bars of the same series have the same colour.</param>
/// <param name="Ratio">Its length, with an error bar where its range is known.</param>
internal sealed record SpeedUpBar(string Label, int Series, SpeedUp Ratio);

/// <summary>
/// How many times faster than its baseline something was in one and the same run. The only kind of figure that is pinned.
/// </summary>
/// <param name="Name">What is compared with what.</param>
/// <param name="Setting">On what data; only ratios of equal settings can be compared.</param>
/// <param name="Ratio">Median of the baseline's times : median of the times; above 1 is faster.</param>
/// <param name="Low">The ratio if luck was against it: lower times of the baseline, upper ones of the contender.</param>
/// <param name="High">The ratio if luck was with it.</param>
/// <param name="Repetitions">Of how many repetitions the medians are.</param>
internal sealed record SpeedUp(string Name, string Setting, double Ratio, double Low, double High, int Repetitions)
{
    /// <summary>
    /// The ratio of two lists of times, in any order: of their medians, with the worst and the best luck of single rounds.
    /// </summary>
    public static SpeedUp Of(string name, string setting, IReadOnlyCollection<double> baseline, IReadOnlyCollection<double> times) =>
        new(
            name,
            setting,
            Numbers.Median(baseline) / Numbers.Median(times),
            baseline.Min() / times.Max(),
            baseline.Max() / times.Min(),
            Math.Min(baseline.Count, times.Count)
        );

    /// <summary>False if a time of zero made it no figure at all.</summary>
    [JsonIgnore]
    public bool IsFigure => double.IsFinite(Ratio) && Ratio > 0;

    /// <inheritdoc/>
    public override string ToString() =>
        !IsFigure ? "–"
        : Low == High ? Numbers.Two(Ratio)
        : $"{Numbers.Two(Ratio)} ({Numbers.Two(Low)}–{Numbers.Two(High)})";
}

/// <summary>Where, with what and on what a run was made: without this no two figures can be compared.</summary>
internal sealed record RunEnvironment
{
    /// <summary>What most measurements promise: the preset <c>default</c>.</summary>
    public const string WriteAheadLog = "WAL, synchronous NORMAL (a power loss may drop the last commits)";

    /// <summary>Processors, memory and system.</summary>
    public required string Machine { get; init; }

    /// <summary>The runtime and its version.</summary>
    public required string Runtime { get; init; }

    /// <summary>Version of the SQLite library.</summary>
    public required string Sqlite { get; init; }

    /// <summary>Version of Microsoft.Data.Sqlite.</summary>
    public required string Provider { get; init; }

    /// <summary>Processors that the process could use.</summary>
    public required int Processors { get; init; }

    /// <summary>The commit this program was built from.</summary>
    public required string Commit { get; init; }

    /// <summary>Seed of the data.</summary>
    public required long Seed { get; init; }

    /// <summary>Journal and synchronous mode.</summary>
    public required string Durability { get; init; }

    /// <summary>Day of the run, UTC.</summary>
    public required string Date { get; init; }

    /// <summary>Processes that wanted a processor when the run began; null where the system does not say.</summary>
    public double? Load { get; init; }

    /// <summary>All of it, a line each.</summary>
    [JsonIgnore]
    public IReadOnlyList<string> Lines =>
        [
            $"machine: {Machine}"
                + (Load is { } load ? FormattableString.Invariant($"; {load:0.0} processes wanted a processor when it began") : ""),
            FormattableString.Invariant(
                $"runtime: {Runtime}; Microsoft.Data.Sqlite {Provider}; SQLite {Sqlite}; commit {Commit}; seed {Seed}; {Date}"
            ),
            $"durability: {Durability}",
        ];

    /// <summary>The environment of this process.</summary>
    public static RunEnvironment Current(long seed, string durability) =>
        new()
        {
            Machine = string.Create(
                CultureInfo.InvariantCulture,
                $"{System.Environment.ProcessorCount} processors, {GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 30} GiB, {RuntimeInformation.OSDescription}"
            ),
            Runtime = RuntimeInformation.FrameworkDescription,
            Sqlite = CurrentSqlite,
            Provider = typeof(SqliteConnection).Assembly.GetName().Version?.ToString(3) ?? "unknown",
            Processors = System.Environment.ProcessorCount,
            Commit = CurrentCommit,
            Seed = seed,
            Durability = durability,
            Date = DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
            Load =
                File.Exists("/proc/loadavg")
                && double.TryParse(File.ReadAllText("/proc/loadavg").Split(' ')[0], CultureInfo.InvariantCulture, out var load)
                    ? load
                    : null,
        };

    /// <summary>The commit this program was built from, shortened; "unknown" outside of a repository.</summary>
    public static string CurrentCommit
    {
        get
        {
            var version =
                typeof(RunEnvironment).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion ?? "";
            var plus = version.IndexOf('+', StringComparison.Ordinal);
            return plus < 0 ? "unknown" : version[(plus + 1)..Math.Min(version.Length, plus + 11)];
        }
    }

    /// <summary>Version of the SQLite library.</summary>
    public static string CurrentSqlite => SQLiteLoader.SQLiteVersion ?? "unknown";
}

/// <summary>Medians, and figures as documents show them.</summary>
internal static class Numbers
{
    /// <summary>The middle value, or the mean of the two in the middle.</summary>
    public static double Median(IEnumerable<double> values)
    {
        var sorted = values.Order().ToList();
        return (sorted[(sorted.Count - 1) / 2] + sorted[sorted.Count / 2]) / 2;
    }

    /// <summary>A figure with two decimals.</summary>
    public static string Two(double value) => value.ToString("0.00", CultureInfo.InvariantCulture);

    /// <summary>Seconds, with three digits that mean something, from milliseconds to minutes.</summary>
    public static string Seconds(double value) =>
        value.ToString(
            value < 1 ? "F3"
                : value < 10 ? "F2"
                : "F1",
            CultureInfo.InvariantCulture
        );

    /// <summary>The median of seconds, in brackets the least and the most.</summary>
    public static string Spread(IEnumerable<double> values)
    {
        var sorted = values.Order().ToList();
        var middle = Seconds(Median(sorted));
        return sorted.Count == 1 ? middle : $"{middle} ({Seconds(sorted[0])}–{Seconds(sorted[^1])})";
    }

    /// <summary>A whole number, grouped.</summary>
    public static string Whole(double value) => value.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>Bytes as MiB; a dash if unknown.</summary>
    public static string MiB(long? bytes) => bytes is >= 0 ? (bytes.Value / 1048576.0).ToString("0.0", CultureInfo.InvariantCulture) : "–";
}
