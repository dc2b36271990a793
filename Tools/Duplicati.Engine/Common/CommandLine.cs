// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Common;

/// <summary>Commands of the tool in messages, so that a shell takes them as they are.</summary>
internal static class CommandLine
{
    /// <summary>A command of the tool.</summary>
    /// <param name="words">The command and its arguments, as the tool is to get them.</param>
    internal static string Of(IEnumerable<string> words) => "duplicati-db " + string.Join(' ', words.Select(Quote));

    private static string Quote(string word)
    {
        if (
            word.Length > 0
            && word.All(x =>
                char.IsAsciiLetterOrDigit(x) || x is '/' or '.' or '-' or '_' or ':' || (x == '\\' && OperatingSystem.IsWindows())
            )
        )
            return word;
        return OperatingSystem.IsWindows() ? $"\"{word}\"" : $"'{word.Replace("'", "'\\''", StringComparison.Ordinal)}'";
    }
}
