// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Documents;

/// <summary>
/// A markdown document of results, with figures in a folder of the document's name beside it. Only what stands between the lines
/// <see cref="First"/> and <see cref="Last"/> is written, anew each time; text before and after is kept.
/// </summary>
internal sealed partial class ReportDocument
{
    /// <summary>The line after which results stand.</summary>
    internal const string First = "<!-- results: written by the command report, from here -->";

    /// <summary>The line before which they end.</summary>
    internal const string Last = "<!-- results: to here -->";

    private const int Width = 120;
    private const string NewDocument = $"# Benchmarks\n\n{First}\n{Last}\n";

    private readonly string m_path;
    private readonly string m_figures;
    private readonly StringBuilder m_text = new();
    private readonly Dictionary<string, string> m_svgs = [];

    /// <param name="path">The document.</param>
    private ReportDocument(string path)
    {
        m_path = Path.GetFullPath(path);
        m_figures = Path.GetFileNameWithoutExtension(m_path);
    }

    /// <summary>Writes the results and their figures; replaces those that were there before.</summary>
    /// <param name="results">What to show.</param>
    /// <param name="path">The document; made if it is missing.</param>
    /// <param name="note">A paragraph about the machine or the run, or null.</param>
    /// <exception cref="InvalidDataException">The document has no place for results.</exception>
    public static void Write(ResultFolder results, string path, string? note)
    {
        var old = File.Exists(path) ? File.ReadAllText(path) : NewDocument;
        var first = old.IndexOf(First, StringComparison.Ordinal) + First.Length;
        var last = old.IndexOf(Last, StringComparison.Ordinal);
        if (first < First.Length || last < first)
            throw new InvalidDataException($"{path} has no place for results: the line '{First}' and, after it, '{Last}'.");

        var document = new ReportDocument(path);
        document.AppendAll(results, note);
        document.Save(old[..first], old[first..last], old[last..]);
    }

    /// <summary>The results as text, without a document and its figures.</summary>
    public static string Text(ResultFolder results)
    {
        var document = new ReportDocument("results.md");
        document.AppendAll(results, null);
        return document.m_text.ToString();
    }

    /// <summary>Adds a line. Text and items of a list wrap at 120 characters; rows of tables and links stay as they are.</summary>
    public void Line(string text)
    {
        foreach (var line in text.Split('\n'))
            m_text.Append(Wrapped(line)).Append('\n');
    }

    /// <summary>Adds a line of a table.</summary>
    public void Row(params IEnumerable<string> cells) => Line(MarkdownTable.Row(cells));

    /// <summary>Adds the head of a table.</summary>
    /// <param name="left">Columns of text.</param>
    /// <param name="right">Columns of figures.</param>
    public void Head(IReadOnlyCollection<string> left, IReadOnlyCollection<string> right) => Line(MarkdownTable.Head(left, right));

    /// <summary>Adds a command.</summary>
    public void Command(string arguments) => m_text.Append($"\n```\n{ThisProgram.FromRepository} {arguments}\n```\n\n");

    /// <summary>Adds what a program wrote, as it is.</summary>
    public void Output(IEnumerable<string> lines) => m_text.Append($"\n```\n{string.Join('\n', lines)}\n```\n");

    /// <summary>Adds where, with what and on what a run was made.</summary>
    public void Environment(RunEnvironment environment)
    {
        var load = environment.Load is { } waiting
            ? string.Create(CultureInfo.InvariantCulture, $"; {waiting:0.0} processes wanted a processor when it began")
            : "";
        Line($"- machine: {environment.Machine}{load}");
        Line(
            string.Create(
                CultureInfo.InvariantCulture,
                $"- runtime: {environment.Runtime}; Microsoft.Data.Sqlite {environment.Provider}; SQLite {environment.Sqlite}; commit {environment.Commit}; seed {environment.Seed}; {environment.Date}"
            )
        );
        Line($"- durability: {environment.Durability}");
    }

    /// <summary>Adds a figure.</summary>
    /// <param name="name">File name without extension; anything but letters and digits becomes a dash.</param>
    /// <param name="title">What it shows.</param>
    /// <param name="svg">The figure.</param>
    public void Figure(string name, string title, string svg)
    {
        var stem = FileName().Replace(name.ToLowerInvariant(), "-");
        var file = $"{stem}.svg";
        for (var number = 2; !m_svgs.TryAdd(file, svg); number++)
            file = FormattableString.Invariant($"{stem}-{number}.svg");
        Line($"\n![{title}]({m_figures}/{file})");
    }

