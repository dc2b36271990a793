using System.Diagnostics;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>Puts the work of techniques in turns with and without, so that what else the machine does meets both alike.</summary>
/// <param name="blocks">Blocks of the data.</param>
/// <param name="rounds">Rounds that count, after one that does not.</param>
internal sealed class TechniqueRunner(int blocks, int rounds)
{
    /// <summary>Measures one technique.</summary>
    /// <exception cref="InvalidOperationException">The answers differ: a fast wrong answer must not pass as a fast one.</exception>
    public TechniqueResult Run(Technique technique)
    {
        var entries = technique.Entries(blocks);
        var (before, after) = (new List<TechniqueCost>(), new List<TechniqueCost>());
        long? expected = null;
        for (var round = 0; round <= rounds; round++)
        {
            foreach (var with in round % 2 == 0 ? new[] { false, true } : [true, false])
            {
                var (cost, answer) = Measure(technique, entries, with);
                expected ??= answer;
                if (answer != expected)
                    throw new InvalidOperationException($"{technique.Name}: the answer is {answer} {(with ? "with" : "without")} the technique; it should be {expected}.");
                if (round > 0)
                    (with ? after : before).Add(cost);
            }
        }

        return new TechniqueResult(technique, entries, before, after);
    }

    private (TechniqueCost Cost, long Answer) Measure(Technique technique, int entries, bool with)
    {
        using var folder = new TempFolder();
        var held = GC.GetTotalMemory(forceFullCollection: true);
        using var trial = technique.Begin(new TrialSetup(folder, blocks), with);
        GC.Collect();
        var allocated = GC.GetTotalAllocatedBytes();
        var processor = Environment.CpuUsage.TotalTime;
        var clock = Stopwatch.GetTimestamp();
        trial.Run();
        var elapsed = Stopwatch.GetElapsedTime(clock);
        processor = Environment.CpuUsage.TotalTime - processor;
        allocated = GC.GetTotalAllocatedBytes() - allocated;
        held = GC.GetTotalMemory(forceFullCollection: true) - held + trial.Bytes();
        return (new TechniqueCost(processor.TotalMicroseconds / entries, elapsed.TotalMicroseconds / entries, (double)allocated / entries, (double)held / entries), trial.Answer());
    }
}
