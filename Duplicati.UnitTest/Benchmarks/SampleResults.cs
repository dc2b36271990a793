// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;
using Duplicati.Benchmarks.Replay;
using Duplicati.Benchmarks.Results;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Small made-up results.</summary>
internal static class SampleResults
{
    /// <summary>A ratio of each table.</summary>
    internal const string Ratio = "some/thing, API over provider";

    /// <summary>Where they come from.</summary>
    internal static RunEnvironment Environment { get; } =
        new()
        {
            Machine = "2 processors",
            Runtime = ".NET",
            Sqlite = "3.35.5",
            Provider = "6.0.7",
            Processors = 2,
            Commit = "abc",
            Seed = 7,
            Durability = "WAL",
            Date = "2026-01-02",
            Load = 0.5,
        };

    /// <summary>The table of some command, with one ratio.</summary>
    internal static TableResults Table(
        double ratio,
        double spread = 0.01,
        string setting = "seed 7",
        string name = Ratio,
        int repetitions = 3
    )
    {
        var speedUp = new SpeedUp(name, setting, ratio, ratio * (1 - spread), ratio * (1 + spread), repetitions);
        return new TableResults
        {
            Title = "Some table",
            Command = "some --thing",
            Environment = Environment,
            Note = "What it means.",
            Texts = ["what"],
            Figures = ["much"],
            Rows =
            [
                ["a | b", "2.50"],
            ],
            Ratios = [speedUp],
            Chart = BarChart.Of("Some: chart", "Speed-up of some", [("a", 0, speedUp)]),
        };
    }

    /// <summary>
    /// What an end-to-end run found: stock takes 4, 8 and 6 seconds, default 3, 1 and 2, half of it processor time of all.
    /// </summary>
    internal static EndToEndResults EndToEnd() =>
        new()
        {
            Command = "e2e --presets stock default --repeat 3",
            Environment = Environment,
            Programs = { ["stock"] = "the engine" },
            Options = new EndToEndOptions { Presets = ["stock", "default"] },
            Runs =
            [
                .. TimedOperation.All.SelectMany(operation => Runs(false, "stock", operation.Title, 4, 8, 6)),
                .. TimedOperation.All.SelectMany(operation => Runs(false, "default", operation.Title, 3, 1, 2)),
                .. TimedOperation.InDatabase.SelectMany(operation => Runs(true, "plain", operation.Part!, 4, 8, 6)),
                .. TimedOperation.InDatabase.SelectMany(operation => Runs(true, "this", operation.Part!, 3, 1, 2)),
            ],
            Failures = [new StepFailure("default", "compact", 4, 100, ["It is broken."])],
        };

    private static IEnumerable<StoredRun> Runs(bool isDatabase, string contender, string operation, params double[] seconds) =>
        seconds.Select(
            (x, round) => new StoredRun(isDatabase, contender, operation, new StepResult(x, x / 2, 1 << 20, 2 << 20) { Round = round + 1 })
        );
}
