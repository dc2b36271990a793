// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>repair REMOTE --dbpath FILE</c></summary>
internal static class RepairCommand
{
    private const string Description = """
        Make the database and the remote folder consistent again; without a database, rebuild it.

        Where pages of the database are damaged, a new one takes its place first, and the damaged one is kept as NAME.backup: indexes are
        built from their tables; what the remote folder has is taken from there; what only the database has (labels, logs, how often
        volumes were tested, locks, settings) comes from the pages that can be read. `check --deep` tells beforehand what is lost. That an index
        does not fit its table, though its pages can be read, is found with --check-indexes only.

        Where rows contradict each other in a way that only the remote folder can mend, what the folder lacks is made anew. Then the
        command to recreate the database is named.

        Examples:
          duplicati-db repair remote --dbpath me.sqlite --no-encryption --dry-run
          duplicati-db repair remote --dbpath me.sqlite --no-encryption
          duplicati-db repair remote --no-encryption
        """;

    internal static Command Create()
    {
        var rebuild = new Option<bool>("--rebuild-missing-dblock-files")
        {
            Description = "Rebuild missing block volumes from the source files and other volumes.",
        };
        var whole = new Option<bool>("--disable-partial-dblock-recovery")
        {
            Description = "Refuse to rebuild a block volume of which blocks are lost.",
        };
        var check = new Option<string[]>("--check-volume")
        {
            Description = "Volumes to read even if their size is right, or all. Everything readable in a damaged one is kept.",
            AllowMultipleArgumentsPerToken = true,
        };
        var indexes = new Option<bool>("--check-indexes")
        {
            Description = "Compare every index of the database with its table, as check --deep does: about a minute a gigabyte.",
        };
        var discard = new Option<bool>("--delete-damaged")
        {
            Description = "Delete damaged volumes when all that can be read of them is in others, instead of keeping them as damaged-NAME.",
        };
        var outdated = new Option<bool>("--repair-ignore-outdated-database")
        {
            Description = "Go on when the remote folder has versions newer than the database.",
        };
        var unknown = new Option<bool>("--delete-unknown-files")
        {
            Description = "Delete volumes in the remote folder that the database does not know and cannot use.",
        };
        var policy = CommonOptions.IndexFilePolicy("What rebuilt index volumes hold.");
        return new Command("repair", Description)
            .WithRemote()
            .WithCompression()
            .With(
                rebuild,
                whole,
                check,
                indexes,
                discard,
                outdated,
                unknown,
                policy,
                CommonOptions.VolumeSize,
                CommonOptions.DryRun,
                CommonOptions.Yes
            )
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var choices = new RepairChoices
                    {
                        RebuildMissingBlockVolumes = parsed.GetValue(rebuild),
                        DisablePartialRecovery = parsed.GetValue(whole),
                        CheckVolumes = parsed.GetValue(check) ?? [],
                        CheckIndexes = parsed.GetValue(indexes),
                        DeleteDamaged = parsed.GetValue(discard),
                        IgnoreOutdatedDatabase = parsed.GetValue(outdated),
                        DeleteUnknownFiles = parsed.GetValue(unknown),
                    };
                    var options = parsed.ToEngineOptions(stop) with { IndexPolicy = parsed.GetValue(policy) };
                    if (choices.Discards)
                        await Confirmation.RequireAsync(
                            console,
                            parsed,
                            async () =>
                            {
                                var volumes = await LossesAsync(options, choices, stop);
                                choices = choices with { Shown = volumes };
                                return Lines(volumes);
                            },
                            stop
                        );
                    var report = await new RepairOperation(options, choices, progress).RunAsync(stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return report.Problems.Count + report.UnknownFiles.Count > 0 ? ExitCode.Found : ExitCode.Ok;
                }
            );
    }

    // Whatever else a repair deletes has been replaced before.
    private static async Task<IReadOnlyList<DiscardedVolume>> LossesAsync(
        EngineOptions options,
        RepairChoices choices,
        CancellationToken token
    ) => (await new RepairOperation(options with { DryRun = true }, choices, SilentProgress.Instance).RunAsync(token)).Discarded;

    private static IReadOnlyList<string> Lines(IEnumerable<DiscardedVolume> volumes) =>
        [.. volumes.Select(x => $"{x.Name} ({SizeText.Of(x.Bytes)}){Kind(x.Name)}{Doubt(x)}")];

    private static string Doubt(DiscardedVolume volume) =>
        volume.IsUnread ? ", which could not be opened: it may be of another backup" : "";

    private static string Kind(string volume) =>
        VolumeName.Parse(volume) is { Type: RemoteVolumeType.Files } list
            ? $", the files of the version of {ListText.Time(list.Time)}"
            : "";

    private static void Describe(RepairReport report, TextWriter text)
    {
        if (report.OldDatabase is { } old)
            text.WriteLine(
                $"{(report.DryRun ? "Would have made" : "Made")} a new database of the rows of the damaged one{(report.DryRun ? "" : $", which is kept as {old}")}."
            );
        if (report.Recreated is { } recreated)
        {
            text.WriteLine(
                $"{(report.DryRun ? "Would have recreated" : "Recreated")} the database from {SizeText.Count(recreated.Filelists, "file list")}, {SizeText.Count(recreated.IndexVolumes, "index volume")} and {SizeText.Count(recreated.BlockVolumes, "block volume")}."
            );
            ListText.WriteCarried(text, recreated);
        }
        else
        {
            text.WriteLine(Done(report));
        }

        List(text, "uploaded", report.Uploaded);
        List(text, "deleted", report.Deleted);
        List(text, "adopted", report.Adopted);
        List(text, "damaged, kept", report.KeptDamaged);
        List(text, "unknown, kept", report.UnknownFiles);
        List(text, "problem", report.Problems);
    }

    // Only what there was to do.
    private static string Done(RepairReport report)
    {
        var parts = new List<string>();
        Add(report.Uploaded.Count, report.DryRun ? "would have uploaded" : "uploaded", "volume");
        Add(report.Deleted.Count, report.DryRun ? "would have deleted" : "deleted", "volume");
        Add(report.Adopted.Count, report.DryRun ? "would have taken in" : "took in", "unknown volume");
        Add(report.KeptDamaged.Count, report.DryRun ? "would have put aside" : "put aside", "damaged volume");
        Add(report.RecoveredBlocks, "found", "lost block");
        Add(report.LostBlocks, "did not find", "lost block");
        var text = string.Join(", ", parts);
        return parts.Count > 0 ? $"{char.ToUpperInvariant(text[0])}{text[1..]}."
            : report.Problems.Count + report.UnknownFiles.Count > 0 ? "Nothing was uploaded or deleted."
            : "Database and remote folder fit together.";

        void Add(long number, string what, string noun)
        {
            if (number > 0)
                parts.Add($"{what} {SizeText.Count(number, noun)}");
        }
    }

    private static void List(TextWriter text, string what, IReadOnlyList<string> lines)
    {
        foreach (var line in lines)
            text.WriteLine($"  {what}: {SafeText.Line(line)}");
    }
}
