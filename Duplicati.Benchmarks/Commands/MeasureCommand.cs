using System.CommandLine;
using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Commands;

/// <summary><c>measure</c>: one program of an end-to-end run, started by that run.</summary>
internal static class MeasureCommand
{
    public static Command Create()
    {
        var command = new Command(MeasuredProgram.Command, "Runs one program described on standard input; used by e2e") { Hidden = true };
        command.SetAction((_, token) => MeasuredProgram.MeasureAsync(Console.In, token));
        return command;
    }
}
