namespace Duplicati.Benchmarks.Micro.Threads;

/// <summary>The ways several threads use one database.</summary>
internal static class ThreadWays
{
    /// <summary>A connection for each thread.</summary>
    internal const string Own = "own";

    /// <summary>One connection, which the threads use in turns, a batch each.</summary>
    internal const string Shared = "shared";

    /// <summary>A connection for each thread, opened for reading only.</summary>
    internal const string ReadOnly = "read-only";

    /// <summary>A connection for each thread on one page cache with table locks, which no busy timeout waits for.</summary>
    internal const string SharedCache = "shared cache";
}
