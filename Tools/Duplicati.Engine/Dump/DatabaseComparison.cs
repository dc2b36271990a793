// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Dump;

/// <summary>An element that only one side has.</summary>
/// <param name="Section">Section of the dump.</param>
/// <param name="Expected">The element on the first side, or null.</param>
/// <param name="Actual">The element on the second side, or null.</param>
public sealed record DumpDifference(string Section, string? Expected, string? Actual)
{
    /// <summary>One line: minus for what is missing, plus for what is too much.</summary>
    public override string ToString() => Expected != null ? $"{Section} - {Expected}" : $"{Section} + {Actual}";
}

/// <summary>Compares the contents of two databases, whatever their ids.</summary>
public static class DatabaseComparison
{
    /// <summary>Compares two dumps.</summary>
    /// <param name="expected">The first.</param>
    /// <param name="actual">The second.</param>
    /// <param name="options">What does not count; null for <see cref="DumpComparisonOptions.Content"/>.</param>
    /// <returns>The differences in the order of the sections; none if equal. Elements that occur several times must do so on both
    /// sides.</returns>
    public static IReadOnlyList<DumpDifference> Compare(DatabaseDump expected, DatabaseDump actual, DumpComparisonOptions? options = null)
    {
        ArgumentNullException.ThrowIfNull(expected);
        ArgumentNullException.ThrowIfNull(actual);
        options ??= DumpComparisonOptions.Content;
        var left = DumpNormalizer.Sections(expected, options);
        var right = DumpNormalizer.Sections(actual, options);
        var differences = new List<DumpDifference>();
        foreach (var (section, lines) in left)
            AddDifferences(differences, section, lines, right.GetValueOrDefault(section, []));
        foreach (var (section, lines) in right.Where(x => !left.ContainsKey(x.Key)))
            AddDifferences(differences, section, [], lines);
        return differences;
    }

    /// <summary>Walks two sorted lists side by side.</summary>
    private static void AddDifferences(List<DumpDifference> differences, string section, List<string> expected, List<string> actual)
    {
        expected.Sort(StringComparer.Ordinal);
        actual.Sort(StringComparer.Ordinal);
        for (int i = 0, j = 0; i < expected.Count || j < actual.Count; )
        {
            var order =
                i == expected.Count ? 1
                : j == actual.Count ? -1
                : string.CompareOrdinal(expected[i], actual[j]);
            if (order == 0)
                (i, j) = (i + 1, j + 1);
            else
                differences.Add(
                    order < 0 ? new DumpDifference(section, expected[i++], null) : new DumpDifference(section, null, actual[j++])
                );
        }
    }
}
