using System.CommandLine;
using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>step</c>: one operation of an end-to-end run, started by that run.</summary>
internal static class StepCommand
{
    public static Command Create()
    {
        var command = new Command("step", "Runs one operation described on standard input; used by e2e") { Hidden = true };
        command.SetAction((_, token) => StepRunner.RunAsync(Console.In, Console.Out, token));
        return command;
    }
}
