// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.Utility;
using Duplicati.Tool.Cli;

namespace Duplicati.Tool.Commands;

/// <summary><c>test REMOTE --dbpath FILE [--samples N|all | --read-data 10%] [--max-duration 30m] [--index-only]</c></summary>
internal static class TestCommand
{
    private const string Description = """
        Fetch a sample of the volumes, the least tested first, and compare all they hold with the database.

        What was tested is recorded after each volume, as Duplicati records it: a run that is stopped, by Ctrl+C or by its budget, has kept it,
        and the next one begins with others. "duplicati-db volumes --sort tests" shows the order.

        Examples:
          duplicati-db test /mnt/remote --dbpath me.sqlite --no-encryption --samples 10
          duplicati-db test /mnt/remote --dbpath me.sqlite --no-encryption --read-data 5GB --max-duration 30m
          duplicati-db test /mnt/remote --dbpath me.sqlite --no-encryption --read-data 3/7
        """;

    private static readonly Option<long> s_samples = CommonOptions.CountOrAll(
        "--samples",
        "Volumes of each kind to test, or all.",
        "samples",
        1
    );
    private static readonly Option<ReadData?> s_readData = new("--read-data")
    {
        Description =
            "Test as much as this instead: 10% of all bytes, 5GB, or 3/7, the third of seven parts that are all volumes together.",
        CustomParser = result => CommonOptions.Parsed(result, () => ReadData.Parse(CommonOptions.Text(result))),
    };
    private static readonly Option<TimeSpan?> s_maxDuration = new("--max-duration")
    {
        Description =
            "Begin no further volume after this time, such as 30m or 2h; without --samples and --read-data all are tested until then.",
        CustomParser = ParseDuration,
    };
    private static readonly Option<bool> s_indexOnly = new("--index-only") { Description = "Test index volumes only." };
    private static readonly Option<bool> s_replace = new("--replace-faulty-index-files")
    {
        Description = "Replace index volumes that lack something or cannot be read.",
    };

    internal static Command Create()
    {
        var command = new Command("test", Description)
            .WithRemote()
            .With(s_samples, s_readData, s_maxDuration, s_indexOnly, s_replace, CommonOptions.DryRun);
        command.Checks(result =>
        {
            if (result.GetResult(s_samples) is { Implicit: false } && result.GetResult(s_readData) is { Implicit: false })
                result.AddError("Give --samples or --read-data, not both.");
        });
        return command.Runs(
            async (console, parsed, progress, stop) =>
            {
                var report = await new TestOperation(
                    parsed.ToEngineOptions(stop) with
                    {
                        ReplaceFaultyIndexVolumes = parsed.GetValue(s_replace),
                        TestBudget = Budget(parsed),
                    },
                    progress
                ).RunAsync(Samples(parsed), stop);
                console.Write(
                    parsed,
                    report,
                    text => Describe(report, parsed.GetValue(CommonOptions.DryRun) ? "to be replaced" : "replaced", text)
                );
                return report.Differences.Count > 0 ? ExitCode.Found : ExitCode.Ok;
            }
        );
    }

    private static TestBudget Budget(ParseResult parsed) =>
        new()
        {
            ReadData = parsed.GetValue(s_readData),
            MaxDuration = parsed.GetValue(s_maxDuration),
            IndexOnly = parsed.GetValue(s_indexOnly),
        };

    // A budget is of all volumes, unless so many are asked for.
    private static long Samples(ParseResult parsed) =>
        parsed.GetResult(s_samples) is { Implicit: false } || Budget(parsed) is { ReadData: null, MaxDuration: null }
            ? parsed.GetValue(s_samples)
            : long.MaxValue;

    private static void Describe(TestReport report, string replaced, TextWriter text)
    {
        text.WriteLine(
            $"Tested {SizeText.Count(report.Volumes.Count, "volume")}; {SizeText.Count(report.Differences.Count, "difference")}; {SizeText.Count(report.ReplacedIndexVolumes.Count, "index volume")} {replaced}."
        );
        if (report.Left is { } left)
            text.WriteLine($"Left for other runs: {SizeText.Count(left.Volumes, "volume")}, {SizeText.Of(left.Bytes)}.");
        foreach (var difference in report.Differences)
            text.WriteLine($"{SafeText.Of(difference.Volume)}: {difference.Status} {SafeText.Of(difference.Key)}");
    }

    private static TimeSpan? ParseDuration(ArgumentResult result)
    {
        var text = CommonOptions.Text(result);
        try
        {
            if (Timeparser.ParseTimeSpan(text) is var duration && duration > TimeSpan.Zero)
                return duration;
        }
        catch (Exception ex) when (ex is FormatException or OverflowException or ArgumentException)
        {
            // As what is not a duration.
        }

        result.AddError($"{text} is not a duration; write 30m, 2h or 1D.");
        return null;
    }
}
