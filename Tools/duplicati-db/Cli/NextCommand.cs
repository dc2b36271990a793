// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Duplicati.Engine.Common;

namespace Duplicati.Tool.Cli;

/// <summary>The command line that is to be run after one, complete, as it is typed.</summary>
internal static class NextCommand
{
    /// <summary>What texts advise first; null if they advise no command.</summary>
    internal static string? Of(ParseResult parsed, IEnumerable<string> texts) => parsed.ToCommandWords().First(texts);

    /// <summary>The same command once more.</summary>
    /// <param name="parsed">It.</param>
    /// <param name="versions">Times of the versions to name instead of those that were named; none to leave them.</param>
    internal static string Again(ParseResult parsed, IReadOnlyCollection<DateTime> versions)
    {
        List<string> words = [parsed.CommandResult.Command.Name];
        foreach (var time in versions.Order())
            words.AddRange(["--time", time.ToUniversalTime().ToString("yyyy-MM-ddTHH:mm:ssZ", CultureInfo.InvariantCulture)]);
        words.AddRange(
            parsed.Tokens.Where(x => x.Type != TokenType.Command && (versions.Count == 0 || !NamesVersion(parsed, x))).Select(x => x.Value)
        );
        return CommandLine.Of(words);
    }

    private static bool NamesVersion(ParseResult parsed, Token token) =>
        token.Type == TokenType.Option
            ? token.Value is "--version" or "--time"
            : parsed
                .CommandResult.Children.OfType<OptionResult>()
                .Any(x => x.Option.Name is "--version" or "--time" && x.Tokens.Any(y => ReferenceEquals(y, token)));
}
