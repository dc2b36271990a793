// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Small made-up result files.</summary>
internal static class SampleResults
{
    internal const string Api10 = "blocks/SelectBlocks(TableRows=10, Way=API) over provider";

    /// <summary>Two ways and two sizes; the API takes 1 ms, the provider so many.</summary>
    internal static void WriteMicro(
        string folder,
        double providerMilliseconds,
        string group = "blocks",
        bool isQuick = true,
        double spread = 0.01,
        string commit = "abc",
        string sqlite = "3.35.5",
        int repetitions = 3,
        uint apiAnswer = 0xcafe
    )
    {
        var results = Micro(group, isQuick, commit, sqlite) with
        {
            Cases =
            [
                .. from size in (int[])[10, 1000]
                from way in (string[])["provider", "API"]
                select Case(size, way, way == "API" ? 1e6 : providerMilliseconds * 1e6, spread) with
                {
                    Repetitions = repetitions,
                    Answer = way == "API" ? apiAnswer : 0xcafe,
                },
            ],
        };
        Write(folder, results);
    }

    /// <summary>Two ways with one and with eight writers each.</summary>
    internal static void WriteThreads(string folder)
    {
        var results = Micro("commits", true, "abc") with
        {
            Cases = [.. from writers in (int[])[1, 8] from way in (string[])["own connection", "queue"] select Commits(writers, way)],
        };
        Write(folder, results);
    }

    /// <summary>The table of some command, with one ratio.</summary>
    internal static void WriteTable(string folder, double ratio = 2.5) =>
        new TableResults
        {
            Title = "Some table",
            Command = "some --thing",
            Environment = Micro("none", true, "abc").Environment,
            Note = "What it means.",
            Texts = ["what"],
            Figures = ["much"],
            Rows =
            [
                ["a | b", "2.50"],
            ],
            Ratios = [new SpeedUp("some/thing", "seed 7", ratio, ratio, ratio, 3)],
        }.Write(folder, "some");

    /// <summary>
    /// What an end-to-end run writes: stock takes 4, 8 and 6 seconds, default 3, 1 and 2, half of it processor time of all.
    /// </summary>
    internal static void WriteEndToEnd(string folder)
    {
        Directory.CreateDirectory(folder);
        File.WriteAllText(Path.Combine(folder, EndToEndResults.FileName), JsonSerializer.Serialize(EndToEnd(), ResultFile.Json));
    }

    /// <summary>The same, not written.</summary>
    internal static EndToEndResults EndToEnd() =>
        new()
        {
            Command = "e2e --presets stock default --repeat 3",
            Environment = new Dictionary<string, string>
            {
                ["machine"] = "2 processors",
                ["commit"] = "abc",
                ["data"] = "100 MB",
                ["SQLite"] = "3.35.5",
            },
            Options = new EndToEndOptions { Presets = ["stock", "default"] },
            Results =
            [
                .. TimedOperation.All.Select(operation => new EndToEndSeries("stock", operation.Title, [.. Runs(4, 8, 6)])),
                .. TimedOperation.All.Select(operation => new EndToEndSeries("default", operation.Title, [.. Runs(3, 1, 2)])),
            ],
            Database =
            [
                .. DatabaseOperation.All.Select(operation => new EndToEndSeries("plain", operation.Title, [.. Runs(4, 8, 6)])),
                .. DatabaseOperation.All.Select(operation => new EndToEndSeries("this", operation.Title, [.. Runs(3, 1, 2)])),
            ],
            Failures = [new StepFailure("default", "compact", 4, 100, ["It is broken."])],
        };

    internal static MicroResults Micro(string group, bool isQuick, string commit, string sqlite = "3.35.5") =>
        new()
        {
            Group = group,
            Command = $"micro --quick --group {group}",
            IsQuick = isQuick,
            Environment = new RunEnvironment
            {
                Machine = "2 processors",
                Runtime = ".NET",
                Sqlite = sqlite,
                Provider = "6.0.7",
                Processors = 2,
                Commit = commit,
                Seed = 7,
                Durability = "WAL",
                Date = "2026-01-02",
                Load = 0.5,
            },
            Cases = [],
        };

    internal static void Write(string folder, MicroResults results)
    {
        Directory.CreateDirectory(Path.Combine(folder, results.Group));
        File.WriteAllText(Path.Combine(folder, results.Group, MicroResults.FileName), JsonSerializer.Serialize(results, ResultFile.Json));
    }

    private static IEnumerable<StepResult> Runs(params double[] seconds) =>
        seconds.Select((x, round) => new StepResult(x, x / 2, 1 << 20, 2 << 20) { Round = round + 1 });

    /// <summary>What some writers did in a way.</summary>
    internal static MicroCase Commits(int writers, string way) =>
        Case(writers, way, writers * 1e6, 0.01) with
        {
            Class = "CommitRows",
            Parameters = new Dictionary<string, string> { ["Way"] = way, ["Writers"] = $"{writers}" },
            BaselineValue = "own connection",
        };

    internal static MicroCase Case(int size, string way, double nanoseconds, double spread) =>
        new()
        {
            Class = "SelectBlocks",
            Parameters = new Dictionary<string, string>
            {
                ["TableRows"] = size.ToString(System.Globalization.CultureInfo.InvariantCulture),
                ["Way"] = way,
            },
            BaselineParameter = "Way",
            BaselineValue = "provider",
            MedianNanoseconds = nanoseconds,
            LowerNanoseconds = nanoseconds * (1 - spread),
            UpperNanoseconds = nanoseconds * (1 + spread),
            ProcessorNanoseconds = [nanoseconds / 2, nanoseconds * (1 - spread) / 2, nanoseconds * (1 + spread) / 2],
            Repetitions = 3,
            Rows = 1000,
            WrittenBytes = 3 << 20,
            FileBytes = null,
            AllocatedBytes = 2000,
        };
}
