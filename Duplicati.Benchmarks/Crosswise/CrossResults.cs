// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>What came of all contenders working with each other's backups.</summary>
/// <param name="command">The arguments that were typed.</param>
/// <param name="options">What was backed up.</param>
internal sealed class CrossResults(string command, EndToEndOptions options)
{
    private const string Chains = """
        Backup and delete by the one, list and compact by the other; after a kill, the other one repairs and the operation is run again.
        """;

    private readonly RunEnvironment m_environment = RunEnvironment.Current(options.Seed, options.Durability);

    /// <summary>What each contender is, by its name.</summary>
    public SortedDictionary<string, string> Programs { get; } = new(StringComparer.Ordinal);

    /// <summary>One for each pair and kind.</summary>
    public List<CrossRow> Rows { get; } = [];

    /// <summary>All that was done or could not be.</summary>
    public IEnumerable<CrossCell> Cells => Rows.SelectMany(row => row.Cells);

    /// <summary>All of it in a sentence or two.</summary>
    public string Summary
    {
        get
        {
            var (all, good) = (Cells.Count(), Cells.Count(cell => cell.Outcome == CrossOutcome.Good));
            var (kills, hits) = (Rows.Sum(row => row.Kills), Rows.Sum(row => row.Hits));
            return (
                    good == all
                        ? $"All {all} are as they should be."
                        : $"{good} of {all} are as they should be; what is wrong stands below."
                ) + (kills > 0 ? $" Of {kills} kills, {hits} hit a program that was still running." : "");
        }
    }

    /// <summary>A table for each kind.</summary>
    public IReadOnlyList<TableResults> Tables =>
        [
            .. Table(BackupOfAnother.Kind, "A backup of the one, used by the other", "backup of", "used by", ""),
            .. Table(HandToHand.Kind, "One database from hand to hand", "one", "other", Chains),
        ];

    /// <summary>Writes <c>cross.md</c>.</summary>
    public void Write(string folder) => ReportDocument.Write(Tables, Path.Combine(folder, "cross.md"), Summary);

    private IEnumerable<TableResults> Table(string kind, string title, string first, string second, string note)
    {
        var rows = Rows.Where(row => row.Kind == kind).ToList();
        if (rows.Count == 0)
            yield break;
        var faults =
            from row in rows
            from cell in row.Cells
            where cell.Outcome == CrossOutcome.Wrong
            select $"{row.Volumes}, {row.First} and {row.Second}, {cell.What}: {string.Join('\n', cell.Lines)}";
        yield return new TableResults
        {
            Title = title,
            Command = command,
            Environment = m_environment,
            Note = string.Join(
                "\n\n",
                new[] { note, options.Data, string.Join('\n', Programs.Select(program => $"- {program.Key}: {program.Value}")) }
                    .Concat(faults)
                    .Where(text => text.Length > 0)
            ),
            Texts = ["volumes", first, second, .. rows[0].Cells.Select(cell => cell.What)],
            Figures = [],
            Rows =
            [
                .. rows.Select(IReadOnlyList<string> (row) => [row.Volumes, row.First, row.Second, .. row.Cells.Select(cell => cell.Word)]),
            ],
        };
    }
}

/// <summary>What came of one pair.</summary>
/// <param name="Kind">Crosswise, or hand to hand.</param>
/// <param name="Volumes">Plain, or AES.</param>
/// <param name="First">Who made the backup.</param>
/// <param name="Second">Who used it.</param>
/// <param name="Cells">What was done, in its order.</param>
internal sealed record CrossRow(string Kind, string Volumes, string First, string Second, IReadOnlyList<CrossCell> Cells)
{
    /// <summary>Operations that were to be killed.</summary>
    public int Kills { get; init; }

    /// <summary>Those that were still running when they were killed.</summary>
    public int Hits { get; init; }
}

/// <summary>One thing that was done.</summary>
/// <param name="What">Its name.</param>
/// <param name="Outcome">What came of it.</param>
/// <param name="Lines">What is wrong; empty if nothing is.</param>
internal sealed record CrossCell(string What, CrossOutcome Outcome, IReadOnlyList<string> Lines)
{
    /// <summary>The outcome as it stands in tables.</summary>
    public string Word =>
        Outcome switch
        {
            CrossOutcome.Good => "yes",
            CrossOutcome.Wrong => "NO",
            _ => "–",
        };
}

/// <summary>What came of something.</summary>
internal enum CrossOutcome
{
    /// <summary>It is as it should be.</summary>
    Good,

    /// <summary>It failed, or what came out is wrong.</summary>
    Wrong,

    /// <summary>It was not tried, as something failed before that it needs.</summary>
    NotTried,
}
