using System.CommandLine;
using Duplicati.Engine.Dump;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>dump DATABASE</c></summary>
internal static class DumpCommand
{
    internal static Command Create(ToolConsole console)
    {
        var command = new Command("dump", "Write the content of a database, of any schema version, as canonical JSON: equal content gives equal text.");
        command.Arguments.Add(CommonOptions.Database);
        command.WithOutput().SetAction((parsed, token) => console.RunAsync(
            parsed,
            (_, stop) => ToolConsole.RunBlockingAsync(
                () =>
                {
                    using var buffer = console.OpenBinaryOutput();
                    DatabaseDump.Write(parsed.GetValue(CommonOptions.Database)!.FullName, buffer);
                    return ExitCode.Ok;
                },
                stop),
            token));
        return command;
    }
}
