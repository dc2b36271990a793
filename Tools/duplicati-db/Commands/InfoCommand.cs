// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>info DATABASE</c></summary>
internal static class InfoCommand
{
    internal static Command Create() =>
        new Command("info", "Tell schema version, sizes, rows and free space of a database, and what is wrong with it. Changes nothing.")
            .With(CommonOptions.Database)
            .WithOutput()
            .Runs(
                async (console, parsed, _, stop) =>
                {
                    var report = await InspectOperation.RunAsync(parsed.GetValue(CommonOptions.Database)!.FullName, stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return report.Problems.Count > 0 ? ExitCode.Found : ExitCode.Ok;
                }
            );

    private static void Describe(InspectReport report, TextWriter text)
    {
        text.WriteLine(report.Problems.Count == 0 ? "The file is intact." : $"{SizeText.Count(report.Problems.Count, "problem")}:");
        foreach (var problem in report.Problems)
            text.WriteLine(SafeText.Line(problem));
        text.WriteLine(
            $"Schema version {report.SchemaVersion}, read by SQLite {report.SqliteVersion}; {SizeText.Of(report.FileBytes)}, log {SizeText.Of(report.LogBytes)}; {SizeText.Count(report.Pages, "page")} of {SizeText.Of(report.PageSize)}, {report.FreePages} free."
        );
        foreach (var (table, rows) in report.RowCounts)
            text.WriteLine($"{SizeText.Count(rows, "row"), 15}  {SafeText.Of(table)}");
        foreach (var item in report.Objects)
            text.WriteLine(
                $"{SizeText.Of(item.Bytes), 15}  {SafeText.Of(item.Name)} ({item.Type}, {SizeText.Of(item.UnusedBytes)} unused)"
            );
        foreach (var version in report.Versions)
            text.WriteLine(
                $"Version {version.Version}, {ListText.Time(version.Time)}{(version.IsFull == false ? " (partial)" : "")}{Space(version)}{(version.Label is { } label ? $"; {SafeText.Line(label)}" : "")}"
            );
        foreach (var volumes in report.Volumes)
            text.WriteLine(
                $"{SizeText.Count(volumes.Count, "volume"), 15} of type {SafeText.Of(volumes.Type)} in state {SafeText.Of(volumes.State)}, {SizeText.Of(volumes.Bytes)}"
            );
        foreach (var growth in report.Growth)
            text.WriteLine(
                $"{SizeText.Of(growth.Bytes), 15}  added in {SizeText.Count(growth.Volumes, "volume")} by {SafeText.Of(growth.Operation)} of {ListText.Time(growth.Time)}"
            );
        foreach (var flag in report.Flags)
            text.WriteLine($"Set: {SafeText.Of(flag)}");
        if (report.Filling is { } filling)
            text.WriteLine(filling);
    }

    private static string Space(ListedVersion version) =>
        version.Bytes is null
            ? ""
            : $": {SizeText.Count(version.Entries ?? 0, "entry")}, {SizeText.Of(version.Bytes.Value)}, {SizeText.Of(version.OwnBytes ?? 0)} of them in no other version";
}
