// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>backup REMOTE SOURCE…</c></summary>
internal static class BackupCommand
{
    internal static Command Create()
    {
        var sources = new Argument<string[]>("SOURCE") { Description = "Files and folders to back up.", Arity = ArgumentArity.OneOrMore };
        var blockHash = new Option<string?>("--block-hash-algorithm")
        {
            Description = "Hash function of blocks of a new backup (default SHA256).",
        };
        var fileHash = new Option<string?>("--file-hash-algorithm")
        {
            Description = "Hash function of files of a new backup (default SHA256).",
        };
        var policy = CommonOptions.IndexFilePolicy("What index volumes hold.");
        var noSynthetic = new Option<bool>("--disable-synthetic-filelist")
        {
            Description = "Make no version of what an interrupted backup had recorded.",
        };
        var readsAll = new Option<bool>("--disable-filetime-check")
        {
            Description = "Read every file, also one that has the size and time of the last version.",
        };
        var versionName = new Option<string?>("--version-name")
        {
            Description = "Label of the new version; needs a database of schema 20.",
        };
        return new Command("backup", "Back up files into the remote folder: one new version, only new blocks are uploaded.")
            .WithRemote()
            .WithCompression()
            .With(
                sources,
                CommonOptions.BlockSize,
                CommonOptions.VolumeSize,
                CommonOptions.Schema,
                blockHash,
                fileHash,
                policy,
                noSynthetic,
                readsAll,
                versionName,
                CommonOptions.Exclude
            )
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var options = parsed.ToEngineOptions(stop) with
                    {
                        BlockHash = parsed.GetValue(blockHash),
                        FileHash = parsed.GetValue(fileHash),
                        IndexPolicy = parsed.GetValue(policy),
                        VersionName = parsed.GetValue(versionName),
                        DisableSyntheticFilelist = parsed.GetValue(noSynthetic),
                        DisableFiletimeCheck = parsed.GetValue(readsAll),
                        OwnFiles =
                        [
                            .. new[] { CommonOptions.LogFile, CommonOptions.Metrics, CommonOptions.Trace }
                                .Select(x => parsed.GetValue(x)?.FullName)
                                .OfType<string>(),
                        ],
                        Exclusions = parsed.GetValue(CommonOptions.Exclude) ?? [],
                    };
                    var report = await new BackupOperation(options, progress).RunAsync(parsed.GetValue(sources)!, stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return report.Skipped > 0 ? ExitCode.Found : ExitCode.Ok;
                }
            );
    }

    private static void Describe(BackupReport report, TextWriter text)
    {
        text.WriteLine(report.NewVersion ? "A new version was made." : "Nothing has changed; no version was made.");
        text.WriteLine(
            $"Examined {SizeText.Count(report.Files, "file")} ({SizeText.Of(report.SourceBytes)}), {SizeText.Count(report.Folders, "folder")}, {SizeText.Count(report.Symlinks, "symbolic link")}; {report.Skipped} skipped."
        );
        text.WriteLine(
            $"New blocks: {report.NewBlocks} ({SizeText.Of(report.NewBytes)}). Uploaded {SizeText.Count(report.UploadedVolumes, "volume")} ({SizeText.Of(report.UploadedBytes)})."
        );
    }
}
