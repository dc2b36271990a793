namespace Duplicati.Benchmarks.EndToEnd;

/// <summary>Times contenders in turns on the same data: each makes a round of all operations, then the next; who begins changes from round to round.</summary>
internal sealed class EndToEndRun(EndToEndOptions options, EndToEndStore store, TextWriter log)
{
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
        await new ContenderTrial(options, work.Path, log).RunAllAsync(store.AddProgram, token).ConfigureAwait(false);
        var source = await SourceData.MakeAsync(options, Path.Combine(work.Path, "source"), log, token).ConfigureAwait(false);
        var contenders = Peer.Contenders(options);
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
}
