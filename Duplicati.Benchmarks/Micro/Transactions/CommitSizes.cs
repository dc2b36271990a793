namespace Duplicati.Benchmarks.Micro.Transactions;

/// <summary>The transaction sizes that are compared.</summary>
internal static class CommitSizes
{
    /// <summary>Rows that every case handles in all.</summary>
    public static int Rows => BenchmarkScale.Of(1_000_000, 16_384);

    /// <summary>Rows a transaction: powers of four from 1 up, and all in one.</summary>
    public static IEnumerable<int> All
    {
        get
        {
            for (var size = 1; size < Rows; size *= 4)
                yield return size;
            yield return Rows;
        }
    }
}
