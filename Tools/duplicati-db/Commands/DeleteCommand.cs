using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
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
        foreach (var option in new Option[] { version, noCompact, all, CommonOptions.DryRun, CommonOptions.Yes })
            command.Options.Add(option);
        command.SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (progress, stop) =>
            {
                var options = parsed.ToEngineOptions() with { NoAutoCompact = parsed.GetValue(noCompact) };
                await Confirmation.RequireAsync(console, parsed, () => LossesAsync(options, parsed.GetValue(version)!, parsed.GetValue(all), stop), stop).ConfigureAwait(false);
                var report = await new DeleteOperation(options, progress).RunAsync(parsed.GetValue(version)!, parsed.GetValue(all), stop).ConfigureAwait(false);
                console.Write(parsed, report, text => Describe(report, text));
                return ExitCode.Ok;
            },
            token));
        return command;
    }

    private static async Task<IReadOnlyList<string>> LossesAsync(EngineOptions options, long[] versions, bool all, CancellationToken token)
    {
        var plan = await new DeleteOperation(options with { DryRun = true, NoAutoCompact = true }, SilentProgress.Instance).RunAsync(versions, all, token).ConfigureAwait(false);
        return Confirmation.Describe(plan.Losses);
    }

    private static void Describe(DeleteReport report, TextWriter text)
    {
        text.WriteLine($"{(report.DryRun ? "Would delete" : "Deleted")} {report.DeletedVersions} versions.");
        foreach (var line in Confirmation.Describe(report.Losses))
            text.WriteLine($"  {line}");
        if (report.Compact is { } compact)
            CompactCommand.Describe(compact, report.DryRun, text);
    }
}
