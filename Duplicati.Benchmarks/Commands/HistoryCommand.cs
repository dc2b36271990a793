using System.CommandLine;
using System.Globalization;
using Duplicati.Benchmarks.History;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>history</c>: what each operation takes on a backup with many versions, whose database is nearly all entries of versions.</summary>
internal static class HistoryCommand
{
    private const int FewestFiles = 100;
    private const int FewestVersions = 10;

    private const string Help = """
        Shows what operations take on a backup with a long history: at the door and by the statements of their definitions, what a row costs, and whether that grows with the versions.
        Needs some 60 bytes of disk an entry (files × versions), five times over: 10 GB for 100,000 files and 300 versions.

        Examples:
          history                                                  100,000 files in 30 and in 300 versions
          history --files 20000 -n 30 100 300 --changed 5          smaller, and more of the files change
          history --only delete vacuum -r 5 --temp /big/disk       only what has these words in its name
          history --only search --once-above 600                   plain statements of up to ten minutes in every round

        Exit codes: 0 measured; 2 wrong command line. A wrong answer ends the run with an error.
        """;

    public static Command Create()
    {
        var files = new Option<int>("--files", "-f") { Description = "Files of a version", DefaultValueFactory = _ => 100_000 };
        var versions = new Option<int[]>("--versions", "-n") { Description = "Versions of the backup, a database for each number", DefaultValueFactory = _ => [30, 300], AllowMultipleArgumentsPerToken = true };
        var changed = new Option<double>("--changed") { Description = "Percent of the files that change from one version to the next", DefaultValueFactory = _ => 2 };
        var only = new Option<string[]>("--only") { Description = "Only operations whose name contains one of these", AllowMultipleArgumentsPerToken = true };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds in turns; medians are reported", DefaultValueFactory = _ => 3 };
        var once = new Option<double>("--once-above") { Description = "Seconds; plain statements that take longer are measured once", DefaultValueFactory = _ => 60 };
        var scratch = new Option<DirectoryInfo?>("--temp") { Description = "Folder for the databases, which are removed; the system's temporary folder if not given" };
        var output = new Option<DirectoryInfo>("--output", "-o") { Description = "Folder for the results", DefaultValueFactory = _ => new DirectoryInfo("artifacts/history") };
        var command = new Command("history", Help) { files, versions, changed, only, rounds, once, scratch, output };
        command.SetAction((parsed, token) =>
        {
            var request = new HistoryRequest(
                parsed.GetValue(files), [.. parsed.GetValue(versions)!.Distinct().Order()], parsed.GetValue(changed), parsed.GetValue(only) ?? [], parsed.GetValue(rounds), TimeSpan.FromSeconds(parsed.GetValue(once)));
            if (Problem(request) is { } problem)
            {
                Console.Error.WriteLine(problem);
                return Task.FromResult(ExitCodes.WrongCommandLine);
            }

            Run(request, parsed.GetValue(scratch)?.FullName ?? Path.GetTempPath(), parsed.GetValue(output)!.FullName, Console.Out, Console.Error, token);
            return Task.FromResult(ExitCodes.Done);
        });
        return command;
    }

    /// <summary>What is wrong with a request; null if nothing is.</summary>
    internal static string? Problem(HistoryRequest request) =>
        request.Files < FewestFiles || request.Versions.Length == 0 || request.Versions[0] < FewestVersions || request.Rounds < 1 ? $"At least {FewestFiles} files, {FewestVersions} versions and one round are needed."
        : request.Changed is not (> 0 and <= 100) ? "More than 0 and up to 100 percent of the files can change."
        : Chosen(request.Only).Count == 0 ? $"No operation has such a name; there are: {string.Join("; ", HistoryOperations.All.Select(operation => operation.Name))}."
        : null;

    /// <summary>Measures, writes the table to a file, and prints it.</summary>
    internal static TableResults Run(HistoryRequest request, string scratch, string output, TextWriter writer, TextWriter progress, CancellationToken token)
    {
        var folder = Directory.CreateDirectory(Path.Combine(scratch, $"history-{Guid.NewGuid():N}"));
        try
        {
            var operations = Chosen(request.Only);
            // The first run compiles and does not count.
            new HistoryRunner(folder.FullName, 2, request.Once, TextWriter.Null).Run(new HistoryShape(FewestFiles, FewestVersions, request.Changed), operations, token);
            var runner = new HistoryRunner(folder.FullName, request.Rounds, request.Once, progress);
            var results = request.Versions.SelectMany(count => runner.Run(new HistoryShape(request.Files, count, request.Changed), operations, token)).ToList();
            var table = new HistoryReport(results).Table(string.Create(CultureInfo.InvariantCulture, $"Long histories: {request.Files:N0} files, {request.Changed} % changed a version"), request.CommandLine, request.Rounds);
            table.Write(output, "history");
            writer.WriteLine(table.Markdown());
            return table;
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static List<HistoryOperation> Chosen(string[] only) =>
        [.. HistoryOperations.All.Where(operation => only.Length == 0 || only.Any(name => operation.Name.Contains(name, StringComparison.OrdinalIgnoreCase)))];
}

/// <summary>What is measured.</summary>
/// <param name="Files">Files of a version.</param>
/// <param name="Versions">Numbers of versions, ascending.</param>
/// <param name="Changed">Percent of the files that change from one version to the next.</param>
/// <param name="Only">Parts of names of operations; all if there are none.</param>
/// <param name="Rounds">Rounds.</param>
/// <param name="Once">Plain statements that take longer are measured once.</param>
internal sealed record HistoryRequest(int Files, int[] Versions, double Changed, string[] Only, int Rounds, TimeSpan Once)
{
    /// <summary>The arguments that repeat it.</summary>
    public string CommandLine => string.Concat(
        string.Create(CultureInfo.InvariantCulture, $"history --files {Files} --versions {string.Join(' ', Versions)} --changed {Changed} -r {Rounds} --once-above {Once.TotalSeconds}"),
        Only.Length == 0 ? "" : " --only",
        string.Concat(Only.Select(name => $" \"{name}\"")));
}
