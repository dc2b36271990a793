namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>What one operation cost, as its own process saw it.</summary>
/// <param name="WallSeconds">Elapsed time of the operation.</param>
/// <param name="CpuSeconds">Processor time of the whole process, its start included.</param>
/// <param name="PeakBytes">Largest working set.</param>
/// <param name="WrittenBytes">Bytes handed to the file system for writing; -1 where the system does not say.</param>
internal sealed record StepResult(double WallSeconds, double CpuSeconds, long PeakBytes, long WrittenBytes);
