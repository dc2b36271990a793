namespace Duplicati.Benchmarks.Micro;

/// <summary>What the running benchmark knows about itself: collected by the benchmark, turned into columns by <see cref="DatabaseDiagnoser"/>.</summary>
/// <remarks>Benchmarks run one after the other in this process, so there is one record.</remarks>
internal sealed class BenchmarkRecord
{
    private long m_written;
    private long m_iterations;

    /// <summary>The record of the benchmark that is running.</summary>
    public static BenchmarkRecord Current { get; private set; } = new();

    /// <summary>Rows that one operation handles.</summary>
    public long Rows { get; set; } = 1;

    /// <summary>Size of the database at the end, bytes; 0 if it is not of interest.</summary>
    public long FileBytes { get; set; }

    /// <summary>What was found out, in one number that all contenders must agree on; null if a benchmark has none.</summary>
    public long? Answer { get; set; }

    /// <summary>Bytes that one operation wrote to files, average; null if unknown.</summary>
    public long? WrittenBytes => m_iterations == 0 ? null : m_written / m_iterations;

    /// <summary>Takes the record of the benchmark that has ended and starts one for the next.</summary>
    public static BenchmarkRecord Take()
    {
        var record = Current;
        Current = new BenchmarkRecord();
        return record;
    }

    /// <summary>Adds what one operation wrote.</summary>
    public void AddWritten(long bytes)
    {
        m_written += bytes;
        m_iterations++;
    }
}
