// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Help;
using System.CommandLine.Invocation;

namespace Duplicati.Tool.Cli;

/// <summary>The help of the program itself has one sentence of each command; the rest is in the help of that.</summary>
internal static class RootHelp
{
    /// <summary>Shortens the help of the root. The commands must be there; each root is asked once.</summary>
    internal static void Shorten(RootCommand root)
    {
        var help = root.Options.OfType<HelpOption>().Single();
        help.Action = new Action((SynchronousCommandLineAction)help.Action!);
    }

    /// <summary>The first sentence of what a command says of itself.</summary>
    internal static string FirstSentence(Command command)
    {
        var line = (command.Description ?? "").ReplaceLineEndings(" ");
        var end = line.IndexOf(". ", StringComparison.Ordinal);
        return end < 0 ? line.TrimEnd() : line[..(end + 1)];
    }

    private sealed class Action(SynchronousCommandLineAction whole) : SynchronousCommandLineAction
    {
        public override bool ClearsParseErrors => whole.ClearsParseErrors;

        public override int Invoke(ParseResult parseResult)
        {
            if (parseResult.CommandResult.Command is not RootCommand root)
                return whole.Invoke(parseResult);
            // Other runs of the process have the same commands.
            lock (root)
            {
                var descriptions = root.Subcommands.Select(x => x.Description).ToList();
                try
                {
                    foreach (var command in root.Subcommands)
                        command.Description = FirstSentence(command);
                    return whole.Invoke(parseResult);
                }
                finally
                {
                    foreach (var (command, description) in root.Subcommands.Zip(descriptions))
                        command.Description = description;
                }
            }
        }
    }
}
