// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>verify REMOTE --dbpath FILE</c></summary>
internal static class VerifyCommand
{
    internal static Command Create()
    {
        var quick = new Option<bool>("--quick")
        {
            Description = "Compare names and sizes only: read neither the volumes nor each index of the database against its table.",
        };
        return new Command("verify", "Check the database, the remote folder against it, and every volume. Changes nothing.")
            .WithRemote()
            .With(quick)
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var report = await new VerifyOperation(parsed.ToEngineOptions(stop), progress).RunAsync(parsed.GetValue(quick), stop);
                    console.Write(
                        parsed,
                        report,
                        text =>
                        {
                            text.WriteLine(
                                $"Checked {SizeText.Count(report.Volumes, "volume")}; {SizeText.Count(report.Problems.Count, "problem")}."
                            );
                            foreach (var problem in report.Problems)
                                text.WriteLine(SafeText.Line(problem));
                        }
                    );
                    return report.Problems.Count > 0 ? ExitCode.Found : ExitCode.Ok;
                }
            );
    }
}
