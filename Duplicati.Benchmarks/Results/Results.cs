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

/// <summary>The results of one group of micro benchmarks, as they stand in <see cref="FileName"/>.</summary>
internal sealed record MicroResults
{
    /// <summary>Name of the file in the folder of a group.</summary>
    public const string FileName = "micro.json";

    /// <summary>The group.</summary>
    public required string Group { get; init; }

    /// <summary>The arguments that repeat the run.</summary>
    public required string Command { get; init; }

    /// <summary>Small data and few repetitions.</summary>
    public required bool IsQuick { get; init; }

    /// <summary>Where and with what.</summary>
    public required RunEnvironment Environment { get; init; }

    /// <summary>All cases, in the order of tables and figures.</summary>
    public required IReadOnlyList<MicroCase> Cases { get; init; }
}

/// <summary>One benchmark with one set of parameters. Times are nanoseconds for one operation.</summary>
internal sealed record MicroCase
{
    /// <summary>The benchmark class: the question.</summary>
    public required string Class { get; init; }

    /// <summary>The parameters by name, in their order.</summary>
    public required IReadOnlyDictionary<string, string> Parameters { get; init; }

    /// <summary>The parameter that tells the contenders apart; null if there is nothing to compare with.</summary>
    public string? BaselineParameter { get; init; }

    /// <summary>The value of that parameter which the others are held against.</summary>
    public string? BaselineValue { get; init; }

    /// <summary>Median of the repetitions.</summary>
    public required double MedianNanoseconds { get; init; }

    /// <summary>A quarter of the repetitions took less.</summary>
    public required double LowerNanoseconds { get; init; }

    /// <summary>A quarter of the repetitions took more.</summary>
    public required double UpperNanoseconds { get; init; }

    /// <summary>Processor time of each repetition, of the whole process.</summary>
    public required IReadOnlyList<double> ProcessorNanoseconds { get; init; }

    /// <summary>Number of repetitions.</summary>
    public required int Repetitions { get; init; }

    /// <summary>Rows that one operation handles.</summary>
    public required long Rows { get; init; }

    /// <summary>Bytes one operation wrote to files; null if unknown.</summary>
    public long? WrittenBytes { get; init; }

    /// <summary>Size of the database at the end; null if not of interest.</summary>
    public long? FileBytes { get; init; }

    /// <summary>Managed memory one operation allocated; null if unknown.</summary>
    public long? AllocatedBytes { get; init; }

    /// <summary>Checksum of the answer, the same for all that are compared with each other; null if the question has none.</summary>
    public uint? Answer { get; init; }

    /// <summary>Rows a second, from the median.</summary>
    [JsonIgnore]
    public double RowsPerSecond => Rows * 1e9 / MedianNanoseconds;

    /// <summary>True if the others are held against this case.</summary>
    [JsonIgnore]
    public bool IsBaseline => BaselineParameter is not null && Parameters.GetValueOrDefault(BaselineParameter) == BaselineValue;

    /// <summary>The value of a parameter, or an empty text.</summary>
    public string Value(string parameter) => Parameters.GetValueOrDefault(parameter, "");

    /// <summary>True if this case is the other one with the baseline's value.</summary>
    public bool IsBaselineOf(MicroCase other) =>
        IsBaseline
        && Class == other.Class
        && other.Parameters.All(parameter => parameter.Key == BaselineParameter || Value(parameter.Key) == parameter.Value);
}

/// <summary>
/// The table that a command prints, kept in a file whose name ends in <see cref="Suffix"/>, so that a report shows it and a comparison
/// holds its ratios. Any command may write one; a report has a section for each.
/// </summary>
internal sealed record TableResults
{
    /// <summary>End of the file's name.</summary>
    public const string Suffix = ".table.json";

    /// <summary>Heading of the section.</summary>
    public required string Title { get; init; }

    /// <summary>The arguments that repeat the run.</summary>
    public required string Command { get; init; }

    /// <summary>Where and with what.</summary>
    public required RunEnvironment Environment { get; init; }

    /// <summary>What is to be known to read the table, a paragraph of markdown; null if it says all itself.</summary>
    public string? Note { get; init; }

