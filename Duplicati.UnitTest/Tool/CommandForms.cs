// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine.Parsing;
using System.Text.RegularExpressions;

namespace Duplicati.UnitTest.Tool;

/// <summary>The command lines that a form such as <c>duplicati-db list REMOTE | --dbpath FILE [--version N]</c> stands for.</summary>
internal static partial class CommandForms
{
    /// <summary>The words after the first one, optional parts included; one list for each alternative.</summary>
    public static IEnumerable<string[]> Of(string line)
    {
        var plain = line.Replace(" TIME", " 3D", StringComparison.Ordinal)
            .Replace(" SIZE", " 1mb", StringComparison.Ordinal)
            .Replace("[", "", StringComparison.Ordinal)
            .Replace("]", "", StringComparison.Ordinal)
            .Replace("…", "", StringComparison.Ordinal);
        string[] words = [.. CommandLineParser.SplitCommandLine(Placeholder().Replace(plain, "1")).Skip(1)];
        var bar = Array.IndexOf(words, "|");
        if (bar < 0)
            return [words];
        // "REMOTE | --dbpath FILE" or "--version N | --time TIME", and what follows both.
        var first = words[bar - 2].StartsWith("--", StringComparison.Ordinal) ? 2 : 1;
        return
        [
            [.. words[..bar], .. words[(bar + 3)..]],
            [.. words[..(bar - first)], .. words[(bar + 1)..]],
        ];
    }

    [GeneratedRegex(@"\b(?:N|NAME)\b(\|all)?")]
    private static partial Regex Placeholder();
}
