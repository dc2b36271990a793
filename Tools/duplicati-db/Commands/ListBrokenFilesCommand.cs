// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>list-broken-files REMOTE --dbpath FILE</c></summary>
internal static class ListBrokenFilesCommand
{
    internal static Command Create() =>
        new Command("list-broken-files", "List the files that cannot be restored because volumes are missing. Changes nothing.")
            .WithRemote()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var report = await new ListBrokenFilesOperation(parsed.ToEngineOptions(stop), progress).RunAsync(stop);
                    console.Write(parsed, report, text => Describe(report, text));
                    return report.Count > 0 ? ExitCode.Found : ExitCode.Ok;
                }
            );

    private static void Describe(IReadOnlyList<BrokenFilesReport> report, TextWriter text)
    {
        text.WriteLine($"{SizeText.Count(report.Count, "broken version")}.");
        foreach (var version in report)
        {
            text.WriteLine(
                $"Version {version.Version}, {version.Time.ToString("u", CultureInfo.InvariantCulture)}: {SizeText.Count(version.Files.Count, "broken file")}"
            );
            foreach (var file in version.Files)
                text.WriteLine(
                    $"{(file.Size < 0 ? "" : SizeText.Of(file.Size)), 15}  {SafeText.Of(file.Path)}{(file.OnlyMetadata ? " (only its times and permissions)" : "")}"
                );
        }
    }
}
