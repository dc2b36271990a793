// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Main;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>volumes --dbpath FILE [--state STATE] [--type TYPE] [--sort ORDER]</c></summary>
internal static class VolumesCommand
{
    private const string Description = """
        List the volumes that a database knows: state, size, age, how much of it is in use, and how often it was tested. Changes nothing.

        For a volume in an unfinished state (--state Uploading) it says why, and what resolves it. Waste is what a compact counts: blocks
        that nothing uses, before compression. A volume that is tested for the first time joins those that were tested most, as Duplicati counts
        it; so the order of tests is that of --sort tests.

        Examples:
          duplicati-db volumes --dbpath me.sqlite --type Blocks --sort waste
          duplicati-db volumes --dbpath me.sqlite --state Uploading --state Deleting
        """;

    private static readonly Option<RemoteVolumeState[]> s_state = new("--state") { Description = "Only these states. May be repeated." };
    private static readonly Option<RemoteVolumeType[]> s_type = new("--type") { Description = "Only these types. May be repeated." };
    private static readonly Option<VolumeOrder> s_sort = new("--sort")
    {
        Description = "What comes first: by name, the largest, the oldest, most waste, least tests.",
    };

    internal static Command Create() =>
        new Command("volumes", Description)
            .With(CommonOptions.DatabasePath, s_state, s_type, s_sort, CommonOptions.Preset)
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var report = await new VolumesOperation(parsed.ToDatabaseOptions()).RunAsync(Request(parsed), stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return ExitCode.Ok;
                }
            );

    private static VolumesRequest Request(ParseResult parsed) =>
        new()
        {
            States = parsed.GetValue(s_state) ?? [],
            Types = parsed.GetValue(s_type) ?? [],
            Order = parsed.GetValue(s_sort),
        };

    private static void Describe(VolumesReport report, TextWriter text)
    {
        if (report.Volumes.Count > 0)
            text.WriteLine(
                $"{"state", -9}  {"type", -6}  {"size", 10}  {"changed", -20}  {"in use", 10}  {"waste", 10}  {"tests", 5}  {"last read", -20}  name"
            );
        foreach (var volume in report.Volumes)
            text.WriteLine(
                $"{volume.State, -9}  {volume.Type, -6}  {Size(volume.Size), 10}  {ListText.Time(volume.Changed), -20}  {Size(volume.LiveBytes), 10}  {Size(volume.WastedBytes), 10}  {volume.Tests, 5}  {ListText.Time(volume.LastRead), -20}  {SafeText.Of(volume.Name)}"
            );
        text.WriteLine(
            $"{SizeText.Count(report.Volumes.Count, "volume")}, {SizeText.Of(report.Volumes.Sum(x => x.Size ?? 0))}; {SizeText.Of(report.Volumes.Sum(x => x.WastedBytes ?? 0))} of blocks are waste."
        );
        foreach (var alike in report.Volumes.Where(x => x.Why is not null).GroupBy(x => (x.State, x.Why)))
            text.WriteLine($"{alike.Key.State} ({alike.Count()}): {alike.Key.Why}");
        if (report.Unsettled is not { } unsettled)
            return;
        text.WriteLine($"  means:  {unsettled.What} {unsettled.Meaning}");
        text.WriteLine($"  to do:  {unsettled.Mend}");
        text.WriteLine($"  run:    {SafeText.Of(unsettled.Command!)}");
    }

    private static string Size(long? size) => size is { } bytes ? SizeText.Of(bytes) : "";
}
