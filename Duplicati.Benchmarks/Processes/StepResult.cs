namespace Duplicati.Benchmarks.Processes;

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
