namespace Duplicati.Benchmarks.Micro.Blocks;

/// <summary>The ways a question about blocks is put.</summary>
internal static class BlockWays
{
    /// <summary>Prepared commands of Microsoft.Data.Sqlite.</summary>
    internal const string Provider = "provider";

    /// <summary>Prepared commands of Microsoft.Data.Sqlite through its asynchronous methods, as a chain of awaits.</summary>
    internal const string ProviderAsync = "provider async";

    /// <summary>Commands of Microsoft.Data.Sqlite made for each call.</summary>
    internal const string Unprepared = "unprepared";

    /// <summary>The C API through function pointers.</summary>
    internal const string Native = "native";

    /// <summary>The C API from a loop in C, compiled when the benchmarks start.</summary>
    internal const string CLoop = "C loop";

    /// <summary>Member by member at the layer's door.</summary>
    internal const string Door = "door";

    /// <summary>The layer behind its door: without a task for each call.</summary>
    internal const string Inside = "inside";

    /// <summary>The layer's batch members, with raw digests.</summary>
    internal const string Batch = "batch";

    /// <summary>All that answer every question. Without a C compiler its loop is left out, and a line on stderr says so once.</summary>
    internal static IEnumerable<string> All { get; } = CompiledLoop.IsAvailable
        ? [Provider, ProviderAsync, Unprepared, Native, CLoop, Door, Batch]
        : [Provider, ProviderAsync, Unprepared, Native, Door, Batch];

    /// <summary>Those to compare where a run takes long.</summary>
    internal static IEnumerable<string> Few { get; } = [Provider, Native, Door, Batch];
}
