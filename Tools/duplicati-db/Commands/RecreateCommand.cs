using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>recreate REMOTE --dbpath FILE</c></summary>
internal static class RecreateCommand
{
    internal static Command Create(ToolConsole console)
    {
        var metadata = new Option<bool>("--store-metadata-content-in-database") { Description = "Read the metadata texts into the database as well." };
        var command = new Command("recreate", "Make the local database anew from the remote volumes. A database that turns out broken is kept, for purging.").WithRemote();
        command.Options.Add(CommonOptions.BlockSize);
        command.Options.Add(CommonOptions.VolumeSize);
        command.Options.Add(metadata);
        command.SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (progress, stop) =>
            {
                var options = parsed.ToEngineOptions() with { StoreMetadataContent = parsed.GetValue(metadata) };
                var report = await new RecreateOperation(options, progress).RunAsync(stop).ConfigureAwait(false);
                console.Write(parsed, report, text => text.WriteLine(
                    $"Recreated from {report.Filelists} file lists, {report.IndexVolumes} index volumes and {report.BlockVolumes} block volumes; {report.Problems} volumes could not be read."));
                return report.Problems > 0 ? ExitCode.Found : ExitCode.Ok;
            },
            token));
        return command;
    }
}
