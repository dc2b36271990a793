// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>vacuum DATABASE</c></summary>
internal static class VacuumCommand
{
    internal static Command Create() =>
        new Command(
            "vacuum",
            "Rewrite a database without its free pages. Needs free space of its size, beside it and once more among the temporary files."
        )
            .With(CommonOptions.Database)
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var report = await ToolConsole.RunBlockingAsync(
                        () => VacuumOperation.Run(parsed.GetValue(CommonOptions.Database)!.FullName, progress, stop),
                        stop
                    );
                    console.Write(
                        parsed,
                        report,
                        text => text.WriteLine($"{SizeText.Of(report.BytesBefore)} before, {SizeText.Of(report.BytesAfter)} after.")
                    );
                    return ExitCode.Ok;
                }
            );
}
