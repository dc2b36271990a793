// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>recreate REMOTE --dbpath FILE</c></summary>
internal static class RecreateCommand
{
    internal static Command Create()
    {
        var metadata = new Option<bool>("--store-metadata-content-in-database")
        {
            Description = "Read the metadata texts into the database as well.",
        };
        var overwrite = new Option<bool>("--overwrite")
        {
            Description =
                "Start over, even if a database exists; that one stays until the new one is complete. Data that only it has is carried over: labels, logs, how often volumes were tested, locks, settings.",
        };
        return new Command(
            "recreate",
            "Rebuild the local database from the remote volumes. An interrupted recreate resumes where it stopped, unless it was killed in its first seconds. If blocks are missing, the new database is kept, so that broken files can be purged."
        )
            .WithRemote(CommonOptions.DatabasePath)
            .With(overwrite, CommonOptions.BlockSize, CommonOptions.VolumeSize, CommonOptions.Schema, metadata)
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var options = parsed.ToEngineOptions(stop) with { StoreMetadataContent = parsed.GetValue(metadata) };
                    var report = await new RecreateOperation(options, progress) { Overwrite = parsed.GetValue(overwrite) }.RunAsync(stop);
                    console.Write(
                        parsed,
                        report,
                        text =>
                        {
                            text.WriteLine(
                                $"Recreated from {SizeText.Count(report.Filelists, "file list")}, {SizeText.Count(report.IndexVolumes, "index volume")} and {SizeText.Count(report.BlockVolumes, "block volume")}; {SizeText.Count(report.Problems, "volume")} could not be read.{(report.Kept > 0 ? $" Read before: {SizeText.Count(report.Kept, "volume")}." : "")}{(report.RefusedEntries > 0 ? $" Left out of file lists: {SizeText.Count(report.RefusedEntries, "entry")}." : "")}"
                            );
                            ListText.WriteCarried(text, report);
                        }
                    );
                    return report.Problems + report.RefusedEntries > 0 || report.HasLost ? ExitCode.Found : ExitCode.Ok;
                }
            );
    }
}
