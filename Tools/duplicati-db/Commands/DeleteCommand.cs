using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>delete REMOTE --dbpath FILE --version N</c></summary>
internal static class DeleteCommand
{
    internal static Command Create(ToolConsole console)
    {
        var version = new Option<long[]>("--version") { Description = "Versions to delete, 0 = newest.", Required = true, AllowMultipleArgumentsPerToken = true };
        var noCompact = new Option<bool>("--no-compact") { Description = "Do not free space in block volumes afterwards." };
        var all = new Option<bool>("--allow-full-removal") { Description = "Permit to delete every version." };
        var command = new Command("delete", "Delete versions, and free the space of what no other version needs.").WithRemote();
        foreach (var option in new Option[] { version, noCompact, all, CommonOptions.DryRun })
            command.Options.Add(option);
        command.SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (progress, stop) =>
            {
                var options = parsed.ToEngineOptions() with { NoAutoCompact = parsed.GetValue(noCompact) };
                var report = await new DeleteOperation(options, progress).RunAsync(parsed.GetValue(version)!, parsed.GetValue(all), stop).ConfigureAwait(false);
                console.Write(parsed, report, text => Describe(report, text));
                return ExitCode.Ok;
            },
            token));
        return command;
    }

    private static void Describe(DeleteReport report, TextWriter text)
    {
        text.WriteLine($"{(report.DeletedVersions == 0 ? "Would delete" : "Deleted")} {report.Times.Count} versions.");
        if (report.Compact is { } compact)
            CompactCommand.Describe(compact, text);
    }
}
