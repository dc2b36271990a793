using Duplicati.Benchmarks.EndToEnd;

namespace Duplicati.Benchmarks.Profile;

/// <summary>Runs the operations of the engine in processes of their own that perf samples, and counts the samples by part.</summary>
/// <param name="options">What to do; the first preset is sampled.</param>
/// <param name="perf">The sampler.</param>
/// <param name="log">Gets the progress.</param>
internal sealed class ProfileRun(EndToEndOptions options, PerfTool perf, TextWriter log)
{
    private readonly Dictionary<TimedOperation, OperationProfile> m_profiles = options.Timed.ToDictionary(operation => operation, operation => new OperationProfile(operation.Title));

    /// <summary>Runs all rounds.</summary>
    /// <returns>The operations in their order.</returns>
    /// <exception cref="ProfileException">Nothing can be sampled, or an operation failed.</exception>
    /// <exception cref="EndToEndException">It cannot begin.</exception>
    public async Task<IReadOnlyList<OperationProfile>> RunAsync(CancellationToken token)
    {
        using var work = WorkFolder.Open(options);
        await perf.TryAsync(work.Path, token).ConfigureAwait(false);
        var source = await SourceData.MakeAsync(options, Path.Combine(work.Path, "source"), log, token).ConfigureAwait(false);
        var samples = Directory.CreateDirectory(Path.Combine(work.Path, "samples")).FullName;
        // Its times are those of a program that is sampled, and go with the work folder.
        var store = EndToEndStore.Open(options with { Output = samples }, "profile");
        for (var round = 1; round <= options.Repeat; round++)
        {
            var folder = Path.Combine(work.Path, FormattableString.Invariant($"round-{round}"));
            if (!await new ContenderRound(Sampled(samples), round, options, store, log).RunAsync(source, folder, token).ConfigureAwait(false))
            {
                work.Keep = true;
                throw new ProfileException($"An operation failed, as told above; its files are in {folder}.");
            }

            foreach (var operation in TimedOperation.All)
                await CountAsync(operation, SamplesOf(samples, operation), token).ConfigureAwait(false);
            Directory.Delete(folder, recursive: true);
        }

        return [.. options.Timed.Select(operation => m_profiles[operation])];
    }

    private static string SamplesOf(string folder, TimedOperation operation) => Path.Combine(folder, operation.Key + ".perf");

    private Peer Sampled(string folder)
    {
        var engine = Peer.Contenders(options)[0];
        return engine with { Environment = engine.Environment.Concat(PerfTool.Environment).ToDictionary(), Before = operation => perf.Record(SamplesOf(folder, operation)) };
    }

    // Those that are run because others need them are read too: what they leave is removed then.
    private async Task CountAsync(TimedOperation operation, string file, CancellationToken token)
    {
        if (!File.Exists(file))
            return;

        var profile = m_profiles.GetValueOrDefault(operation);
        await perf.ReadAsync(file, sample => profile?.Add(SampleAttribution.PartOf(sample)), token).ConfigureAwait(false);
        File.Delete(file);
        if (profile is not null)
            await log.WriteLineAsync(FormattableString.Invariant($"{operation.Title}: {profile.Samples} samples so far, {profile.LayerPercent:F1} % in the data layer")).ConfigureAwait(false);
    }
}
