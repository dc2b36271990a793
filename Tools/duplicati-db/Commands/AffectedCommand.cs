// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>affected --dbpath FILE VOLUME…</c></summary>
internal static class AffectedCommand
{
    private const int MessageLength = 100;

    private const string Description = """
        List the versions and files that would be lost with some remote volumes, and log messages about these. Changes nothing.

        Exit code 1: there are names among them that the database does not know.

        Examples:
          duplicati-db affected --dbpath me.sqlite duplicati-b17e2269a42b749028a810f91a046e1a0.dblock.zip
          duplicati-db affected --dbpath me.sqlite --full-result duplicati-20261121T001938Z.dlist.zip
        """;

    internal static Command Create()
    {
        var volumes = new Argument<string[]>("VOLUME")
        {
            Description = "Names of volumes as they are in the remote folder.",
            Arity = ArgumentArity.OneOrMore,
        };
        return new Command("affected", Description)
            .With(volumes, CommonOptions.DatabasePath, CommonOptions.FullResult, CommonOptions.Preset)
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var report = await new AffectedOperation(
                        parsed.GetValue(CommonOptions.DatabasePath)!.FullName,
                        parsed.GetValue(CommonOptions.Preset)!
                    ).RunAsync(parsed.GetValue(volumes)!, stop);
                    console.Write(parsed, report, text => Describe(report, parsed.GetValue(CommonOptions.FullResult), text));
                    foreach (var name in report.Unknown)
                        progress.Warning($"The database knows no volume {SafeText.Of(name)}.");
                    return report.Unknown.Count > 0 ? ExitCode.Found : ExitCode.Ok;
                }
            );
    }

    private static void Describe(AffectedReport report, bool full, TextWriter text)
    {
        text.WriteLine($"Affected: {SizeText.Count(report.Versions.Count, "version")}.");
        ListText.Write(text, report.Versions, true, x => $"{x.Version, 5}  {ListText.Time(x.Time)}");
        text.WriteLine($"Affected: {SizeText.Count(report.Files.Count, "file")}.");
        ListText.Write(text, report.Files, full, SafeText.Of);
        if (report.Volumes.Count > 0)
            text.WriteLine($"The versions of these file lists need {SizeText.Count(report.Volumes.Count, "block volume")}.");
        ListText.Write(text, report.Volumes, full, SafeText.Of);
        text.WriteLine($"Found: {SizeText.Count(report.Messages.Count, "related log message")}.");
        ListText.Write(
            text,
            report.Messages,
            full,
            x => $"{ListText.Time(x.Time)}  {SafeText.Beginning(x.Text, full ? int.MaxValue : MessageLength)}"
        );
    }
}
