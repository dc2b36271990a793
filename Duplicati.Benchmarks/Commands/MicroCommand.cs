// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
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
          micro --group pragmas --filter "*Find*" "*Insert*"

        Exit codes: 0 done; 1 a benchmark failed, or answered something else than its baseline; 2 wrong command line.
        """;

    public static Command Create()
    {
        var command = new Command("micro", Help);
        var group = command.Many<string>("--group -g", $"Groups to run: {string.Join(", ", BenchmarkGroups.Names)}, or all");
        var filter = command.Many<string>("--filter -f", "Only benchmarks whose full name matches a pattern with *");
        var quick = command.Add<bool>("--quick", "Small data and few repetitions: minutes instead of hours, to see that all runs");
        var output = command.Add<DirectoryInfo>("--output -o", "Folder for the results").Or(new DirectoryInfo("BenchmarkDotNet.Artifacts"));
        var list = command.Add<bool>("--list", "Only lists the groups and their classes");
        command.SetAction(parsed =>
        {
            BenchmarkScale.IsQuick = parsed.GetValue(quick);
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
        if (results.Count == 0)
            return ExitCodes.Warned;
        TableResults.Write(folder, "micro", results.Select(result => result.Table));
        foreach (var result in results)
            Console.Out.WriteLine($"{result.Table.Title}\n\n{result.Table.Markdown()}\n");
        var differences = results.SelectMany(result => result.Differences).ToList();
        foreach (var difference in differences)
            Console.Error.WriteLine(difference);
        return differences.Count > 0 || summaries.Any(MicroRun.HasFailed) ? ExitCodes.Warned : ExitCodes.Done;
    }

    private static string CommandLine(string name, string[] filters) =>
        string.Concat(
            "micro",
            BenchmarkScale.IsQuick ? " --quick" : "",
            " --group ",
            name,
            string.Concat(filters.Select(filter => $" --filter \"{filter}\""))
        );
}
