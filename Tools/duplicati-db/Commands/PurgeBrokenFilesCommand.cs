// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>purge-broken-files REMOTE --dbpath FILE</c></summary>
internal static class PurgeBrokenFilesCommand
{
    internal static Command Create()
    {
        var noReplacement = new Option<bool>("--disable-replace-missing-metadata")
        {
            Description = "Remove files whose metadata is lost instead of keeping them with empty metadata.",
        };
        return new Command(
            "purge-broken-files",
            "Remove from all versions what cannot be restored because volumes are missing, and keep the rest."
        )
            .WithRemote()
            .WithCompression()
            .With(CommonOptions.DryRun, CommonOptions.Yes, noReplacement)
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var options = parsed.ToEngineOptions(stop) with { DisableReplaceMissingMetadata = parsed.GetValue(noReplacement) };
                    var shown = new ShownLosses();
                    await Confirmation.RequireAsync(console, parsed, () => LossesAsync(options, shown, stop), stop);
                    var report = await new PurgeBrokenFilesOperation(options, progress) { Shown = shown }.RunAsync(stop);
                    console.Write(parsed, report, text => PurgeCommand.Describe(report, text));
                    return ExitCode.Ok;
                }
            );
    }

    private static async Task<IReadOnlyList<string>> LossesAsync(EngineOptions options, ShownLosses shown, CancellationToken token)
    {
        var plan = await new PurgeBrokenFilesOperation(options with { DryRun = true }, SilentProgress.Instance) { Shown = shown }.RunAsync(
            token
        );
        return Confirmation.Describe(plan.Losses);
    }
}
