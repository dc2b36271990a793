// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Duplicati.Engine.Common;

namespace Duplicati.Tool.Cli;

/// <summary>What commands are put together with.</summary>
internal static class CommandBuilding
{
    /// <summary>Adds options and arguments, in the order of the help.</summary>
    internal static Command With(this Command command, params ReadOnlySpan<Symbol> parts)
    {
        foreach (var part in parts)
            if (part is Argument argument)
                command.Arguments.Add(argument);
            else
                command.Options.Add((Option)part);
        return command;
    }

    /// <summary>Adds a check of options together. It does not count where one of them cannot be read, which is told of that one.</summary>
    internal static void Checks(this Command command, Action<CommandResult> check) =>
        command.Validators.Add(result =>
        {
            try
            {
                check(result);
            }
            catch (InvalidOperationException) when (result.Children.Any(x => !HasValue(x)))
            {
                // As said.
            }
        });

    private static bool HasValue(SymbolResult result)
    {
        try
        {
            if (result is OptionResult option)
                _ = option.GetValueOrDefault<object>();
            else if (result is ArgumentResult argument)
                _ = argument.GetValueOrDefault<object>();
            return true;
        }
        catch (InvalidOperationException)
        {
            return false;
        }
    }

    /// <summary>Gives a command what it does. It is run with a <see cref="ToolInvocation"/>.</summary>
    internal static Command Runs(this Command command, Func<ToolConsole, ParseResult, IEngineProgress, CancellationToken, Task<int>> run)
    {
        command.SetAction(
            (parsed, token) =>
            {
                var console = ((ToolInvocation)parsed.InvocationConfiguration).Console;
                return console.RunAsync(parsed, (progress, stop) => run(console, parsed, progress, stop), token);
            }
        );
        return command;
    }
}

/// <summary>One run of a command.</summary>
/// <param name="console">Where it writes to.</param>
internal sealed class ToolInvocation(ToolConsole console) : InvocationConfiguration
{
    /// <summary>Where the command writes to.</summary>
    internal ToolConsole Console => console;
}

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