    /// <summary>Heads of the columns with text, which come first.</summary>
    public required IReadOnlyList<string> Texts { get; init; }

    /// <summary>Heads of the columns with figures.</summary>
    public required IReadOnlyList<string> Figures { get; init; }

    /// <summary>The cells of each row, texts and then figures.</summary>
    public required IReadOnlyList<IReadOnlyList<string>> Rows { get; init; }

    /// <summary>The ratios among the figures that a later run can be held against.</summary>
    public IReadOnlyList<SpeedUp> Ratios { get; init; } = [];

    /// <summary>The table as markdown, as a command prints it.</summary>
    public string Markdown() => string.Join('\n', Rows.Select(MarkdownTable.Row).Prepend(MarkdownTable.Head(Texts, Figures)));

    /// <summary>Writes the file; folders that are missing are made.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="name">The file's name without <see cref="Suffix"/>.</param>
    public void Write(string folder, string name)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, name + Suffix), JsonSerializer.Serialize(this, ResultFile.Json));
    }
}

/// <summary>Tables as markdown.</summary>
internal static class MarkdownTable
{
    /// <summary>The head, two lines: columns of text, then of figures.</summary>
    public static string Head(IReadOnlyCollection<string> texts, IReadOnlyCollection<string> figures) =>
        $"{Row(texts.Concat(figures))}\n{Row(texts.Select(_ => "---").Concat(figures.Select(_ => "---:")))}";

    /// <summary>A line, whatever its cells have in them.</summary>
    public static string Row(IEnumerable<string> cells) =>
        $"| {string.Join(" | ", cells.Select(cell => cell.Replace("|", "\\|", StringComparison.Ordinal)))} |";
}

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

    /// <summary>From the worst luck to the best; empty of a single round.</summary>
    [JsonIgnore]
    public string Range => IsFigure && Low != High ? $"{Numbers.Two(Low)}–{Numbers.Two(High)}" : "";

    /// <inheritdoc/>
    public override string ToString() =>
        !IsFigure ? "–"
        : Low == High ? Numbers.Two(Ratio)
        : $"{Numbers.Two(Ratio)} ({Range})";
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

    /// <summary>The environment of this process.</summary>
    public static RunEnvironment Current(long seed, string durability) =>
        new()
        {
            Machine = CurrentMachine,
            Runtime = RuntimeInformation.FrameworkDescription,
            Sqlite = CurrentSqlite,
            Provider = CurrentProvider,
            Processors = System.Environment.ProcessorCount,
            Commit = CurrentCommit,
            Seed = seed,
            Durability = durability,
            Date = DateTime.UtcNow.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture),
            Load = CurrentLoad,
        };

    /// <summary>Processors, memory and system of this machine.</summary>
    public static string CurrentMachine =>
        string.Create(
            CultureInfo.InvariantCulture,
            $"{Environment.ProcessorCount} processors, {GC.GetGCMemoryInfo().TotalAvailableMemoryBytes >> 30} GiB, {RuntimeInformation.OSDescription}"
        );

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

    /// <summary>Version of Microsoft.Data.Sqlite.</summary>
    public static string CurrentProvider => typeof(SqliteConnection).Assembly.GetName().Version?.ToString(3) ?? "unknown";

    /// <summary>Processes that want a processor; null where the system does not say.</summary>
    public static double? CurrentLoad =>
        File.Exists("/proc/loadavg")
        && double.TryParse(File.ReadAllText("/proc/loadavg").Split(' ')[0], CultureInfo.InvariantCulture, out var load)
            ? load
            : null;
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

    /// <summary>Seconds, to two places that say something.</summary>
    public static string Seconds(double value) => value.ToString(value < 0.1 ? "0.000" : "0.00", CultureInfo.InvariantCulture);

    /// <summary>A whole number, grouped.</summary>
    public static string Whole(double value) => value.ToString("N0", CultureInfo.InvariantCulture);

    /// <summary>Bytes as MiB; a dash if unknown.</summary>
    public static string MiB(long? bytes) => bytes is >= 0 ? (bytes.Value / 1048576.0).ToString("0.0", CultureInfo.InvariantCulture) : "–";
}
