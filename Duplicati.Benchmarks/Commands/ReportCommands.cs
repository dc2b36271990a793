// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>report</c> and <c>compare</c>: what is made of the tables that other commands leave in a folder.</summary>
internal static class ReportCommands
{
    private const string ReportHelp = """
        Turns the tables of other commands into a markdown document with figures beside it. What stands in the document outside of the
        two lines that mark the results is kept.

        Examples:
          suite --output artifacts/results
          report --results artifacts/results --note "On an idle machine."

        Exit codes: 0 written; 2 wrong command line, no results to be read, or a document without a place for them.
        """;

    private const string CompareHelp = """
        Holds the speed-ups of a run (ratios of medians, never times) against a pinned manifest.

        Examples:
          suite --output artifacts/results
          compare --results artifacts/results
          compare --results artifacts/results --pin

        A line is SKIP with its reason where the ratio is not pinned or not in the run, where the run had other
        data, another SQLite or, for threads, another number of processors, or fewer than three repetitions.

        Exit codes: 0 every line PASS or SKIP; 1 at least one WARN; 2 wrong command line, a file that
        cannot be read, or nothing in common; 3 at least one FAIL.
        """;

    public static Command CreateReport()
    {
        var command = new Command("report", ReportHelp);
        var results = Results(command);
        var output = command
            .Add<FileInfo>("--output -o", "The document; figures go to a folder of the same name beside it")
            .Or(new FileInfo("docs/benchmarks/suite.md"));
        var note = command.Add<string?>("--note", "A paragraph about the machine or the run");
        command.SetAction(parsed =>
            Report(parsed.GetValue(results)!.FullName, parsed.GetValue(output)!.FullName, parsed.GetValue(note), Console.Error)
        );
        return command;
    }

    public static Command CreateCompare()
    {
        var command = new Command("compare", CompareHelp);
        var results = Results(command);
        var manifest = command.Add<FileInfo>("--manifest -m", "The manifest").Or(new FileInfo("docs/benchmarks/manifest.json"));
        var pin = command.Add<bool>("--pin", "Write the manifest from these results instead, with machine, versions, commit and seed");
        command.SetAction(parsed =>
            Compare(
                parsed.GetValue(results)!.FullName,
                parsed.GetValue(manifest)!.FullName,
                parsed.GetValue(pin),
                Console.Out,
                Console.Error
            )
        );
        return command;
    }

    internal static int Report(string folder, string output, string? note, TextWriter errors) =>
        Guard(
            folder,
            errors,
            results =>
            {
                ReportDocument.Write(results, output, note);
                return ExitCodes.Done;
            }
        );

    internal static int Compare(string folder, string manifest, bool pin, TextWriter output, TextWriter errors) =>
        Guard(
            folder,
            errors,
            results =>
            {
                if (pin)
                {
                    Manifest.Of(results).Write(manifest);
                    output.WriteLine($"Pinned in {manifest}.");
                    return ExitCodes.Done;
                }

                if (File.Exists(manifest))
                    return Compare(results, ResultFile.Read<Manifest>(manifest), output, errors);
                errors.WriteLine($"There is no manifest {manifest}; --pin writes one.");
                return ExitCodes.WrongCommandLine;
            }
        );

    private static int Compare(IReadOnlyList<TableResults> results, Manifest manifest, TextWriter output, TextWriter errors)
    {
        output.WriteLine(
            $"Pinned on {manifest.Machine}, {manifest.Runtime}, Microsoft.Data.Sqlite {manifest.Provider}, SQLite {manifest.Sqlite}, commit {manifest.Commit}, seed {manifest.Seed}."
        );
        var others = results.Select(table => table.Environment.Machine).Distinct().Where(machine => machine != manifest.Machine).ToList();
        if (others.Count > 0)
            output.WriteLine($"Run on {string.Join(" and ", others)}: ratios of another machine can differ for that alone.");
        var lines = ManifestComparison.Compare(manifest, results.SelectMany(table => table.Ratios)).ToList();
        foreach (var line in lines)
            output.WriteLine(line);
        output.WriteLine(
            string.Join(
                ", ",
                Enum.GetValues<Verdict>()
                    .Select(verdict => $"{lines.Count(line => line.Verdict == verdict)} {verdict.ToString().ToUpperInvariant()}")
            )
        );
        if (lines.TrueForAll(line => line.Verdict == Verdict.Skip))
        {
            errors.WriteLine("The run and the manifest have nothing in common.");
            return ExitCodes.WrongCommandLine;
        }

        return lines.Max(line => line.Verdict) switch
        {
            Verdict.Fail => ExitCodes.Failed,
            Verdict.Warn => ExitCodes.Warned,
            _ => ExitCodes.Done,
        };
    }

    private static Option<DirectoryInfo> Results(Command command)
    {
        var option = command.Add<DirectoryInfo>(
            "--results -r",
            "Folder that suite or another command wrote to; folders below are searched as well"
        );
        option.Required = true;
        return option;
    }

    // What cannot be read or written is told.
    private static int Guard(string folder, TextWriter errors, Func<IReadOnlyList<TableResults>, int> run)
    {
        try
        {
            var results = TableResults.Load(folder);
            if (results.Count > 0)
                return run(results);
            errors.WriteLine($"{folder} has no *{TableResults.Suffix}.");
        }
        catch (Exception ex) when (ex is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            errors.WriteLine(ex.Message);
        }

        return ExitCodes.WrongCommandLine;
    }
}
