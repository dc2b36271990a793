using System.Globalization;
using System.Text;
using System.Text.Json;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>Turns the samples of a <c>recreate-scale</c> run into tables: medians by case, and the ratios that are asked for.</summary>
internal sealed class RecreateScaleReport
{

    private readonly List<Row> m_rows;
    private readonly List<(ScaleCase Case, List<ScaleSample> Samples)> m_samples;

    /// <param name="samples">The cases in their order, each with at least one sample.</param>
    /// <exception cref="InvalidOperationException">Two rebuilds of the same data gave different answers.</exception>
    public RecreateScaleReport(List<(ScaleCase Case, List<ScaleSample> Samples)> samples)
    {
        m_samples = samples;
        m_rows = [.. samples.Select(x => new Row(x.Case, x.Samples))];
        foreach (var same in samples.GroupBy(x => (x.Case.Blocks, x.Case.BlocksPerFile)))
        {
            if (same.SelectMany(x => x.Samples).Select(x => x.Checksum).Distinct().Count() > 1)
                throw new InvalidOperationException($"Rebuilds of the same {same.Key.Blocks} blocks differ.");
        }
    }

    /// <summary>Writes <c>recreate-scale.md</c>, <c>recreate-scale.json</c> with every sample, and the table that <c>report</c> and <c>compare</c> read.</summary>
    /// <param name="folder">The folder; made if it is missing.</param>
    /// <param name="command">The arguments that repeat the run.</param>
    /// <returns>The markdown.</returns>
    public string Write(string folder, string command)
    {
        Directory.CreateDirectory(folder);
        var markdown = Markdown();
        File.WriteAllText(Path.Combine(folder, "recreate-scale.md"), markdown);
        var results = new
        {
            Environment = RunEnvironment.Current(0, RunEnvironment.WriteAheadLog),
            Cases = m_samples.Select(x => new { x.Case, x.Samples }),
        };
        File.WriteAllText(Path.Combine(folder, "recreate-scale.json"), JsonSerializer.Serialize(results, ResultFile.Json));
        Table(command).Write(folder, "recreate-scale");
        return markdown;
    }

    private List<string> Phases => [.. m_samples[0].Samples[0].Phases.Keys];

    private TableResults Table(string command)
    {
        var note = new StringBuilder("Processor time a block by phase and in all, medians of the rounds, each rebuild in a process of its own. Making the hashes is not counted.\n\n");
        AppendGrowth(note);
        AppendEngine(note);
        return new TableResults
        {
            Title = "What a block costs in a recreate",
            Command = command,
            Environment = RunEnvironment.Current(0, RunEnvironment.WriteAheadLog),
            Note = note.ToString().TrimEnd(),
            Texts = ["files", "way"],
            Figures = ["blocks", .. Phases, "cpu µs/block", "clock µs/block", "peak MB", "written MB", "speed-up (cpu)", "speed-up (clock)", "checksum", "rounds"],
            Rows = [.. m_rows.Select(row => (string[])[row.Case.Files, row.Case.Way, row.Case.Blocks.ToString(CultureInfo.InvariantCulture), .. Cells(row)])],
            Ratios = [.. m_rows.Where(row => row.Case.Way == ScaleWays.Layer).Select(SpeedUpOf).OfType<SpeedUp>()],
        };
    }

    private SpeedUp? SpeedUpOf(Row row) => BaselineOf(row) is not { } baseline ? null : new SpeedUp(
        FormattableString.Invariant($"recreate-scale/{row.Case.Blocks} blocks, files {row.Case.Files}, {row.Case.Way} over {ScaleWays.Provider}, cpu"),
        $"SQLite {RunEnvironment.CurrentSqlite}",
        baseline.Processor / row.Processor,
        baseline.Least / row.Most,
        baseline.Most / row.Least,
        Math.Min(baseline.Rounds, row.Rounds));

    private Row? BaselineOf(Row row) => m_rows.FirstOrDefault(x => x.Case == row.Case with { Way = ScaleWays.Provider });

