// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Engine.Common;

/// <summary>Versions as users write them: numbers and ranges, such as <c>0,2-4</c>.</summary>
internal static class VersionRanges
{
    // Nobody has so many, and a slip of the finger must not fill the memory.
    private const int Most = 100_000;

    /// <summary>Reads versions.</summary>
    /// <returns>The numbers in ascending order, each once.</returns>
    /// <exception cref="FormatException">The text is none.</exception>
    internal static long[] Parse(string text)
    {
        var versions = new SortedSet<long>();
        foreach (var part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            var dash = part.IndexOf('-', StringComparison.Ordinal);
            var first = Number(dash < 0 ? part : part[..dash], text);
            var last = dash < 0 ? first : Number(part[(dash + 1)..], text);
            if (last < first || last - first >= Most)
                throw Wrong(text);
            for (var version = first; version <= last; version++)
                versions.Add(version);
        }

        return [.. versions];
    }

    /// <summary>The same as text: <c>0,2-4</c>.</summary>
    /// <param name="versions">In ascending order, each once.</param>
    internal static string Text(IReadOnlyList<long> versions)
    {
        var parts = new List<string>();
        for (int first = 0, next; first < versions.Count; first = next)
        {
            for (next = first + 1; next < versions.Count && versions[next] == versions[next - 1] + 1; next++) { }
            parts.Add(
                next - first == 1
                    ? versions[first].ToString(CultureInfo.InvariantCulture)
                    : string.Create(CultureInfo.InvariantCulture, $"{versions[first]}-{versions[next - 1]}")
            );
        }

        return string.Join(',', parts);
    }

    private static long Number(string part, string text) =>
        int.TryParse(part, NumberStyles.None, CultureInfo.InvariantCulture, out var number) ? number : throw Wrong(text);

    private static FormatException Wrong(string text) => new($"{text} tells no versions; write 0 for the newest, or several as 0,2-4.");
}
