// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Benchmarks.Crosswise;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>e2e</c>: times whole operations on real volumes. The tables go to stdout and to files, progress to stderr.</summary>
internal static class EndToEndCommand
{
    private const string Help = """
        Times whole operations on real volumes, each a process of its own; then, on the same data, the
        database's part of each in the way of the replaced layer and by this one. With --peer: programs with
        Duplicati's command line, in turns with each other and the engine.

        Examples:
          e2e --repeat 1                      about a minute; its page is artifacts/e2e/index.html
          e2e --total 2gb --files 2000 --presets stock default
          e2e --peer own=/opt/a/duplicati-cli --peer "layer=dotnet /opt/b/cli.dll" --repeat 5 --resume
          e2e --peer own=/opt/a/cli --peer-options "own:restore=--passes=8" --operations restore list
          e2e --peer own=/opt/a/duplicati-cli --cross --total 20mb --output artifacts/cross

        Exit codes: 0 done; 2 wrong command line; 3 a program failed, or answers or tables differ;
        130 interrupted.
        """;

    public static Command Create()
    {
        var command = new Command("e2e", Help);
        var arguments = new EndToEndArguments(command);
        command.SetAction(
            (parsed, token) =>
                GuardAsync(() =>
                {
                    var typed = Repeated([.. parsed.Tokens.Select(word => word.Value)]);
                    var options = arguments.Read(parsed);
                    return arguments.IsCross(parsed)
                        ? CrossAsync(options, typed, Console.Out, Console.Error, token)
                        : RunAsync(options, typed, Console.Out, Console.Error, token);
                })
        );
        return command;
    }

    /// <summary>Runs a command, and tells why it cannot begin or go on.</summary>
    internal static async Task<int> GuardAsync(Func<Task<int>> run)
    {
        try
        {
            return await run();
        }
        catch (EndToEndException ex)
        {
            await Console.Error.WriteLineAsync(ex.Message);
            return ExitCodes.WrongCommandLine;
        }
    }

    /// <summary>The command line that repeats a run, from its words. Options that say where somebody's folders are are left out.</summary>
    internal static string Repeated(IReadOnlyList<string> words) =>
        string.Join(
            ' ',
            words.Where((word, index) => !IsFolder(word) && (index == 0 || !IsFolder(words[index - 1]))).Select(PeerArguments.Quote)
        );

    private static bool IsFolder(string word) => word is "--output" or "-o" or "--temp";

    /// <summary>Runs it, and writes the reports of what there is also when it is interrupted.</summary>
    /// <param name="options">What to do.</param>
    /// <param name="typed">The command line that repeats it.</param>
    /// <param name="output">Gets the tables.</param>
    /// <param name="log">Gets the progress.</param>
    /// <param name="token">Interrupts.</param>
    /// <returns>The exit code.</returns>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    internal static async Task<int> RunAsync(
        EndToEndOptions options,
        string typed,
        TextWriter output,
        TextWriter log,
        CancellationToken token
    )
    {
        var store = EndToEndStore.Open(options, typed);
        var exitCode = ExitCodes.Done;
        try
        {
            await new EndToEndRun(options, store, log).RunAsync(token);
        }
        catch (OperationCanceledException)
        {
            exitCode = ExitCodes.Interrupted;
            await log.WriteLineAsync($"Interrupted. The same command with --resume goes on; complete rounds are in {options.Output}.");
        }

        var results = store.Results;
        var tables = EndToEndTables.Of(results);
        if (results.Results.Count > 0)
        {
            TableResults.Write(options.Output, "e2e", tables);
            var page = Path.GetFullPath(Path.Combine(options.Output, EndToEndPage.FileName));
            await File.WriteAllTextAsync(page, EndToEndPage.Of(results), CancellationToken.None);
            await WriteAsync(output, tables);
            await output.WriteLineAsync($"All of it, with every round: {page}");
        }

        return exitCode == ExitCodes.Done && results.Failures.Count > 0 ? ExitCodes.Failed : exitCode;
    }

    /// <summary>Has contenders use each other's backups, and writes the report of what there is also when it is interrupted.</summary>
    internal static async Task<int> CrossAsync(
        EndToEndOptions options,
        string typed,
        TextWriter output,
        TextWriter log,
        CancellationToken token
    )
    {
        var run = new CrossRun(options, typed, log);
        var exitCode = ExitCodes.Done;
        try
        {
            await run.RunAsync(token);
        }
        catch (OperationCanceledException)
        {
            exitCode = ExitCodes.Interrupted;
            await log.WriteLineAsync("Interrupted.");
        }

        await WriteAsync(output, run.Results.Tables);
        await output.WriteLineAsync(run.Results.Summary);
        return exitCode == ExitCodes.Done && run.Results.Cells.Any(cell => cell.Outcome != CrossOutcome.Good) ? ExitCodes.Failed : exitCode;
    }

    private static async Task WriteAsync(TextWriter output, IEnumerable<TableResults> tables)
    {
        foreach (var table in tables)
            await output.WriteLineAsync($"{table.Title}\n\n{table.Markdown()}\n\n{table.Note}\n");
    }
}
