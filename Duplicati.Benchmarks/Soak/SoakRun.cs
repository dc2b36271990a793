using System.Diagnostics;

namespace Duplicati.Benchmarks.Soak;

/// <summary>Runs rounds of one row until its figure is reached or the time is over.</summary>
/// <param name="statePath">The file that holds what was reached.</param>
/// <param name="round">Runs one round: row, seed, how many. Null if it passed, or what the test said.</param>
/// <param name="log">Takes a line a round.</param>
internal sealed class SoakRun(string statePath, Func<SoakRow, int, long, CancellationToken, Task<string?>> round, TextWriter log)
{
    /// <summary>That many failed rounds in a row end a run: what is wrong then is not a matter of the seed.</summary>
    internal const int MostInARow = 5;

    /// <summary>Runs one row. A round that fails is kept with its seed, and the next one begins.</summary>
    /// <param name="row">The row.</param>
    /// <param name="seed">The first seed; null for one after the last that is on record, or one of the clock.</param>
    /// <param name="time">No round begins after this; null for as long as it takes.</param>
    /// <param name="token">Ends it; what was done before is on record, the round at work is not.</param>
    /// <returns>How many rounds failed now.</returns>
    /// <exception cref="InvalidDataException">The file is no such file.</exception>
    public async Task<int> RunAsync(SoakRow row, int? seed, TimeSpan? time, CancellationToken token)
    {
        var state = SoakState.Read(statePath);
        var progress = state.Of(row);
        var next = seed ?? Next(progress);
        int failed = 0, inARow = 0;
        var clock = Stopwatch.StartNew();
        while (progress.Done < row.Figure && inARow < MostInARow && (time is null || clock.Elapsed < time))
        {
            var count = Math.Min(row.Round, row.Figure - progress.Done);
            var start = clock.Elapsed;
            var failure = await round(row, next, count, token).ConfigureAwait(false);
            progress.Seconds += (clock.Elapsed - start).TotalSeconds;
            if (failure is null)
            {
                progress.Done += count;
                progress.Seeds.Add(next);
                inARow = 0;
            }
            else
            {
                failed++;
                inARow++;
                progress.Failures.Add(new SoakFailure(next, failure));
            }

            state.Write(statePath);
            await log.WriteLineAsync(FormattableString.Invariant($"{row.Name}: seed {next}, {(failure is null ? "passed" : "FAILED")}; {progress.Done} of {row.Figure} {row.Unit}, {progress.Seconds:F0} s")).ConfigureAwait(false);
            next++;
        }

        if (inARow == MostInARow)
            await log.WriteLineAsync(FormattableString.Invariant($"{row.Name}: stopped, because {MostInARow} rounds in a row failed")).ConfigureAwait(false);
        return failed;
    }

    /// <summary>What a row has come to, in one line.</summary>
    public static string Describe(SoakRow row, SoakProgress progress)
    {
        var seeds = progress.Seeds.Count == 0 ? "" : FormattableString.Invariant($", seeds {progress.Seeds[0]} to {progress.Seeds[^1]}");
        return FormattableString.Invariant($"{row.Name,-13}{progress.Done} of {row.Figure} {row.Unit}, {progress.Failures.Count} failures, {progress.Seconds:F0} s{seeds}: {row.Promise}");
    }

    private static int Next(SoakProgress progress)
    {
        var seeds = progress.Seeds.Concat(progress.Failures.Select(x => x.Seed)).ToList();
        return seeds.Count > 0 ? seeds.Max() + 1 : Environment.TickCount & 0xffffff;
    }
}
