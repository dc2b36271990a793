using System.CommandLine;
using Duplicati.Benchmarks.Micro.Blocks;

namespace Duplicati.Benchmarks.Commands;

/// <summary>
/// <c>block-ratios</c>: puts the questions of the group Blocks in turn in all ways, several rounds, and prints medians of processor
/// time, of time on the clock, and their ratios to the provider: ratios of one run that a busy machine disturbs little.
/// </summary>
internal static class BlockRatiosCommand
{
    public static Command Create()
    {
        var rows = new Option<int[]>("--rows", "-n") { Description = "Blocks in the table", DefaultValueFactory = _ => [10_000], AllowMultipleArgumentsPerToken = true };
        var cases = new Option<string[]>("--case", "-c") { Description = "Only questions whose name contains one of these", AllowMultipleArgumentsPerToken = true };
        var ways = new Option<string[]>("--way", "-w") { Description = "Only these ways, besides the provider", AllowMultipleArgumentsPerToken = true };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds, after one on a small table that is not counted", DefaultValueFactory = _ => 5 };
        var output = new Option<DirectoryInfo?>("--output", "-o") { Description = "Folder for a result file, which report and compare read" };
        var command = new Command("block-ratios", "Compares the ways of asking about blocks by processor time within one run") { rows, cases, ways, rounds, output };
        command.SetAction(parsed => new BlockRatios(parsed.GetValue(rows)!, parsed.GetValue(cases) ?? [], parsed.GetValue(ways) ?? [], parsed.GetValue(rounds)).Run(Console.Out, parsed.GetValue(output)?.FullName));
        return command;
    }
}
