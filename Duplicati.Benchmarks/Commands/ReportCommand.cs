using System.CommandLine;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Reports;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>report</c>: turns result files into a document with tables and figures. Exit code 0, or 2 if there are no results to be read.</summary>
internal static class ReportCommand
{
    private const string Help = """
        Turns the results of micro, e2e, block-ratios and recreate-scale into a markdown document with figures
        beside it. What stands in the document outside of the two lines that mark the results is kept.

        Examples:
          suite --output artifacts/results
          report --results artifacts/results --note "On an idle machine."

        Exit codes: 0 written; 2 wrong command line, no results to be read, or a document without a place for them.
        """;

    public static Command Create()
    {
        var results = new Option<DirectoryInfo>("--results", "-r") { Description = "Folder that suite, micro or e2e wrote to; folders below are searched as well", Required = true };
        var output = new Option<FileInfo>("--output", "-o") { Description = "The document; figures go to a folder of the same name beside it", DefaultValueFactory = _ => new FileInfo("docs/benchmarks.md") };
        var note = new Option<string?>("--note") { Description = "A paragraph about the machine or the run" };
        var command = new Command("report", Help) { results, output, note };
        command.SetAction(parsed => Run(parsed.GetValue(results)!.FullName, parsed.GetValue(output)!.FullName, parsed.GetValue(note), Console.Error));
        return command;
    }

    internal static int Run(string folder, string output, string? note, TextWriter errors)
    {
        if (ResultFolder.TryLoad(folder, errors) is not { } results)
            return ExitCodes.WrongCommandLine;

        try
        {
            ReportDocument.Write(results, output, note);
            return ExitCodes.Done;
        }
        catch (Exception ex) when (ex is InvalidDataException or IOException or UnauthorizedAccessException)
        {
            errors.WriteLine(ex.Message);
            return ExitCodes.WrongCommandLine;
        }
    }
}
