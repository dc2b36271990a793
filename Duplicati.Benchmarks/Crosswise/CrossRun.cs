using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Crosswise;

/// <summary>Has each contender work with the backups and databases of each other one, plain and encrypted.</summary>
/// <param name="options">What to back up, and who.</param>
/// <param name="command">The command line that repeats it.</param>
/// <param name="log">Gets the progress.</param>
internal sealed class CrossRun(EndToEndOptions options, string command, TextWriter log)
{
    private readonly List<CrossRow> m_rows = [];
    private readonly SortedDictionary<string, string> m_programs = new(StringComparer.Ordinal);

    /// <summary>What there is so far.</summary>
    public CrossResults Results => new(command, EndToEndEnvironment.Of(options, m_programs), [.. m_rows]);

    /// <summary>Runs all; what goes wrong is in the results. Those are on the disk after each pair.</summary>
    /// <param name="passphrases">The passphrase of each round; null for plain volumes.</param>
    /// <param name="token">Interrupts.</param>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    public async Task RunAsync(IEnumerable<string?> passphrases, CancellationToken token)
    {
        using var work = WorkFolder.Open(options);
        try
        {
            await new ContenderTrial(options, work.Path, log).RunAllAsync((name, program) => m_programs[name] = program, token).ConfigureAwait(false);
            var source = await SourceData.MakeAsync(options, Path.Combine(work.Path, "source"), log, token).ConfigureAwait(false);
            foreach (var passphrase in passphrases)
                await RunAsync(work, source, options with { Passphrase = passphrase, IsEncrypted = passphrase is not null }, token).ConfigureAwait(false);
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

    private async Task RunAsync(WorkFolder work, string source, EndToEndOptions chosen, CancellationToken token)
    {
        var contenders = Peer.Contenders(chosen);
        foreach (var (first, second) in contenders.SelectMany(first => contenders.Where(second => second != first).Select(second => (first, second))))
        {
            await RunAsync(work, source, chosen, first, second, BackupOfAnother.RunAsync, token).ConfigureAwait(false);
            await RunAsync(work, source, chosen, first, second, HandToHand.RunAsync, token).ConfigureAwait(false);
        }
    }

    private async Task RunAsync(WorkFolder work, string source, EndToEndOptions chosen, Peer first, Peer second, Func<CrossPair, CancellationToken, Task<CrossRow>> run, CancellationToken token)
    {
        var folder = Path.Combine(work.Path, FormattableString.Invariant($"{m_rows.Count + 1}-{first.Name}-{second.Name}"));
        var pair = new CrossPair(new CrossProgram(first, chosen, folder), new CrossProgram(second, chosen, folder), chosen, folder, log);
        await ChangedTree.CopyAsync(source, pair.Tree, token).ConfigureAwait(false);
        var row = await run(pair, token).ConfigureAwait(false);
        m_rows.Add(row);
        CrossReport.Write(Results, options.Output);
        if (row.Cells.Any(cell => cell.Outcome != CrossOutcome.Good))
            work.Keep = true;
        else if (!options.Keep)
            Directory.Delete(folder, recursive: true);
    }
}
