// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>downgrade DATABASE --to N</c></summary>
internal static class DowngradeCommand
{
    internal static Command Create()
    {
        var to = CommonOptions.SchemaVersion("--to", "Version of the schema to lead back to.", DowngradeOperation.Versions);
        to.Required = true;
        return new Command(
            "downgrade",
            "Downgrade a database to the schema of an older release. A verified copy is left beside it. What the older schema cannot store, such as labels, is lost."
        )
            .With(CommonOptions.Database, to, CommonOptions.Yes)
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var (path, version) = (parsed.GetValue(CommonOptions.Database)!.FullName, parsed.GetValue(to)!.Value);
                    var shown = new ShownLosses();
                    await Confirmation.RequireAsync(
                        console,
                        parsed,
                        () => ToolConsole.RunBlockingAsync(() => DowngradeOperation.Losses(path, version, shown), stop),
                        stop
                    );
                    var report = await ToolConsole.RunBlockingAsync(
                        () => DowngradeOperation.Run(path, version, shown, progress, stop),
                        stop
                    );
                    console.Write(
                        parsed,
                        report,
                        text =>
                            text.WriteLine(
                                report.From == report.To
                                    ? $"The database is at version {report.To} already."
                                    : $"Led back from version {report.From} to {report.To}."
                            )
                    );
                    return ExitCode.Ok;
                }
            );
    }
}
