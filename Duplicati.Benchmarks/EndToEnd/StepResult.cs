namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What one operation cost.</summary>
/// <param name="WallSeconds">Elapsed time from the start of the program to its end.</param>
/// <param name="CpuSeconds">Processor time, user and system, of the program and all processes below it.</param>
/// <param name="PeakBytes">Largest resident memory of one of these processes; -1 where the system does not say.</param>
/// <param name="WrittenBytes">Bytes that they handed to the system for writing; -1 where the system does not say.</param>
internal sealed record StepResult(double WallSeconds, double CpuSeconds, long PeakBytes, long WrittenBytes)
{
    /// <summary>The round, from 1; 0 in results from before it was noted.</summary>
    public int Round { get; init; }

    /// <summary>Exit code: 0 done, 1 done without changes, 2 done with warnings.</summary>
    public int ExitCode { get; init; }
}

/// <summary>An operation that failed.</summary>
/// <param name="Contender">Who failed.</param>
/// <param name="Operation">Title of the operation.</param>
/// <param name="Round">The round, from 1.</param>
/// <param name="ExitCode">Exit code of the program; null if it did not start, or if what it did is wrong.</param>
/// <param name="Lines">What is wrong, or the last lines that it wrote.</param>
internal sealed record StepFailure(string Contender, string Operation, int Round, int? ExitCode, IReadOnlyList<string> Lines);
