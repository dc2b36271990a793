// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.RegularExpressions;
using Duplicati.Benchmarks;

namespace Duplicati.UnitTest.Api;

/// <summary>A command line that a document tells people to type.</summary>
/// <param name="Document">The document, from the root of the repository.</param>
/// <param name="Number">Number of the line, from 1.</param>
/// <param name="Text">What to type.</param>
internal sealed partial record DocumentLine(string Document, int Number, string Text)
{
    private const string Fence = "```";

    private const string Benchmark = "dotnet run -c Release --project Duplicati.Benchmarks -- ";

    private static readonly string[] s_shells = ["", "sh", "bash"];

    private static readonly HashSet<string> s_benchmarks = [.. BenchmarkRoot.Create().Subcommands.Select(x => x.Name)];

    /// <summary>The lines of its blocks without a language or for a shell, and the commands within its text.</summary>
    public static IEnumerable<DocumentLine> Of(string document) => Of(document, File.ReadLines(Repository.File(document)));

    /// <summary>The same for lines that are given.</summary>
    public static IEnumerable<DocumentLine> Of(string document, IEnumerable<string> lines)
    {
        string? language = null;
        Match? definition = null;
        var number = 0;
        foreach (var line in lines)
        {
            number++;
            if (line.TrimStart().StartsWith(Fence, StringComparison.Ordinal))
            {
                language = language is null ? line.TrimStart()[Fence.Length..] : null;
                definition = null;
            }
            else if (language is null)
            {
                foreach (Match span in Inline().Matches(line))
                    if (Command(span) is { } command)
                        yield return new(document, number, command);
            }
            else if (s_shells.Contains(language) && line.Trim() is { Length: > 0 } text && text[0] != '#')
            {
                if (Definition().Match(text) is { Success: true } defined)
                    definition = defined;
                else
                    yield return new(document, number, Expand(text, definition));
            }
        }
    }

    // Of the benchmarks only those with options: their names are words.
    private static string? Command(Match span) =>
        span.Groups["program"].Value switch
        {
            "dotnet" or "duplicati-db" => span.Groups["command"].Value,
            // The tool has a report, too; it works on a database.
            "report" when span.Groups["command"].Value.Contains("--dbpath", StringComparison.Ordinal) => "duplicati-db "
                + span.Groups["command"].Value,
            var name when s_benchmarks.Contains(name) && span.Groups["command"].Value.Contains(" -", StringComparison.Ordinal) => Benchmark
                + span.Groups["command"].Value,
            _ => null,
        };

    private static string Expand(string text, Match? definition) =>
        definition is not null && text.Split(' ')[0] == definition.Groups["name"].Value
            ? definition.Groups["command"].Value + text[definition.Groups["name"].Length..]
            : text;

    // A function of the shell for the words that many lines of a block begin with.
    [GeneratedRegex("""^(?<name>\w+)\(\) \{ (?<command>.+) "\$@"; \}$""")]
    private static partial Regex Definition();

    [GeneratedRegex("(?<!`)`(?<command>(?<program>[a-z0-9-]+) [^`]+)`(?!`)")]
    private static partial Regex Inline();
}
