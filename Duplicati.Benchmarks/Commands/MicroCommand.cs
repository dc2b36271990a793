// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Text.Json;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>micro</c>: runs groups of micro benchmarks. Tables go to stdout and to files, progress to stderr.</summary>
internal static class MicroCommand
{
    private const string Help = """
        Runs groups of micro benchmarks. Contenders are held against a baseline by the clock and by processor time, which other programs
        on the machine disturb less.

        Examples:
          micro --list
          micro --quick --group commits
          micro --group pragmas --repeat 3 --filter "*Find*" "*Insert*"

        Exit codes: 0 done; 1 a benchmark failed, or answered something else than its baseline; 2 wrong command line.
        """;

    public static Command Create()
    {
        var command = new Command("micro", Help);
        var group = command.Many<string>("--group -g", $"Groups to run: {string.Join(", ", BenchmarkGroups.Names)}, or all");
        var filter = command.Many<string>("--filter -f", "Only benchmarks whose full name matches a pattern with *");
        var quick = command.Add<bool>("--quick", "Small data and few repetitions: minutes instead of hours, to see that all runs");
        var repeat = command.Add<int?>("--repeat -r", "Repetitions of each case, of which the median is taken; 7, or 3 with --quick");
        var output = command.Add<DirectoryInfo>("--output -o", "Folder for the results").Or(new DirectoryInfo("BenchmarkDotNet.Artifacts"));
        var list = command.Add<bool>("--list", "Only lists the groups and their classes");
        command.SetAction(parsed =>
        {
            BenchmarkScale.IsQuick = parsed.GetValue(quick);
            BenchmarkScale.Repetitions = parsed.GetValue(repeat);
            return parsed.GetValue(list)
                ? List()
                : Run(parsed.GetValue(group)!, parsed.GetValue(filter)!, parsed.GetValue(output)!.FullName);
        });
        return command;
    }

    private static int List()
    {
        foreach (var name in BenchmarkGroups.Names)
            Console.Out.WriteLine($"{name}: {string.Join(", ", BenchmarkGroups.Classes(name).Select(type => type.Name))}");
        return ExitCodes.Done;
    }

    private static int Run(string[] groups, string[] filters, string output)
    {
        var names = groups.Contains("all", StringComparer.OrdinalIgnoreCase) ? BenchmarkGroups.Names : groups;
        if (names.Count == 0 || !names.All(name => BenchmarkGroups.Names.Contains(name, StringComparer.OrdinalIgnoreCase)))
        {
            Console.Error.WriteLine($"Choose one or more groups with --group: {string.Join(", ", BenchmarkGroups.Names)}, or all.");
            return ExitCodes.WrongCommandLine;
        }

        try
        {
            return names.Max(name => RunGroup(name, filters, Path.Combine(output, name)));
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    private static int RunGroup(string name, string[] filters, string folder)
    {
        var run = new MicroRun(folder);
        var summaries = run.Run(BenchmarkGroups.Classes(name), filters);
        var results = run.Results(name, CommandLine(name, filters), summaries);
        if (results.Cases.Count == 0)
            return ExitCodes.Warned;
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, MicroResults.FileName), JsonSerializer.Serialize(results, ResultFile.Json));
        Console.Out.WriteLine(ReportDocument.Text(new ResultFolder([results], [], [])));
        var differences = MicroRun.Differences(results).ToList();
        foreach (var difference in differences)
            Console.Error.WriteLine(difference);
        return differences.Count > 0 || summaries.Any(MicroRun.HasFailed) ? ExitCodes.Warned : ExitCodes.Done;
    }

    private static string CommandLine(string name, string[] filters) =>
        string.Concat(
            "micro",
            BenchmarkScale.IsQuick ? " --quick" : "",
            BenchmarkScale.Repetitions is { } count ? FormattableString.Invariant($" --repeat {count}") : "",
            " --group ",
            name,
            string.Concat(filters.Select(filter => $" --filter \"{filter}\""))
        );
}
