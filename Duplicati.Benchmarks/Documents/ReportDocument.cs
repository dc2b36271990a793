// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using System.Text.RegularExpressions;
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
    public static void Write(IEnumerable<TableResults> results, string path, string? note)
    {
        var old = File.Exists(path) ? File.ReadAllText(path) : NewDocument;
        var first = old.IndexOf(First, StringComparison.Ordinal) + First.Length;
        var last = old.IndexOf(Last, StringComparison.Ordinal);
        if (first < First.Length || last < first)
            throw new InvalidDataException($"{path} has no place for results: the line '{First}' and, after it, '{Last}'.");

        var document = new ReportDocument(path);
        if (!string.IsNullOrWhiteSpace(note))
            document.Line($"\n{note}");
        foreach (var table in results)
            document.Append(table);
        document.Save(old[..first], old[first..last], old[last..]);
    }

    private void Append(TableResults table)
    {
        Line($"\n## {table.Title}");
        m_text.Append($"\n```\n{ThisProgram.FromRepository} {table.Command}\n```\n\n");
        foreach (var line in table.Environment.Lines)
            Line($"- {line}");
        if (table.Note is { Length: > 0 } note)
            Line($"\n{note}");
        Line($"\n{table.Markdown()}");
        if (table.Chart is { } chart)
            Figure(chart);
    }

    private void Figure(BarChart chart)
    {
        var stem = NoName().Replace(chart.Name.ToLowerInvariant(), "-");
        var file = $"{stem}.svg";
        for (var number = 2; !m_svgs.TryAdd(file, Charts.Svg(chart)); number++)
            file = FormattableString.Invariant($"{stem}-{number}.svg");
        Line($"\n![{chart.Title}]({m_figures}/{file})");
    }

    // Text and items of a list wrap; rows of tables and links stay as they are.
    private void Line(string text)
    {
        foreach (var line in text.Split('\n'))
        {
            if (line.Length <= Width || line[0] is '|' or '!')
                m_text.Append(line);
            else
                Wrap(line);
            m_text.Append('\n');
        }
    }

    private void Wrap(string line)
    {
        var indent = line[0] is '-' or '*' ? "\n  " : "\n";
        var column = 0;
        foreach (var word in line.Split(' '))
        {
            if (column > 0 && column + 1 + word.Length > Width)
            {
                m_text.Append(indent);
                column = indent.Length - 1;
            }
            else if (column > 0)
            {
                m_text.Append(' ');
                column++;
            }

            m_text.Append(word);
            column += word.Length;
        }
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
    private static partial Regex NoName();
}
