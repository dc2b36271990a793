using System.Diagnostics;

namespace Duplicati.Benchmarks.Large;

/// <summary>Adds up what calls of the layer take: time on the clock, and processor time of the whole process.</summary>
internal sealed class LayerClock
{
    internal TimeSpan Elapsed { get; private set; }

    internal TimeSpan Processor { get; private set; }

    /// <summary>Adds what was timed elsewhere.</summary>
    internal void Add(TimeSpan elapsed, TimeSpan processor)
    {
        Elapsed += elapsed;
        Processor += processor;
    }

    /// <summary>Times a piece of work.</summary>
    internal async Task TimeAsync(Func<Task> work)
    {
        var (began, processor) = (Stopwatch.GetTimestamp(), Environment.CpuUsage.TotalTime);
        await work().ConfigureAwait(false);
        Add(Stopwatch.GetElapsedTime(began), Environment.CpuUsage.TotalTime - processor);
    }

    /// <summary>Times a piece of work that gives something.</summary>
    internal async Task<T> TimeAsync<T>(Func<Task<T>> work)
    {
        var result = default(T)!;
        await TimeAsync(async () => { result = await work().ConfigureAwait(false); }).ConfigureAwait(false);
        return result;
    }
}
