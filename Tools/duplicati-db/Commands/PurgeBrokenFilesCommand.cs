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
        var noReplacement = new Option<bool>("--disable-replace-missing-metadata") { Description = "Remove files whose metadata is lost instead of giving them other metadata." };
        command.Options.Add(CommonOptions.DryRun);
        command.Options.Add(noReplacement);
        command.SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (progress, stop) =>
            {
                var options = parsed.ToEngineOptions() with { DisableReplaceMissingMetadata = parsed.GetValue(noReplacement) };
                var report = await new PurgeBrokenFilesOperation(options, progress).RunAsync(stop).ConfigureAwait(false);
                console.Write(parsed, report, text => PurgeCommand.Describe(report, text));
                return ExitCode.Ok;
            },
            token));
        return command;
    }
}
