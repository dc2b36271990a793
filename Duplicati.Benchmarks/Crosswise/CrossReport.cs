// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>Who can do what with whose backup, as a document.</summary>
internal static class CrossReport
{
    /// <summary>Writes <c>cross.md</c>.</summary>
    /// <returns>The text of the document.</returns>
    public static string Write(CrossResults results, string folder)
    {
        var text = Text(results);
        File.WriteAllText(Path.Combine(folder, "cross.md"), text);
        return text;
    }

    /// <summary>An outcome as it stands in tables.</summary>
    public static string Word(CrossOutcome outcome) =>
        outcome switch
        {
            CrossOutcome.Good => "yes",
            CrossOutcome.Wrong => "NO",
            _ => "–",
        };

    private static string Text(CrossResults results)
    {
        var text = new StringBuilder("# Who can do what with whose backup\n\n");
        text.Append(CultureInfo.InvariantCulture, $"```\n{ThisProgram.FromRepository} {results.Command}\n```\n\n");
        foreach (var (name, value) in results.Environment)
            text.Append(CultureInfo.InvariantCulture, $"- {name}: {value}\n");
        var (all, good) = (results.Cells.Count(), results.Cells.Count(cell => cell.Outcome == CrossOutcome.Good));
        text.Append(
            CultureInfo.InvariantCulture,
            $"\n{(good == all ? $"All {all} are as they should be." : $"{good} of {all} are as they should be; what is wrong stands below.")}"
        );
        if (results.Rows.Sum(row => row.Kills) is > 0 and var kills)
            text.Append(
                CultureInfo.InvariantCulture,
                $" Of {kills} kills, {results.Rows.Sum(row => row.Hits)} hit a program that was still running."
            );
        text.Append('\n');
        Append(text, results, BackupOfAnother.Kind, "A backup of the one, used by the other", "backup of", "used by");
        Append(
            text,
            results,
            HandToHand.Kind,
            "One database from hand to hand: backup and delete by the one, list and compact by the other; after a kill, the other one repairs and the operation is run again",
            "one",
            "other"
        );
        AppendFaults(text, results);
        return text.ToString();
    }

    private static void Append(StringBuilder text, CrossResults results, string kind, string title, string first, string second)
    {
        var rows = results.Rows.Where(row => row.Kind == kind).ToList();
        if (rows.Count == 0)
            return;

        List<string> head = ["volumes", first, second, .. rows[0].Cells.Select(cell => cell.What)];
        text.Append(
            CultureInfo.InvariantCulture,
            $"\n{title}:\n\n| {string.Join(" | ", head)} |\n| {string.Join(" | ", head.Select(_ => "---"))} |\n"
        );
        foreach (var row in rows)
            text.Append(
                CultureInfo.InvariantCulture,
                $"| {string.Join(" | ", [row.Volumes, row.First, row.Second, .. row.Cells.Select(cell => Word(cell.Outcome))])} |\n"
            );
    }

    private static void AppendFaults(StringBuilder text, CrossResults results)
    {
        foreach (var row in results.Rows)
        {
            foreach (var cell in row.Cells.Where(cell => cell.Outcome == CrossOutcome.Wrong))
                text.Append(
                    CultureInfo.InvariantCulture,
                    $"\n{row.Kind}, {row.Volumes}, {row.First} and {row.Second}, {cell.What}:\n\n```\n{string.Join('\n', cell.Lines)}\n```\n"
                );
        }
    }
}

/// <summary>What came of all contenders working with each other's backups.</summary>
/// <param name="Command">The arguments that were typed.</param>
/// <param name="Environment">Where, with what and on what, by name.</param>
/// <param name="Rows">One for each pair and kind.</param>
internal sealed record CrossResults(string Command, IReadOnlyDictionary<string, string> Environment, IReadOnlyList<CrossRow> Rows)
{
    /// <summary>All that was done or could not be.</summary>
    public IEnumerable<CrossCell> Cells => Rows.SelectMany(row => row.Cells);
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
internal sealed record CrossCell(string What, CrossOutcome Outcome, IReadOnlyList<string> Lines);

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
