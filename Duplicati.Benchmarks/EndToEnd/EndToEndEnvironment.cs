using System.Runtime.InteropServices;
using Duplicati.Benchmarks.Results;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Where, with what and on what an end-to-end run is made.</summary>
internal static class EndToEndEnvironment
{
    /// <summary>All of it, by name.</summary>
    /// <param name="options">What is done.</param>
    /// <param name="programs">What each contender is.</param>
    public static Dictionary<string, string> Of(EndToEndOptions options, IEnumerable<KeyValuePair<string, string>> programs)
    {
        var environment = new Dictionary<string, string>
        {
            ["machine"] = RunEnvironment.CurrentMachine,
            ["commit"] = RunEnvironment.CurrentCommit,
            ["runtime"] = RuntimeInformation.FrameworkDescription,
            ["provider"] = RunEnvironment.CurrentProvider,
            ["SQLite"] = RunEnvironment.CurrentSqlite,
            ["durability"] = "default, throughput: " + RunEnvironment.WriteAheadLog + "; stock: DELETE journal, synchronous FULL",
            ["data"] = options.Data,
        };
        foreach (var (contender, program) in programs)
            environment[$"program {contender}"] = program;
        return environment;
    }
}
