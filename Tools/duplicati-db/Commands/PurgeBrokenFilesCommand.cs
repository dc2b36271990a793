using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>purge-broken-files REMOTE --dbpath FILE</c></summary>
internal static class PurgeBrokenFilesCommand
{
    internal static Command Create(ToolConsole console)
    {
        var command = new Command("purge-broken-files", "Remove from all versions what cannot be restored because volumes are missing, and keep the rest.").WithRemote();
        command.Options.Add(CommonOptions.DryRun);
        command.SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (progress, stop) =>
            {
                var report = await new PurgeBrokenFilesOperation(parsed.ToEngineOptions(), progress).RunAsync(stop).ConfigureAwait(false);
                console.Write(parsed, report, text => PurgeCommand.Describe(report, text));
                return ExitCode.Ok;
            },
            token));
        return command;
    }
}
