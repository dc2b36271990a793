// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Engine.Common;

/// <summary>Commands of the tool in messages, so that a shell takes them as they are.</summary>
internal static class CommandLine
{
    /// <summary>A command of the tool.</summary>
    /// <param name="words">The command and its arguments, as the tool is to get them.</param>
    internal static string Of(IEnumerable<string> words) => "duplicati-db " + string.Join(' ', words.Select(Quote));

    /// <summary>Whether a letter can do something to a terminal, or is not seen on it.</summary>
    internal static bool IsInvisible(char letter) =>
        char.GetUnicodeCategory(letter)
            is UnicodeCategory.Control
                or UnicodeCategory.Format
                or UnicodeCategory.LineSeparator
                or UnicodeCategory.ParagraphSeparator;

    /// <summary>A word of a command.</summary>
    internal static string Quote(string word)
    {
        if (
            word.Length > 0
            && word.All(x =>
                char.IsAsciiLetterOrDigit(x) || x is '/' or '.' or '-' or '_' or ':' || (x == '\\' && OperatingSystem.IsWindows())
            )
        )
            return word;
        // The form of shells with escapes, as the letters themselves are not shown.
        if (word.Any(IsInvisible) && !OperatingSystem.IsWindows())
            return $"$'{string.Concat(word.Select(Escape))}'";
        return OperatingSystem.IsWindows() ? $"\"{word}\"" : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";
    }

    private static string Escape(char letter) =>
        letter is '\'' or '\\' ? $"\\{letter}"
        : IsInvisible(letter) ? $"\\u{(int)letter:x4}"
        : letter.ToString();
}
