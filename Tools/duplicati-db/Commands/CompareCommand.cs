// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>compare DATABASE DATABASE</c></summary>
internal static class CompareCommand
{
    // Of an element: a file with many lists of blocks is a long one.
    private const int LineLength = 200;

    internal static Command Create()
    {
        var first = new Argument<FileInfo>("FIRST") { Description = "A database." };
        var second = new Argument<FileInfo>("SECOND") { Description = "The database to compare it with." };
        var exact = new Option<bool>("--exact")
        {
            Description = "Count everything but history: also times of folders, fractions of a second, volume states, settings.",
        };
        return new Command("compare", "Compare two databases by content: exit code 0 if logically equal, 1 with the differences if not.")
            .With(first, second, exact, CommonOptions.FullResult)
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var options = parsed.GetValue(exact) ? DumpComparisonOptions.Content : DumpComparisonOptions.Logical;
                    var differences = await DumpOperation.CompareAsync(
                        parsed.GetValue(first)!.FullName,
                        parsed.GetValue(second)!.FullName,
                        options,
                        stop
                    );
                    console.Write(parsed, differences, text => Describe(differences, parsed.GetValue(CommonOptions.FullResult), text));
                    return differences.Count == 0 ? ExitCode.Ok : ExitCode.Found;
                }
            );
    }

    private static void Describe(IReadOnlyList<DumpDifference> differences, bool full, TextWriter text)
    {
        if (differences.Count == 0)
        {
            text.WriteLine("The databases are logically equal.");
            return;
        }

        text.WriteLine($"{SizeText.Count(differences.Count, "difference")}; - is in the first database only, + in the second.");
        foreach (var kind in differences.GroupBy(x => x.Section))
        {
            text.WriteLine($"{kind.Key}: {kind.Count(x => x.Expected is not null)} -, {kind.Count(x => x.Actual is not null)} +");
            ListText.Write(
                text,
                [.. kind],
                full,
                x => $"{(x.Expected is null ? '+' : '-')} {SafeText.Beginning(x.Expected ?? x.Actual!, full ? int.MaxValue : LineLength)}"
            );
        }
    }
}
