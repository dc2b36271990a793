using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>purge REMOTE PATTERN… --dbpath FILE</c></summary>
internal static class PurgeCommand
{
    internal static Command Create(ToolConsole console)
    {
        var patterns = new Argument<string[]>("PATTERN") { Description = "Paths of files to remove, with * and ? as wildcards, or [regular expressions].", Arity = ArgumentArity.OneOrMore };
        var version = new Option<long[]>("--version") { Description = "Versions to purge, 0 = newest (default all).", AllowMultipleArgumentsPerToken = true };
        var noCompact = new Option<bool>("--no-compact") { Description = "Do not free space in block volumes afterwards." };
        var command = new Command("purge", "Remove files from versions, rewriting their file lists.").WithRemote();
        command.Arguments.Add(patterns);
        foreach (var option in new Option[] { version, noCompact, CommonOptions.DryRun, CommonOptions.Yes })
            command.Options.Add(option);
        command.SetAction((parsed, token) => console.RunAsync(
            parsed,
            async (progress, stop) =>
            {
                var options = parsed.ToEngineOptions() with { NoAutoCompact = parsed.GetValue(noCompact) };
                await Confirmation.RequireAsync(console, parsed, () => LossesAsync(options, parsed.GetValue(patterns)!, parsed.GetValue(version) ?? [], stop), stop).ConfigureAwait(false);
                var report = await new PurgeOperation(options, progress).RunAsync(parsed.GetValue(patterns)!, parsed.GetValue(version) ?? [], stop).ConfigureAwait(false);
                console.Write(parsed, report, text => Describe(report, text));
                return ExitCode.Ok;
            },
            token));
        return command;
    }

    private static async Task<IReadOnlyList<string>> LossesAsync(EngineOptions options, string[] patterns, long[] versions, CancellationToken token)
    {
        var plan = await new PurgeOperation(options with { DryRun = true, NoAutoCompact = true }, SilentProgress.Instance).RunAsync(patterns, versions, token).ConfigureAwait(false);
        return Confirmation.Describe(plan.Losses);
    }

    internal static void Describe(PurgeReport report, TextWriter text)
    {
        text.WriteLine($"{(report.DryRun ? "Would rewrite" : "Rewrote")} {report.Rewritten.Count} versions and {(report.DryRun ? "delete" : "deleted")} {report.Deleted.Count}.");
        foreach (var line in Confirmation.Describe(report.Losses))
            text.WriteLine($"  {line}");
        foreach (var version in report.Rewritten)
        {
            text.WriteLine($"{ListText.Time(version.Time.ToUniversalTime())}: {version.RemovedFiles} entries ({version.RemovedBytes} bytes of blocks) removed, {version.UpdatedFiles} updated");
            foreach (var file in version.Files)
                text.WriteLine($"  {SafeText.Of(file)}");
        }

        if (report.Compact is { } compact)
            CompactCommand.Describe(compact, report.DryRun, text);
    }
}
