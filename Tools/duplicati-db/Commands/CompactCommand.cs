// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>compact REMOTE --dbpath FILE</c></summary>
internal static class CompactCommand
{
    internal static Command Create()
    {
        var threshold = new Option<long>("--threshold")
        {
            Description = "Percentage of wasted space from which volumes are rewritten.",
            DefaultValueFactory = _ => 25,
        };
        var smallSize = CommonOptions.Size("--small-file-size", "Volumes up to this size are small (default: a fifth of the volume size).");
        var smallCount = new Option<long>("--small-file-max-count")
        {
            Description = "Number of small volumes above which they are merged.",
            DefaultValueFactory = _ => 20,
        };
        return new Command("compact", "Free space in the remote folder: delete unused volumes, rewrite wasteful ones.")
            .WithRemote()
            .WithCompression()
            .With(threshold, smallSize, smallCount, CommonOptions.VolumeSize, CommonOptions.DryRun)
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var options = parsed.ToEngineOptions(stop) with
                    {
                        CompactThreshold = parsed.GetValue(threshold),
                        SmallFileSize = parsed.GetValue(smallSize),
                        SmallFileMaxCount = parsed.GetValue(smallCount),
                    };
                    var report = await new CompactOperation(options, progress).RunAsync(stop);
                    console.Write(parsed, report, text => Describe(report, options.DryRun, text));
                    return ExitCode.Ok;
                }
            );
    }

    internal static void Describe(CompactReport report, bool dryRun, TextWriter text) =>
        text.WriteLine(
            $"{(dryRun ? "Would compact" : "Compacted")}: read {SizeText.Count(report.ReadVolumes, "volume")}, uploaded {report.NewVolumes} ({SizeText.Of(report.UploadedBytes)}), deleted {report.DeletedVolumes} ({SizeText.Of(report.DeletedBytes)})."
        );
}
