// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Engine.Operations;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>label --dbpath FILE --version N TEXT</c></summary>
internal static class LabelCommand
{
    internal static Command Create()
    {
        var text = new Argument<string>("TEXT") { Description = "The label; an empty text removes it." };
        var version = new Option<long>("--version") { Description = "The version, 0 = newest.", Required = true };
        return new Command(
            "label",
            "Give a version a label. The remote folder gets it with the next file list, of a backup or a purge. Needs a database of schema 20."
        )
            .With(text, CommonOptions.DatabasePath, version, CommonOptions.Preset)
            .WithOutput()
            .Runs(
                async (console, parsed, progress, stop) =>
                {
                    var report = await new LabelOperation(parsed.ToDatabaseOptions(), progress).RunAsync(
                        parsed.GetValue(version),
                        parsed.GetValue(text)!,
                        stop
                    );
                    console.Write(
                        parsed,
                        report,
                        output =>
                            output.WriteLine(
                                report.Label is { } label
                                    ? $"The version of {ListText.Time(report.Time)} is labelled {SafeText.Line(label)}."
                                    : $"The version of {ListText.Time(report.Time)} has no label."
                            )
                    );
                    return ExitCode.Ok;
                }
            );
    }
}
