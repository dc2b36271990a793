using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Library.Interface;
using Duplicati.Library.Utility;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>restore REMOTE --dbpath FILE --target DIR</c></summary>
internal static class RestoreCommand
{
    internal static Command Create(ToolConsole console)
    {
        var target = new Option<DirectoryInfo>("--target") { Description = "The folder to restore into.", Required = true };
        var version = new Option<long?>("--version") { Description = "The version to restore, 0 = newest (default)." };
        var time = CommonOptions.Time("Restore the newest version that is not younger than this time.");
        var include = new Option<string[]>("--include") { Description = "Source paths to restore; * and ? are wildcards. Default: all.", AllowMultipleArgumentsPerToken = true };
        var command = new Command("restore", "Restore a version. Files in the way that differ are kept; the restored one gets a name of its own.").WithRemote();
        foreach (var option in new Option[] { target, version, time, include })
            command.Options.Add(option);
        command.SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (progress, stop) =>
            {
                var patterns = parsed.GetValue(include);
                var filter = patterns is { Length: > 0 } ? new FilterExpression(patterns) : null;
                var report = await RestoreAsync(new RestoreOperation(parsed.ToEngineOptions(), progress), parsed.GetValue(target)!.FullName, parsed.GetValue(version), parsed.GetValue(time), filter, stop).ConfigureAwait(false);
                console.Write(parsed, report, text => text.WriteLine(
                    $"Restored {report.Files} files ({report.Bytes} bytes), {report.Folders} folders and {report.Symlinks} symbolic links of version {report.Version} from {report.Volumes} volumes; {report.Failed.Count} failed."));
                return report.Failed.Count > 0 ? ExitCode.Found : ExitCode.Ok;
            },
            token));
        return command;
    }

    private static Task<RestoreReport> RestoreAsync(RestoreOperation operation, string target, long? version, DateTime? time, IFilter? filter, CancellationToken token) => (version, time) switch
    {
        (not null, not null) => throw new UserInformationException("Give either --version or --time, not both.", "InvalidVersion"),
        (_, { } at) => operation.RunAsync(target, at, filter, token),
        _ => operation.RunAsync(target, version ?? 0, filter, token),
    };
}
