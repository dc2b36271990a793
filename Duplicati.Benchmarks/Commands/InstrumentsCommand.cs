using System.CommandLine;
using Duplicati.Benchmarks.Instruments;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>instruments</c>: what the instruments of the data layer take of the work they are in, as processor time.</summary>
internal static class InstrumentsCommand
{
    private const string Help = """
        Shows what the instruments (docs/observability.md) take: nanoseconds of processor time of a call, of the instruments in it while nobody listens, their share, and of the call while somebody does.

        Example:
          instruments -n 200000 -r 5

        Exit codes: 0 measured; 2 wrong command line.
        """;

    public static Command Create()
    {
        var rows = new Option<int>("--rows", "-n") { Description = "Blocks in the table, and calls in a round", DefaultValueFactory = _ => 200_000 };
        var rounds = new Option<int>("--repeat", "-r") { Description = "Rounds, after one that is not counted; medians are shown", DefaultValueFactory = _ => 5 };
        var command = new Command("instruments", Help) { rows, rounds };
        command.SetAction(parsed =>
        {
            new InstrumentCosts(Math.Max(1, parsed.GetValue(rows)), Math.Max(1, parsed.GetValue(rounds))).Run(Console.Out);
            return ExitCodes.Done;
        });
        return command;
    }
}
