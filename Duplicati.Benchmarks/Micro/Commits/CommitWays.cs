namespace Duplicati.Benchmarks.Micro.Commits;

/// <summary>The ways several writers commit single rows.</summary>
internal static class CommitWays
{
    /// <summary>Each writer has a connection and commits for itself; the engine lets the others wait for the write lock.</summary>
    internal const string Own = "own connection";

    /// <summary>The writers take turns on one connection, a commit each.</summary>
    internal const string Turns = "one connection in turns";

    /// <summary>Each writer hands its row to the queue and waits until it is durable.</summary>
    internal const string Queue = "queue";

    /// <summary>As <see cref="Queue"/>, but a writer waits for its rows only at the end.</summary>
    internal const string Ahead = "queue, ahead";
}
