namespace Duplicati.Benchmarks.Profile;

/// <summary>What a process was doing at one moment.</summary>
/// <param name="Process">Id of the process.</param>
/// <param name="Frames">The stack, the function at work first; it ends early where a function keeps no frame pointer.</param>
internal sealed record PerfSample(int Process, IReadOnlyList<PerfFrame> Frames);
