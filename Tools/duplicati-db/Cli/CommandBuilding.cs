// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
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
