// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>purge REMOTE PATTERN… --dbpath FILE</c></summary>
internal static class PurgeCommand
{
    internal static Command Create()
    {
        var patterns = new Argument<string[]>("PATTERN")
        {
            Description = "Paths to remove, a folder with all below it, with * and ? as wildcards, or [regular expressions].",
            Arity = ArgumentArity.ZeroOrMore,
        };
        var include = new Option<string[]>("--include") { Description = "The same as a PATTERN." };
        var version = CommonOptions.Versions("Versions to purge, 0 = newest (default all).");
        version.AllowMultipleArgumentsPerToken = true;
        var time = CommonOptions.Times("A version to purge, by its time.");
        var noCompact = new Option<bool>("--no-compact") { Description = "Do not free space in block volumes afterwards." };
        var command = new Command("purge", "Remove files from versions, rewriting their file lists.")
            .WithRemote()
            .WithCompression()
            .With(patterns, include, CommonOptions.Exclude, version, time, noCompact, CommonOptions.DryRun, CommonOptions.Yes);
        command.Checks(result =>
        {
            if (result.GetValue(patterns) is not { Length: > 0 } && result.GetValue(include) is not { Length: > 0 })
                result.AddError("Give at least one PATTERN of what to remove.");
        });
        return command.Runs(
            async (console, parsed, progress, stop) =>
            {
                var options = parsed.ToEngineOptions(stop) with { NoAutoCompact = parsed.GetValue(noCompact) };
                string[] wanted = [.. parsed.GetValue(patterns) ?? [], .. parsed.GetValue(include) ?? []];
                var chosen = new PurgeChoices
                {
                    Patterns = wanted,
                    Exclusions = parsed.GetValue(CommonOptions.Exclude) ?? [],
                    Versions = parsed.GetValue(version) ?? [],
                    Times = parsed.GetValue(time) ?? [],
                    Shown = new ShownVersions(),
                };
                await Confirmation.RequireAsync(console, parsed, () => LossesAsync(options, chosen, stop), stop);
                var report = await new PurgeOperation(options, progress).RunAsync(chosen, stop);
                console.Write(parsed, report, text => Describe(report, text));
                return report.NotFound.Count > 0 ? ExitCode.Found : ExitCode.Ok;
            }
        );
    }

    private static async Task<IReadOnlyList<string>> LossesAsync(EngineOptions options, PurgeChoices chosen, CancellationToken token)
    {
        var plan = await new PurgeOperation(options with { DryRun = true, NoAutoCompact = true }, SilentProgress.Instance).RunAsync(
            chosen,
            token
        );
        return Confirmation.Describe(plan.Losses);
    }

    internal static void Describe(PurgeReport report, TextWriter text)
    {
        text.WriteLine(
            $"{(report.DryRun ? "Would rewrite" : "Rewrote")} {SizeText.Count(report.Rewritten.Count, "version")} and {(report.DryRun ? "delete" : "deleted")} {report.Deleted.Count}."
        );
        foreach (var line in Confirmation.Describe(report.Losses))
            text.WriteLine($"  {line}");
        foreach (var version in report.Rewritten)
        {
            text.WriteLine(
                $"{ListText.Time(version.Time.ToUniversalTime())}: {SizeText.Count(version.RemovedFiles, "entry")} ({SizeText.Of(version.RemovedBytes)} of blocks) removed, {version.UpdatedFiles} updated"
            );
            foreach (var file in version.Files)
                text.WriteLine($"  {SafeText.Of(file)}");
        }

        if (report.Compact is { } compact)
            CompactCommand.Describe(compact, report.DryRun, text);
    }
}
