// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>upgrade DATABASE</c></summary>
internal static class UpgradeCommand
{
    internal static Command Create()
    {
        var to = CommonOptions.SchemaVersion(
            "--to",
            "Schema version to upgrade to (default 19). The release that uses the database must support it.",
            UpgradeOperation.Versions
        );
        return new Command(
            "upgrade",
            "Upgrade an old database to the current schema, and build indexes that an interrupted operation left out. A verified copy of an old one is left beside it."
        )
            .With(CommonOptions.Database, to)
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var report = await ToolConsole.RunBlockingAsync(
                        () => UpgradeOperation.Run(parsed.GetValue(CommonOptions.Database)!.FullName, parsed.GetValue(to), progress, stop),
                        stop
                    );
                    console.Write(
                        parsed,
                        report,
                        text =>
                        {
                            if (report.IndexesCompleted > 0)
                                text.WriteLine(
                                    $"Completed {SizeText.Count(report.IndexesCompleted, "index")} that an interrupted operation had left out."
                                );
                            text.WriteLine(
                                report.From == report.To
                                    ? $"The database is at version {report.To} already."
                                    : $"Upgraded from version {report.From} to {report.To}."
                            );
                        }
                    );
                    return ExitCode.Ok;
                }
            );
    }
}
