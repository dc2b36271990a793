// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>test REMOTE --dbpath FILE [--samples N|all] [--replace-faulty-index-files]</c></summary>
internal static class TestCommand
{
    internal static Command Create(ToolConsole console)
    {
        var samples = new Option<long>("--samples")
        {
            Description = "Volumes of each kind to test, or all.",
            DefaultValueFactory = _ => 1,
            CustomParser = ParseSamples,
        };
        var command = new Command(
            "test",
            "Fetch a sample of the volumes, the least tested first, and compare all they hold with the database."
        ).WithRemote();
        var replace = new Option<bool>("--replace-faulty-index-files")
        {
            Description = "Replace index volumes that lack something or cannot be read.",
        };
        command.Options.Add(samples);
        command.Options.Add(replace);
        command.Options.Add(CommonOptions.DryRun);
        command.SetAction(
            (parsed, token) =>
                console.RunAsync(
                    parsed,
                    async (progress, stop) =>
                    {
                        var report = await new TestOperation(
                            parsed.ToEngineOptions() with
                            {
                                ReplaceFaultyIndexVolumes = parsed.GetValue(replace),
                            },
                            progress
                        )
                            .RunAsync(parsed.GetValue(samples), stop)
                            .ConfigureAwait(false);
                        console.Write(
                            parsed,
                            report,
                            text => Describe(report, parsed.GetValue(CommonOptions.DryRun) ? "to be replaced" : "replaced", text)
                        );
                        return report.Differences.Count > 0 ? ExitCode.Found : ExitCode.Ok;
                    },
                    token
                )
        );
        return command;
    }

    private static void Describe(TestReport report, string replaced, TextWriter text)
    {
        text.WriteLine(
            $"Tested {SizeText.Count(report.Volumes.Count, "volume")}; {SizeText.Count(report.Differences.Count, "difference")}; {SizeText.Count(report.ReplacedIndexVolumes.Count, "index volume")} {replaced}."
        );
        foreach (var difference in report.Differences)
            text.WriteLine($"{SafeText.Of(difference.Volume)}: {difference.Status} {SafeText.Of(difference.Key)}");
    }

    private static long ParseSamples(ArgumentResult result)
    {
        var text = string.Join(" ", result.Tokens.Select(x => x.Value));
        if (text == "all")
            return long.MaxValue;
        if (!long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out var samples) || samples == 0)
            result.AddError($"{text} is not a number of samples; write 1 or more, or all.");
        return samples;
    }
}
