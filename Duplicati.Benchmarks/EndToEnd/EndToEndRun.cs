using Duplicati.Engine.Data;

namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Times contenders in turns on the same data: each makes a round of all operations, then the next; who begins changes from round to round.</summary>
internal sealed class EndToEndRun(EndToEndOptions options, EndToEndStore store, TextWriter log)
{
    private const long SmallestVolume = 1024 * 1024;

    /// <summary>Runs what the store does not have yet. A contender that fails is left out from then on; the others go on.</summary>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    public async Task RunAsync(CancellationToken token)
    {
        using var work = WorkFolder.Open(options);
        try
        {
            await RunAsync(work, token).ConfigureAwait(false);
        }
        catch (Exception ex) when (ex is not OperationCanceledException)
        {
            work.Keep = true;
            throw;
        }
        finally
        {
            if (work.Keep)
                await log.WriteLineAsync($"The work folder is kept: {work.Path}").ConfigureAwait(false);
        }
    }

    private async Task RunAsync(WorkFolder work, CancellationToken token)
    {
        if (options.Peers.Count > 0 && options.VolumeSize < SmallestVolume)
            await log.WriteLineAsync("Warning: a release of Duplicati makes no volumes under 1 MB, whatever --dblock-size says.").ConfigureAwait(false);
        var contenders = Peer.Contenders(options);
        var trial = new ContenderTrial(options, work.Path, log);
        foreach (var contender in contenders)
            store.AddProgram(contender.Name, await trial.RunAsync(contender, token).ConfigureAwait(false));

        var source = await MakeSourceAsync(Path.Combine(work.Path, "source"), token).ConfigureAwait(false);
        var failed = new HashSet<Peer>();
        for (var round = 1; round <= options.Repeat; round++)
        {
            for (var turn = 0; turn < contenders.Count; turn++)
            {
                var contender = contenders[(round - 1 + turn) % contenders.Count];
                if (failed.Contains(contender) || store.IsComplete(contender.Name, round))
                    continue;
                var folder = Path.Combine(work.Path, FormattableString.Invariant($"{contender.Name}-{round}"));
                if (await new ContenderRound(contender, round, options, store, log).RunAsync(source, folder, token).ConfigureAwait(false))
                {
                    if (!options.Keep)
                        Directory.Delete(folder, recursive: true);
                    continue;
                }

                failed.Add(contender);
                work.Keep = true;
            }
        }
    }

    private async Task<string> MakeSourceAsync(string folder, CancellationToken token)
    {
        if (options.Source is { } given)
            return given;

        await log.WriteLineAsync($"Generating {options.TotalBytes} bytes in {options.Files} files (seed {options.Seed})").ConfigureAwait(false);
        var source = new SourceOptions { TotalBytes = options.TotalBytes, Files = options.Files, MaxFileBytes = Math.Max(10 * 1024 * 1024, options.TotalBytes / 10), SparsePercent = 30, Seed = options.Seed };
        await SourceGenerator.GenerateAsync(folder, source, token).ConfigureAwait(false);
        return folder;
    }
}
