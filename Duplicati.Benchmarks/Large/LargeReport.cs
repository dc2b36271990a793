using System.Globalization;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Large;

/// <summary>Turns the samples of a <c>large</c> run into a table, and holds them to the goals.</summary>
internal sealed class LargeReport
{
    private const string Durability = RunEnvironment.WriteAheadLog + "; recreate: none";

    private const double SlowBytesASecond = 100e6;
    private const double SlowFlushesASecond = 200;
    private const double MicrosecondsASecond = 1e6;

    private const string Note = """
        Each step in a process of its own, with the runtime's settings of `duplicati-db`. Medians of the rounds; memory and disk are the most of all rounds. A block is one that is added (`first-backup`),
        offered, half of them known (`find-or-insert`), there (`check`), deleted, a twentieth of all (`delete`), or rebuilt (`recreate`). Opening and closing the database are part of a step, making the data is not.
        "growth" is processor time a block over that at the smallest size, "disk" the most that database, log and temporary files took at a moment, "ratio" that over the file afterwards.
        """;

    private const string NoteOfSlowDisk = """
        "slow disk" is the time that writing alone would take at 100 MB and 200 flushes a second. It is reckoned from the bytes handed to the system and the calls of fsync and fdatasync; reading is not in it.
        """;

    private readonly List<Row> m_rows;
    private readonly bool m_hasFlushes;

    /// <param name="samples">The samples, of one or more rounds.</param>
    internal LargeReport(IReadOnlyList<(LargeCase Case, LargeSample Sample)> samples)
    {
        m_rows = [.. samples.GroupBy(x => x.Case).Select(x => new Row(x.Key, [.. x.Select(y => y.Sample)]))
            .OrderBy(row => Array.IndexOf(LargeSteps.All, row.Case.Step)).ThenBy(row => Array.IndexOf(LargeGoals.Presets, row.Case.Preset)).ThenBy(row => row.Case.Blocks)];
        m_hasFlushes = m_rows.Any(row => row.Flushes is not null);
    }

    /// <summary>The goals of memory and disk that were missed, a line each.</summary>
    internal IEnumerable<string> Missed => m_rows.SelectMany(row => row.Missed);

    /// <summary>The table.</summary>
    /// <param name="command">The arguments that repeat the run.</param>
    internal TableResults Table(string command) => new()
    {
        Title = "What a block costs in large databases",
        Command = command,
        Environment = RunEnvironment.Current(0, Durability),
        Note = m_hasFlushes ? $"{Note} {NoteOfSlowDisk}" : Note,
        Texts = ["step", "preset"],
        Figures =
        [
            "blocks", "cpu µs/block", "growth", "clock µs/block", "memory, MiB", "of the bound", "written, MiB", "disk, MiB", "file, MiB", "ratio",
            .. m_hasFlushes ? ["flushes", "slow disk µs/block"] : Array.Empty<string>(), "rounds",
        ],
        Rows = [.. m_rows.Select(Cells)],
    };

    private string[] Cells(Row row)
    {
        var smallest = m_rows.First(other => (other.Case.Step, other.Case.Preset) == (row.Case.Step, row.Case.Preset));
        return
        [
            row.Case.Step, row.Case.Preset, row.Case.Blocks.ToString(CultureInfo.InvariantCulture),
            Numbers.Two(row.Processor), Numbers.Two(row.Processor / smallest.Processor), Numbers.Two(row.Clock),
            Numbers.MiB(row.PeakBytes), row.OfBound.ToString("P0", CultureInfo.InvariantCulture), Numbers.MiB(row.WrittenBytes), Numbers.MiB(row.DiskBytes), Numbers.MiB(row.FileBytes), Numbers.Two(row.DiskRatio),
            .. m_hasFlushes ? [row.Flushes is { } flushes ? Numbers.Whole(flushes) : "–", row.SlowDisk is { } slow ? Numbers.Two(slow) : "–"] : Array.Empty<string>(),
            row.Rounds.ToString(CultureInfo.InvariantCulture),
        ];
    }

    // Times are microseconds a block.
    private sealed class Row(LargeCase item, List<LargeSample> samples)
    {
        private readonly long m_blocks = new LargeBackup(item.Blocks).BlocksOf(item.Step);

        internal LargeCase Case => item;

        internal double Processor => Median(sample => sample.Cost.Processor) / m_blocks;

        internal double Clock => Median(sample => sample.Cost.Clock) / m_blocks;

        internal long PeakBytes => samples.Max(sample => sample.Cost.PeakBytes);

        internal double OfBound => PeakBytes / (double)LargeGoals.MemoryOf(item.Preset);

        internal long WrittenBytes => (long)Median(sample => sample.Cost.WrittenBytes);

        internal long DiskBytes => samples.Max(sample => sample.DiskBytes);

        internal long FileBytes => samples.Max(sample => sample.FileBytes);

        internal double DiskRatio => samples.Max(sample => sample.DiskBytes / (double)sample.FileBytes);

        internal double? Flushes => samples.All(sample => sample.Flushes is not null) ? Median(sample => sample.Flushes!.Value) : null;

        internal double? SlowDisk => Flushes is { } flushes ? ((WrittenBytes / SlowBytesASecond) + (flushes / SlowFlushesASecond)) * MicrosecondsASecond / m_blocks : null;

        internal int Rounds => samples.Count;

        internal IEnumerable<string> Missed
        {
            get
            {
                var name = FormattableString.Invariant($"{item.Step}, {item.Preset}, {item.Blocks} blocks");
                if (OfBound > 1)
                    yield return FormattableString.Invariant($"{name}: {Numbers.MiB(PeakBytes)} MiB of memory, the bound is {LargeGoals.MemoryOf(item.Preset) >> 20}");
                if (DiskRatio > LargeGoals.DiskRatio)
                    yield return FormattableString.Invariant($"{name}: {Numbers.Two(DiskRatio)} times the file on the disk, the goal is {LargeGoals.DiskRatio}");
            }
        }

        private double Median(Func<LargeSample, double> value) => Numbers.Median(samples.Select(value));
    }
}
