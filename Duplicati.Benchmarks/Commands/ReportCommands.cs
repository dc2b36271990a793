// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Text.Json;
using Duplicati.Benchmarks.Documents;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>report</c>: turns result files into a document with tables and figures. Exit code 0, or 2 if there are no results to be read.
/// </summary>
internal static class ReportCommand
{
    private const string Help = """
        Turns the results of micro, e2e and scale into a markdown document with figures beside it. What stands in the document outside of the two lines that mark the results is kept.

        Examples:
          suite --output artifacts/results
          report --results artifacts/results --note "On an idle machine."

        Exit codes: 0 written; 2 wrong command line, no results to be read, or a document without a place for them.
        """;

    public static Command Create()
    {
        var command = new Command("report", Help);
        var results = ReadResults.Option(command);
        var output = command
            .Add<FileInfo>("--output -o", "The document; figures go to a folder of the same name beside it")
            .Or(new FileInfo("docs/benchmarks/suite.md"));
        var note = command.Add<string?>("--note", "A paragraph about the machine or the run");
        command.SetAction(parsed =>
            Run(parsed.GetValue(results)!.FullName, parsed.GetValue(output)!.FullName, parsed.GetValue(note), Console.Error)
        );
        return command;
    }

    internal static int Run(string folder, string output, string? note, TextWriter errors) =>
        ReadResults.Guard(
            folder,
            errors,
            results =>
            {
                ReportDocument.Write(results, output, note);
                return ExitCodes.Done;
            }
        );
}

/// <summary>
/// <c>compare</c>: holds the speed-ups of a run against pinned ones. Lines go to stdout; the exit code is that of the worst line.
/// </summary>
internal static class CompareCommand
{
    private const string DefaultManifest = "docs/benchmarks/manifest.json";

    private const string Help = """
        Holds the speed-ups of a run (ratios of medians, never times) against a pinned manifest.

        Examples:
          suite --output artifacts/results
          compare --results artifacts/results
          compare --results artifacts/results --json
          compare --results artifacts/results --pin

        A line is SKIP with its reason where the ratio is not pinned or not in the run, where the run had other
        data, another SQLite or, for threads, another number of processors, or fewer than three repetitions.

        Exit codes: 0 every line PASS or SKIP; 1 at least one WARN; 2 wrong command line, a file that
        cannot be read, or nothing in common; 3 at least one FAIL.
        """;

    public static Command Create()
    {
        var command = new Command("compare", Help);
        var results = ReadResults.Option(command);
        var manifest = command.Add<FileInfo>("--manifest -m", "The manifest").Or(new FileInfo(DefaultManifest));
        var pin = command.Add<bool>("--pin", "Write the manifest from these results instead, with machine, versions, commit and seed");
        var json = command.Add<bool>("--json", "The lines as JSON");
        command.SetAction(parsed =>
            Run(
                parsed.GetValue(results)!.FullName,
                parsed.GetValue(manifest)!.FullName,
                parsed.GetValue(pin),
                Console.Out,
                Console.Error,
                parsed.GetValue(json)
            )
        );
        return command;
    }

    internal static int Run(string folder, string manifest, bool pin, TextWriter output, TextWriter errors, bool asJson = false) =>
        ReadResults.Guard(
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
                    return Compare(results, ResultFile.Read<Manifest>(manifest), output, errors, asJson);
                errors.WriteLine($"There is no manifest {manifest}; --pin writes one.");
                return ExitCodes.WrongCommandLine;
            }
        );

    private static int Compare(ResultFolder results, Manifest manifest, TextWriter output, TextWriter errors, bool asJson)
    {
        var lines = ManifestComparison.Compare(manifest, SpeedUps.Of(results)).ToList();
        if (asJson)
            output.WriteLine(ComparisonJson.Of(manifest, results.Machines, lines));
        else
            Write(results, manifest, lines, output);

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

    private static void Write(ResultFolder results, Manifest manifest, List<ComparisonLine> lines, TextWriter output)
    {
        output.WriteLine(
            $"Pinned on {manifest.Machine}, {manifest.Runtime}, Microsoft.Data.Sqlite {manifest.Provider}, SQLite {manifest.Sqlite}, commit {manifest.Commit}, seed {manifest.Seed}."
        );
        if (results.Machines.Where(machine => machine != manifest.Machine).ToList() is { Count: > 0 } others)
            output.WriteLine($"Run on {string.Join(" and ", others)}: ratios of another machine can differ for that alone.");
        foreach (var line in lines)
            output.WriteLine(line);
        output.WriteLine(
            string.Join(
                ", ",
                Enum.GetValues<Verdict>()
                    .Select(verdict => $"{lines.Count(line => line.Verdict == verdict)} {verdict.ToString().ToUpperInvariant()}")
            )
        );
    }
}

/// <summary>How both commands read results.</summary>
internal static class ReadResults
{
    /// <summary>The option that says where they are.</summary>
    public static Option<DirectoryInfo> Option(Command command)
    {
        var option = command.Add<DirectoryInfo>(
            "--results -r",
            "Folder that suite, micro or e2e wrote to; folders below are searched as well"
        );
        option.Required = true;
        return option;
    }

    /// <summary>Reads them, and does something with them. What cannot be read or written is told.</summary>
    /// <returns>The exit code.</returns>
    public static int Guard(string folder, TextWriter errors, Func<ResultFolder, int> run)
    {
        try
        {
            var results = ResultFolder.Load(folder);
            if (!results.IsEmpty)
                return run(results);
            errors.WriteLine($"{folder} has no {MicroResults.FileName}, {EndToEndResults.FileName} or *{TableResults.Suffix}.");
        }
        catch (Exception ex) when (ex is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            errors.WriteLine(ex.Message);
        }

        return ExitCodes.WrongCommandLine;
    }
}

/// <summary>A comparison as JSON, for programs: what was compared, the lines, and how many there are of each verdict.</summary>
internal static class ComparisonJson
{
    private static readonly JsonSerializerOptions s_options = new()
    {
        WriteIndented = true,
        PropertyNamingPolicy = JsonNamingPolicy.CamelCase,
    };

    /// <summary>The text.</summary>
    public static string Of(Manifest manifest, IEnumerable<string> machines, IReadOnlyList<ComparisonLine> lines) =>
        JsonSerializer.Serialize(
            new
            {
                Pinned = new
                {
                    manifest.Machine,
                    manifest.Runtime,
                    manifest.Provider,
                    manifest.Sqlite,
                    manifest.Commit,
                    manifest.Seed,
                },
                Machines = machines,
                Counts = Enum.GetValues<Verdict>()
                    .ToDictionary(
                        verdict => verdict.ToString().ToUpperInvariant(),
                        verdict => lines.Count(line => line.Verdict == verdict)
                    ),
                Lines = lines.Select(line => new
                {
                    Verdict = line.Verdict.ToString().ToUpperInvariant(),
                    line.Name,
                    line.Reason,
                }),
            },
            s_options
        );
}
