// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Main.Contract.Calls;

/// <summary>The parts of the contract in <c>docs/contract</c> by section, and which members of the API a row names.</summary>
internal sealed partial class ContractDocument
{
    private const string Async = "Async";

    private readonly Dictionary<string, (string Heading, string Text)> m_sections = new(StringComparer.Ordinal);
    private readonly HashSet<string> m_names;
    private readonly HashSet<string> m_methods;

    /// <summary>Reads them.</summary>
    /// <param name="api">Signature lines of the API baseline.</param>
    public ContractDocument(IEnumerable<string> api)
    {
        var members = api.Select(x => x.Split(" | "))
            .Select(x => (Name: Signature().Match(x[0]).Groups[1].Value, Kind: x[1]))
            .Where(x => !x.Name.StartsWith("Strings.", StringComparison.Ordinal))
            .ToList();
        m_names = [.. members.Select(x => x.Name)];
        m_methods = [.. members.Where(x => x.Kind.EndsWith("method", StringComparison.Ordinal)).Select(x => x.Name)];
        foreach (var file in Directory.GetFiles(Repository.File("docs", "contract"), "?-*.md"))
        foreach (
            Match section in Section().Matches(File.ReadAllText(file).ReplaceLineEndings("\n").Replace("(s)", "", StringComparison.Ordinal))
        )
            m_sections[$"{Path.GetFileName(file)[0]} {section.Groups["number"].Value}"] = (
                section.Groups["heading"].Value,
                section.Groups["text"].Value
            );
    }

    /// <summary>The name that asynchronous and other forms of a member have in common.</summary>
    public static string Family(string name) => name.EndsWith(Async, StringComparison.Ordinal) ? name[..^Async.Length] : name;

    /// <summary>Whether a row begins with a section that there is.</summary>
    public bool HasSection(string row) => m_sections.ContainsKey(Row().Match(row).Groups["section"].Value);

    /// <summary>
    /// The families of members that a row is about: the one it begins with; else those named by the table row or list item that it counts
    /// to, by the sections that this refers to, and by the heading; else those whose signatures are in the section. None where it is in
    /// words.
    /// </summary>
    public IReadOnlySet<string> Named(string row)
    {
        var match = Row().Match(row);
        var (heading, text) = m_sections[match.Groups["section"].Value];
        var rest = match.Groups["rest"].Value;
        if (
            Word().Match(rest) is { Success: true, Index: 0 } first
            && Families(m_names, [first.Value, first.Value + Async]) is { Count: > 0 } own
        )
            return own;
        var headed = Families(m_names, Quoted(heading));
        if (Item().Match(rest) is { Success: true } counted && Find(text, counted) is { } item)
        {
            var named = Families(m_methods, Quoted(item).Concat(Words(item).Where(x => x.EndsWith(Async, StringComparison.Ordinal))));
            if (named.Count == 0)
                return headed;
            var part = match.Groups["part"].Value;
            var referred = Reference()
                .Matches(item)
                .Select(x => $"{part} {x.Value}")
                .Where(m_sections.ContainsKey)
                .Select(x => m_sections[x])
                .Prepend((Heading: heading, Text: ""));
            return referred
                .SelectMany(x => Families(m_names, Quoted(x.Heading)).Concat(Families(m_names, Signatures(x.Text))))
                .Concat(named)
                .ToHashSet(StringComparer.Ordinal);
        }

        return headed.Count > 0 ? headed : Families(m_names, Signatures(text));
    }

    /// <summary>The type that the section or its chapter is about, as words that may be its name.</summary>
    public IEnumerable<string> Types(string row)
    {
        var match = Row().Match(row);
        var chapter = $"{match.Groups["part"].Value} {match.Groups["number"].Value.Split('.')[0]}";
        return
        [
            .. Quoted(m_sections[match.Groups["section"].Value].Heading),
            .. m_sections.TryGetValue(chapter, out var whole) ? Words(whole.Heading) : [],
        ];
    }

    private static HashSet<string> Families(HashSet<string> known, IEnumerable<string> words) =>
        [.. words.Where(known.Contains).Select(Family)];

    private static string? Find(string text, Match counted)
    {
        var number = int.Parse(counted.Groups["number"].Value, CultureInfo.InvariantCulture);
        var lines = text.Split('\n');
        var rows = lines
            .Where((x, i) => x.StartsWith('|') && !Rule().IsMatch(x) && !(i + 1 < lines.Length && Rule().IsMatch(lines[i + 1])))
            .ToList();
        var label = counted.Groups["kind"].Value == "Q" ? $"Q{number}" : $"{number}";
        var labelled = rows.Where(x => x.Split('|')[1].Trim(' ', '*') is var cell && (cell == label || cell == $"{number}")).ToList();
        if (labelled.Count == 1)
            return labelled[0];
        if (counted.Groups["kind"].Value == "row")
            return rows.ElementAtOrDefault(number - 1);
        var start = Array.FindIndex(lines, x => Regex.IsMatch(x, $@"^\s*{number}\.\s"));
        if (start < 0)
            return null;
        var end = Array.FindIndex(lines, start + 1, x => x.Length == 0 || !char.IsWhiteSpace(x[0]));
        return string.Join('\n', lines[start..(end < 0 ? lines.Length : end)]);
    }

    private static IEnumerable<string> Words(string text) => Word().Matches(text).Select(x => x.Value);

    private static IEnumerable<string> Quoted(string text) => Quote().Matches(text).SelectMany(x => Words(x.Value));

    private static IEnumerable<string> Signatures(string text) => Block().Matches(text).SelectMany(x => Words(x.Value));

    [GeneratedRegex(@"^~?(?:[\w`]+(?:<[^>]*>)?\.)*?((?:Strings\.)?[A-Za-z_]\w*)(?:<[^(]*>)?(?=[(\s]|$)")]
    private static partial Regex Signature();

    [GeneratedRegex(@"^#{2,3} (?<number>\d+(?:\.\d+)?)\.? (?<heading>[^\n]*)\n(?<text>(?:(?!#{2,3} )[^\n]*\n)*)", RegexOptions.Multiline)]
    private static partial Regex Section();

    [GeneratedRegex(@"^(?<section>(?<part>[A-D]) (?<number>\d+(?:\.\d+)?))(?: (?<rest>.+))?$")]
    private static partial Regex Row();

    [GeneratedRegex(@"\b(?<kind>row|step|rule|idea|point|fact|case|Q) ?(?<number>\d+)\b")]
    private static partial Regex Item();

    [GeneratedRegex(@"\b\d+\.\d+\b")]
    private static partial Regex Reference();

    [GeneratedRegex(@"[A-Za-z_]\w*")]
    private static partial Regex Word();

    [GeneratedRegex(@"```[^`]*```|`[^`]*`")]
    private static partial Regex Quote();

    [GeneratedRegex(@"```[^`]*```")]
    private static partial Regex Block();

    [GeneratedRegex(@"^\|[-:| ]+\|?$")]
    private static partial Regex Rule();
}