    private static string Wrapped(string line)
    {
        if (line.Length <= Width || line[0] is '|' or '!')
            return line;
        var indent = line[0] is '-' or '*' ? "\n  " : "\n";
        var result = new StringBuilder();
        var column = 0;
        foreach (var word in line.Split(' '))
        {
            if (column > 0 && column + 1 + word.Length > Width)
            {
                result.Append(indent);
                column = indent.Length - 1;
            }
            else if (column > 0)
            {
                result.Append(' ');
                column++;
            }

            result.Append(word);
            column += word.Length;
        }

        return result.ToString();
    }

    private void AppendAll(ResultFolder results, string? note)
    {
        if (!string.IsNullOrWhiteSpace(note))
            Line($"\n{note}");
        if (results.Micro.Any(group => group.IsQuick))
            Line(
                "\n`--quick` means small tables, which fit into the page cache, and few repetitions: it shows orders of magnitude, not percent."
            );
        foreach (var run in results.EndToEnd)
            EndToEndSection.Append(this, run);
        foreach (var table in results.Tables)
            TableSection.Append(this, table);
        foreach (var group in results.Micro)
            MicroSection.Append(this, group);
    }

    private void Save(string before, string replaced, string after)
    {
        var parent = Path.GetDirectoryName(m_path)!;
        var folder = Path.Combine(parent, m_figures);
        // Figures that only the replaced text showed would stay for ever.
        foreach (var link in Directory.Exists(folder) ? FigureLink().Matches(replaced).Select(match => match.Groups[1].Value) : [])
            File.Delete(Path.Combine(folder, link));
        Directory.CreateDirectory(m_svgs.Count > 0 ? folder : parent);
        foreach (var (name, content) in m_svgs)
            File.WriteAllText(Path.Combine(folder, name), content);
        File.WriteAllText(m_path, $"{before}\n{m_text}\n{after}");
    }

    [GeneratedRegex(@"\]\([a-z0-9._-]+/([a-z0-9-]+\.svg)\)", RegexOptions.IgnoreCase)]
    private static partial Regex FigureLink();

    [GeneratedRegex("[^a-z0-9]+")]
    private static partial Regex FileName();
}

/// <summary>The part of a report about one <see cref="TableResults"/>.</summary>
internal static class TableSection
{
    /// <summary>Adds the section.</summary>
    public static void Append(ReportDocument document, TableResults results)
    {
        document.Line($"\n## {results.Title}");
        document.Command(results.Command);
        document.Environment(results.Environment);
        if (results.Note is { Length: > 0 } note)
            document.Line($"\n{note}");
        document.Line("");
        document.Head(results.Texts, results.Figures);
        foreach (var row in results.Rows)
            document.Row(row);
    }
}

/// <summary>All results in a folder and the folders below.</summary>
/// <param name="Micro">Groups of micro benchmarks, by name.</param>
/// <param name="EndToEnd">End-to-end runs.</param>
/// <param name="Tables">Tables of other commands, by the names of their files.</param>
internal sealed record ResultFolder(
    IReadOnlyList<MicroResults> Micro,
    IReadOnlyList<EndToEndResults> EndToEnd,
    IReadOnlyList<TableResults> Tables
)
{
    /// <summary>True if nothing was found.</summary>
    public bool IsEmpty => Micro.Count == 0 && EndToEnd.Count == 0 && Tables.Count == 0;

    /// <summary>The machines that the results come from.</summary>
    public IEnumerable<string> Machines =>
        Micro
            .Select(group => group.Environment.Machine)
            .Concat(Tables.Select(table => table.Environment.Machine))
            .Concat(EndToEnd.Select(run => run.Environment.GetValueOrDefault("machine", "an unknown machine")))
            .Distinct();

    /// <summary>Reads the folder.</summary>
    /// <exception cref="DirectoryNotFoundException">There is no such folder.</exception>
    /// <exception cref="InvalidDataException">A file is not what it should be; the message names it.</exception>
    public static ResultFolder Load(string folder) =>
        new(
            [
                .. Read<MicroResults>(folder, MicroResults.FileName)
                    .OrderBy(results => results.Group, StringComparer.Ordinal)
                    .ThenBy(results => results.IsQuick),
            ],
            [.. Read<EndToEndResults>(folder, EndToEndResults.FileName)],
            [.. Read<TableResults>(folder, "*" + TableResults.Suffix)]
        );

    private static IEnumerable<T> Read<T>(string folder, string name) =>
        Directory.EnumerateFiles(folder, name, SearchOption.AllDirectories).Order(StringComparer.Ordinal).Select(ResultFile.Read<T>);
}
