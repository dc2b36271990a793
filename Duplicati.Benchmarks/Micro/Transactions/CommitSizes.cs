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
            var step = BenchmarkScale.Of(4, 16);
            for (var size = 1; size < Rows; size *= step)
                yield return size;
            yield return Rows;
        }
    }
}
