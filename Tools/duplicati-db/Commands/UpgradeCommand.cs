using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>upgrade DATABASE</c></summary>
internal static class UpgradeCommand
{
    internal static Command Create(ToolConsole console)
    {
        var command = new Command("upgrade", "Bring an old database to the current schema. A verified copy of the old one is left beside it.");
        command.Arguments.Add(CommonOptions.Database);
        command.WithOutput().SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (_, stop) =>
            {
                var report = await ToolConsole.RunBlockingAsync(() => UpgradeOperation.Run(parsed.GetValue(CommonOptions.Database)!.FullName), stop).ConfigureAwait(false);
                console.Write(parsed, report, text => text.WriteLine(report.From == report.To
                    ? $"The database is at version {report.To} already."
                    : $"Upgraded from version {report.From} to {report.To}."));
                return ExitCode.Ok;
            },
            token));
        return command;
    }
}
