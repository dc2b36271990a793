namespace Duplicati.Benchmarks.Large;

/// <summary>What is to be measured.</summary>
/// <param name="Blocks">Numbers of blocks.</param>
/// <param name="Presets">Names of presets.</param>
/// <param name="Steps">Steps to be reported; those that they need are made, too.</param>
/// <param name="Rounds">Rounds.</param>
/// <param name="CountsFlushes">Whether flushes are counted.</param>
internal sealed record LargeOptions(IReadOnlyList<long> Blocks, IReadOnlyList<string> Presets, IReadOnlyList<string> Steps, int Rounds, bool CountsFlushes);

/// <summary>Measures all steps, presets and sizes.</summary>
/// <param name="options">What to measure.</param>
/// <param name="scratch">Where the databases are made, and removed.</param>
/// <param name="log">Gets a line for each step.</param>
internal sealed class LargeRun(LargeOptions options, string scratch, TextWriter log)
{
    private readonly List<(LargeCase Case, LargeSample Sample)> m_samples = [];

    /// <summary>What has been measured so far.</summary>
    internal IReadOnlyList<(LargeCase Case, LargeSample Sample)> Samples => m_samples;

    /// <summary>Runs all; what a stopped run has measured stays.</summary>
    /// <exception cref="InvalidOperationException">A step failed.</exception>
    internal async Task RunAsync(CancellationToken token)
    {
        for (var round = 0; round < options.Rounds; round++)
        {
            foreach (var preset in options.Presets)
            {
                foreach (var blocks in options.Blocks)
                {
                    var last = Array.FindLastIndex(LargeSteps.Chain, step => options.Steps.Contains(step));
                    await RunAsync(LargeSteps.Chain[..(last + 1)], preset, blocks, token).ConfigureAwait(false);
                    await RunAsync([.. options.Steps.Where(step => step == LargeSteps.Recreate)], preset, blocks, token).ConfigureAwait(false);
                }
            }
        }
    }

    private async Task RunAsync(string[] steps, string preset, long blocks, CancellationToken token)
    {
        var folder = Directory.CreateDirectory(Path.Combine(scratch, $"large-{Guid.NewGuid():N}"));
        try
        {
            foreach (var step in steps)
            {
                var (item, counts) = (new LargeCase(step, preset, blocks), options.Steps.Contains(step));
                var sample = await LargeProcess.RunAsync(item, folder.FullName, counts && options.CountsFlushes, token).ConfigureAwait(false);
                await log.WriteLineAsync(Line(item, sample)).ConfigureAwait(false);
                if (counts)
                    m_samples.Add((item, sample));
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private static string Line(LargeCase item, LargeSample sample)
    {
        var blocks = new LargeBackup(item.Blocks).BlocksOf(item.Step);
        return FormattableString.Invariant(
            $"{item.Step}, {item.Preset}, {item.Blocks} blocks: {sample.Cost.Processor / blocks:F2} µs of processor a block, {sample.Cost.Clock / blocks:F2} on the clock, {sample.Cost.PeakBytes >> 20} MiB of memory, {sample.DiskBytes >> 20} MiB of disk for {sample.FileBytes >> 20} MiB");
    }
}
