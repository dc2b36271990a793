using System.CommandLine;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Exporters;
using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Reports;
using BenchmarkDotNet.Running;
using Duplicati.Benchmarks.Micro;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>micro</c>: runs groups of micro benchmarks. Tables go to stdout and to files, progress to stderr; exit code 1 if a benchmark failed or answered something else than its baseline.</summary>
internal static class MicroCommand
{
    public static Command Create()
    {
        var group = new Option<string[]>("--group", "-g") { Description = $"Groups to run: {string.Join(", ", BenchmarkGroups.Names)}, or all", AllowMultipleArgumentsPerToken = true };
        var filter = new Option<string[]>("--filter", "-f") { Description = "Only benchmarks whose full name matches a pattern with *", AllowMultipleArgumentsPerToken = true };
        var quick = new Option<bool>("--quick") { Description = "Small data and few repetitions: minutes instead of hours, to see that all runs" };
        var huge = new Option<bool>("--huge") { Description = "Also ten million rows, where a benchmark has them (hours, 10 GB of memory and disk)" };
        var repeat = new Option<int?>("--repeat", "-r") { Description = "Repetitions of each case, of which the median is taken; 7, or 3 with --quick" };
        var output = new Option<DirectoryInfo>("--output", "-o") { Description = "Folder for tables and raw results", DefaultValueFactory = _ => new DirectoryInfo("BenchmarkDotNet.Artifacts") };
        var list = new Option<bool>("--list") { Description = "Only lists the groups and their classes" };

        var command = new Command("micro", "Runs groups of micro benchmarks") { group, filter, quick, huge, repeat, output, list };
        command.SetAction(parsed =>
        {
            BenchmarkScale.IsQuick = parsed.GetValue(quick);
            BenchmarkScale.IsHuge = parsed.GetValue(huge);
            BenchmarkScale.Repetitions = parsed.GetValue(repeat);
            return parsed.GetValue(list) ? List() : Run(parsed.GetValue(group) ?? [], parsed.GetValue(filter) ?? [], parsed.GetValue(output)!);
        });
        return command;
    }

    private static int List()
    {
        foreach (var name in BenchmarkGroups.Names)
            Console.Out.WriteLine($"{name}: {string.Join(", ", BenchmarkGroups.Classes(name).Select(type => type.Name))}");
        return 0;
    }

    private static int Run(string[] groups, string[] filters, DirectoryInfo output)
    {
        var names = groups.Contains("all", StringComparer.OrdinalIgnoreCase) ? BenchmarkGroups.Names : groups;
        if (names.Count == 0 || names.FirstOrDefault(name => !BenchmarkGroups.Names.Contains(name, StringComparer.OrdinalIgnoreCase)) is { } unknown && Complain(unknown))
        {
            Console.Error.WriteLine($"Choose one or more groups with --group: {string.Join(", ", BenchmarkGroups.Names)}, or all.");
            return 2;
        }

        try
        {
            return names.Select(name => RunGroup(name, filters, Path.Combine(output.FullName, name))).Aggregate(0, Math.Max);
        }
        finally
        {
            DatabaseTemplates.Remove();
        }
    }

    private static int RunGroup(string name, string[] filters, string folder)
    {
        var config = BenchmarkConfig.Create(folder);
        if (filters.Length > 0)
            config.AddFilter(new GlobFilter(filters));

        var summaries = BenchmarkRunner.Run(BenchmarkGroups.Classes(name).ToArray(), config);
        foreach (var summary in summaries)
        {
            Console.Out.WriteLine($"\n{name}/{string.Join(", ", summary.BenchmarksCases.Select(candidate => candidate.Descriptor.Type.Name).Distinct())}");
            MarkdownExporter.Console.ExportToLog(summary, new TextLogger(Console.Out));
        }

        if (!summaries.Any(summary => summary.Reports.Length > 0))
            return 1;

        var differences = AnswerCheck.Differences(MicroResultsWriter.Write(folder, name, CommandLine(name, filters), summaries)).ToList();
        foreach (var difference in differences)
            Console.Error.WriteLine(difference);
        return differences.Count > 0 || summaries.Any(HasFailed) ? 1 : 0;
    }

    private static string CommandLine(string name, string[] filters) => string.Concat(
        "micro", BenchmarkScale.IsQuick ? " --quick" : "", BenchmarkScale.IsHuge ? " --huge" : "", BenchmarkScale.Repetitions is { } count ? FormattableString.Invariant($" --repeat {count}") : "", " --group ", name, string.Concat(filters.Select(filter => $" --filter \"{filter}\"")));

    /// <summary>True if a benchmark could not be run, or gave a wrong answer.</summary>
    internal static bool HasFailed(Summary summary) =>
        summary.HasCriticalValidationErrors || summary.Reports.Any(report => !report.Success);

    private static bool Complain(string unknown)
    {
        Console.Error.WriteLine($"There is no group '{unknown}'.");
        return true;
    }
}
