// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>compare DATABASE DATABASE</c></summary>
internal static class CompareCommand
{
    internal static Command Create(ToolConsole console)
    {
        var first = new Argument<FileInfo>("FIRST") { Description = "A database." };
        var second = new Argument<FileInfo>("SECOND") { Description = "The database to hold it against." };
        var exact = new Option<bool>("--exact")
        {
            Description = "Count everything but history: also times of folders, fractions of a second, volume states, settings.",
        };
        var command = new Command(
            "compare",
            "Compare two databases by content: exit code 0 if logically equal, 1 with the differences if not."
        );
        command.Arguments.Add(first);
        command.Arguments.Add(second);
        command.Options.Add(exact);
        command
            .WithOutput()
            .SetAction(
                (parsed, token) =>
                    console.RunAsync(
                        parsed,
                        async (_, stop) =>
                        {
                            var options = parsed.GetValue(exact) ? DumpComparisonOptions.Content : DumpComparisonOptions.Logical;
                            var differences = await DumpOperation
                                .CompareAsync(parsed.GetValue(first)!.FullName, parsed.GetValue(second)!.FullName, options, stop)
                                .ConfigureAwait(false);
                            console.Write(
                                parsed,
                                differences,
                                text =>
                                {
                                    text.WriteLine(
                                        differences.Count == 0 ? "The databases are logically equal." : $"{differences.Count} differences:"
                                    );
                                    foreach (var difference in differences)
                                        text.WriteLine(SafeText.Line(difference.ToString()));
                                }
                            );
                            return differences.Count == 0 ? ExitCode.Ok : ExitCode.Found;
                        },
                        token
                    )
            );
        return command;
    }
}
