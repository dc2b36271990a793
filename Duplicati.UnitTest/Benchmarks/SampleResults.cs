using System.Text.Json;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Reports;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Small made-up result files.</summary>
internal static class SampleResults
{
    internal const string Door10 = "blocks/SelectBlocks(TableRows=10, Way=door) over provider";

    /// <summary>Two ways and two sizes; the door takes 1 ms, the provider so many.</summary>
    internal static void WriteMicro(string folder, double providerMilliseconds, string group = "blocks", bool isQuick = true, double spread = 0.01, string commit = "abc")
    {
        var results = Micro(group, isQuick, commit) with
        {
            Cases =
            [
                .. from size in (int[])[10, 1000]
                   from way in (string[])["provider", "door"]
                   select Case(size, way, way == "door" ? 1e6 : providerMilliseconds * 1e6, spread),
            ],
        };
        Write(folder, results);
    }

    /// <summary>Two ways with one and with eight threads each.</summary>
    internal static void WriteThreads(string folder)
    {
        var results = Micro("threads", true, "abc") with
        {
            Cases =
            [
                .. from threads in (int[])[1, 8]
                   from way in (string[])["own", "shared"]
                   select Case(threads, way, threads * 1e6, 0.01) with
                   {
                       Class = "ThreadReads",
                       Parameters = new Dictionary<string, string> { ["Journal"] = "WAL", ["Way"] = way, ["Threads"] = $"{threads}" },
                       BaselineValue = "own",
                   },
            ],
        };
        Write(folder, results);
    }

    /// <summary>What an end-to-end run writes: stock takes 4, 8 and 6 seconds, default 3, 1 and 2, half of it processor time of all.</summary>
    internal static void WriteEndToEnd(string folder)
    {
        var results = new Dictionary<(string Contender, string Operation), List<StepResult>>();
        foreach (var operation in EndToEndRun.Operations)
        {
            results[("stock", operation)] = [.. Runs(4, 8, 6)];
            results[("default", operation)] = [.. Runs(3, 1, 2)];
        }

        new EndToEndReport(new EndToEndOptions { Output = folder, Presets = ["stock", "default"] }, results).Write();
    }

    private static MicroResults Micro(string group, bool isQuick, string commit) => new()
    {
        Group = group,
        Command = $"micro --quick --group {group}",
        IsQuick = isQuick,
        Environment = new RunEnvironment { Machine = "2 processors", Runtime = ".NET", Sqlite = "3.35.5", Commit = commit, Seed = 7, Durability = "WAL", Date = "2026-01-02", Load = 0.5 },
        Cases = [],
    };

    private static void Write(string folder, MicroResults results)
    {
        Directory.CreateDirectory(Path.Combine(folder, results.Group));
        File.WriteAllText(Path.Combine(folder, results.Group, MicroResults.FileName), JsonSerializer.Serialize(results, ResultFolder.Json));
    }

    private static IEnumerable<StepResult> Runs(params double[] seconds) => seconds.Select(x => new StepResult(x, x / 2, 1 << 20, 2 << 20));

    private static MicroCase Case(int size, string way, double nanoseconds, double spread) => new()
    {
        Class = "SelectBlocks",
        Parameters = new Dictionary<string, string> { ["TableRows"] = size.ToString(System.Globalization.CultureInfo.InvariantCulture), ["Way"] = way },
        BaselineParameter = "Way",
        BaselineValue = "provider",
        MedianNanoseconds = nanoseconds,
        LowerNanoseconds = nanoseconds * (1 - spread),
        UpperNanoseconds = nanoseconds * (1 + spread),
        Repetitions = 3,
        Rows = 1000,
        WrittenBytes = 3 << 20,
        FileBytes = null,
        AllocatedBytes = 2000,
    };
}
