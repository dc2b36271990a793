// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Diagnostics;
using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Scale;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>suite</c>: everything that <c>docs/benchmarks/suite.md</c> shows, one step after the other, each in a process of its own, with a
/// folder for its results; the exit code is that of the worst step.
/// </summary>
internal static class SuiteCommand
{
    private const string Help = """
        Runs everything that report shows and compare holds against the manifest, one step after the other.
        Leave the machine alone meanwhile.

        Examples:
          suite --output artifacts/results
          suite --output artifacts/results --step commits techniques
          report --results artifacts/results
          compare --results artifacts/results --pin

        Exit codes: 0 all done; otherwise that of the worst step. The other steps are run all the same.
        """;

    /// <summary>The steps in their order: the name of the folder, and the arguments.</summary>
    private static readonly (string Name, string[] Arguments)[] s_steps =
    [
        ("e2e", "e2e --repeat 3 --presets stock default throughput".Split(' ')),
        ("e2e-300mb", "e2e --total 300mb --repeat 3 --presets default".Split(' ')),
        ("recreate", [.. "scale --blocks 100000 1000000 --only recreate --way".Split(' '), .. ScaleWays.All]),
        ("versions", "scale --versions 30 300 --once-above 20".Split(' ')),
        ("deletions", "scale --versions 100 --files 1000 --changed 1 --blocks-per-file 500 --only delete --delete 1 10 50 100".Split(' ')),
        ("techniques", ["techniques", "--blocks", "200000"]),
        .. BenchmarkGroups.Names.Select(group => (group, (string[])["micro", "--quick", "--group", group])),
    ];

    public static Command Create()
    {
        var command = new Command("suite", Help);
        var output = command.Add<DirectoryInfo>("--output -o", "Folder for the results").Or(new DirectoryInfo("artifacts/results"));
        var step = command.Many<string>("--step -s", $"Only these steps: {string.Join(", ", s_steps.Select(entry => entry.Name))}");
        step.AcceptOnlyFromAmong([.. s_steps.Select(entry => entry.Name)]);
        command.SetAction((parsed, token) => RunAsync(parsed.GetValue(output)!.FullName, parsed.GetValue(step)!, token));
        return command;
    }

    private static async Task<int> RunAsync(string folder, string[] names, CancellationToken token)
    {
        var worst = ExitCodes.Done;
        foreach (var (name, arguments) in s_steps.Where(entry => names.Length == 0 || names.Contains(entry.Name)))
        {
            var watch = Stopwatch.StartNew();
            using var process = Process.Start(ThisProgram.Start([.. arguments, "--output", Path.Combine(folder, name)]))!;
            using (token.Register(() => process.Kill(entireProcessTree: true)))
                await process.WaitForExitAsync(CancellationToken.None);
            token.ThrowIfCancellationRequested();
            worst = Math.Max(worst, process.ExitCode);
            await Console.Error.WriteLineAsync(
                FormattableString.Invariant($"{name}: exit code {process.ExitCode} after {watch.Elapsed.TotalSeconds:0} s")
            );
        }

        return worst;
    }
}