    private string Markdown()
    {
        var text = new StringBuilder();
        var phases = Phases;
        text.Append(CultureInfo.InvariantCulture, $"| blocks | files | way | {string.Join(" | ", phases)} | cpu µs/block | clock µs/block | peak MB | written MB | speed-up (cpu) | speed-up (clock) | checksum | rounds |\n");
        text.Append(CultureInfo.InvariantCulture, $"|---:|---|---|{string.Concat(phases.Select(_ => "---:|"))}---:|---:|---:|---:|---:|---:|---|---:|\n");
        foreach (var row in m_rows)
            text.Append(CultureInfo.InvariantCulture, $"| {row.Case.Blocks} | {row.Case.Files} | {row.Case.Way} | {string.Join(" | ", Cells(row))} |\n");
        text.Append('\n');
        AppendGrowth(text);
        AppendEngine(text);
        return text.ToString();
    }

    private void AppendGrowth(StringBuilder text)
    {
        foreach (var way in m_rows.GroupBy(row => row.Case.Way))
            AppendGrowth(text, way.Key, [.. way]);
    }

    // What no layer can save, and which indexes it goes into.
    private void AppendEngine(StringBuilder text)
    {
        foreach (var row in m_rows.Where(row => row.Case.Way == ScaleWays.Engine))
        {
            if (m_rows.FirstOrDefault(x => x.Case == row.Case with { Way = ScaleWays.Layer }) is { } layer)
                text.Append(CultureInfo.InvariantCulture, $"* the engine's own part of the layer's processor time, {row.Case.Blocks} blocks in files {row.Case.Files}: {Ratio(row.Processor, layer.Processor)}\n");
            text.Append(CultureInfo.InvariantCulture, $"* building each index, engine, {row.Case.Blocks} blocks in files {row.Case.Files}, µs of processor time a block: ");
            text.AppendJoin(", ", row.Indexes.Select(index => $"{index.Name} {Two(index.Microseconds)}")).Append('\n');
        }
    }

    private IEnumerable<string> Cells(Row row)
    {
        var baseline = BaselineOf(row);
        foreach (var phase in Phases)
            yield return Two(row.Phase(phase) / row.Case.Blocks);
        yield return Two(row.Processor);
        yield return Two(row.Clock);
        yield return row.PeakMegaBytes.ToString("F0", CultureInfo.InvariantCulture);
        yield return row.WrittenMegaBytes.ToString("F0", CultureInfo.InvariantCulture);
        yield return Ratio(baseline?.Processor, row.Processor);
        yield return Ratio(baseline?.Clock, row.Clock);
        yield return row.Checksum.ToString("x16", CultureInfo.InvariantCulture);
        yield return row.Rounds.ToString(CultureInfo.InvariantCulture);
    }

    private static string Two(double value) => value.ToString("F2", CultureInfo.InvariantCulture);

    // What a block costs in each case over what it costs in the first one of the same way.
    private static void AppendGrowth(StringBuilder text, string way, List<Row> rows)
    {
        foreach (var row in rows.Skip(1))
        {
            text.Append(CultureInfo.InvariantCulture, $"* cost per block, {way}: {row.Case.Blocks} blocks in files {row.Case.Files} over {rows[0].Case.Blocks} in {rows[0].Case.Files}: ");
            text.Append(CultureInfo.InvariantCulture, $"{Ratio(row.Processor, rows[0].Processor)} by processor time, {Ratio(row.Clock, rows[0].Clock)} on the clock\n");
        }
    }

    private static string Ratio(double? upper, double lower) => upper is { } value ? (value / lower).ToString("F2", CultureInfo.InvariantCulture) : "";

    // Medians; times are microseconds a block.
    private sealed class Row(ScaleCase item, List<ScaleSample> samples)
    {
        internal ScaleCase Case => item;

        internal double Processor { get; } = Median(samples, x => x.Processor) / item.Blocks;

        internal double Least { get; } = samples.Min(x => x.Processor) / item.Blocks;

        internal double Most { get; } = samples.Max(x => x.Processor) / item.Blocks;

        internal double Clock { get; } = Median(samples, x => x.Clock) / item.Blocks;

        internal double PeakMegaBytes { get; } = Median(samples, x => x.PeakBytes) / 1048576;

        internal double WrittenMegaBytes { get; } = Median(samples, x => x.WrittenBytes) / 1048576;

        internal ulong Checksum => samples[0].Checksum;

        internal int Rounds => samples.Count;

        internal IEnumerable<(string Name, double Microseconds)> Indexes =>
            samples[0].Indexes.Keys.Select(name => (name, Median(samples, x => x.Indexes[name]) / item.Blocks));

        internal double Phase(string name) => Median(samples, x => x.Phases[name]);
    }

    private static double Median(List<ScaleSample> samples, Func<ScaleSample, double> value) => Numbers.Median(samples.Select(value));
}
