namespace Duplicati.Benchmarks.Micro.Batches;

/// <summary>The ways a batch of rows is inserted.</summary>
internal static class BatchWays
{
    /// <summary>A prepared command of Microsoft.Data.Sqlite, run for each row.</summary>
    internal const string Provider = "provider";

    /// <summary>A statement of the layer, run for each row.</summary>
    internal const string Statement = "statement";

    /// <summary><see cref="Library.SQLiteHelper.Statements.InsertBatch"/>: several rows a statement.</summary>
    internal const string Batch = "batch";
}
