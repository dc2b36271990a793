// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Scale;

/// <summary>What is measured.</summary>
/// <param name="Backups">The databases, fewest versions first.</param>
/// <param name="Operations">The operations.</param>
/// <param name="Ways">The ways.</param>
/// <param name="Rounds">Rounds.</param>
/// <param name="Once">Statements that take longer than this on the clock are not measured again.</param>
internal sealed record VersionRequest(
    IReadOnlyList<VersionedBackup> Backups,
    IReadOnlyList<VersionOperation> Operations,
    IReadOnlyList<string> Ways,
    int Rounds,
    TimeSpan Once
);

/// <summary>
/// Measures operations on databases with many versions, the ways in turns. What only reads shares one file; what changes has a fresh copy
/// each time.
/// </summary>
/// <param name="request">What to measure.</param>
/// <param name="folder">An empty folder for the databases.</param>
/// <param name="log">Gets a line for each measurement.</param>
internal sealed class VersionScale(VersionRequest request, string folder, TextWriter log)
{
    private readonly List<ScaleResult> m_results = [];

    private string Template => Path.Combine(folder, "template.sqlite");

    private string Shared => Path.Combine(folder, "shared.sqlite");

    private string Work => Path.Combine(folder, "work.sqlite");

    /// <summary>What has been measured so far.</summary>
    public IReadOnlyList<ScaleResult> Results => m_results;

    /// <summary>Makes each database, measures all operations on it, and removes it.</summary>
    /// <exception cref="InvalidOperationException">Two ways gave different answers.</exception>
    public void Run(CancellationToken token)
    {
        foreach (var backup in request.Backups)
            Run(backup, token);
    }

    private void Run(VersionedBackup backup, CancellationToken token)
    {
        try
        {
            backup.Make(Template);
            var size = new FileInfo(Template).Length >> 20;
            log.WriteLine(FormattableString.Invariant($"{backup.Versions} versions: {backup.Entries} entries in {size} MiB"));
            File.Copy(Template, Shared);
            var results = (
                from operation in request.Operations
                from way in ScaleWays.All.Where(request.Ways.Contains)
                let item = new ScaleCase(operation.Name, way, ScaleGoals.Presets[0], backup.Versions, backup.BlocksPerFile)
                select (operation, new ScaleResult(item, operation.Row, operation.Rows(backup)))
            ).ToList();
            m_results.AddRange(results.Select(x => x.Item2));
            for (var round = 0; round < request.Rounds; round++)
            {
                foreach (var (operation, result) in round % 2 == 0 ? results : results.AsEnumerable().Reverse())
                    Measure(operation, result, backup, token);
            }
        }
        finally
        {
            Remove("");
        }
    }

    private void Measure(VersionOperation operation, ScaleResult result, VersionedBackup backup, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var way = result.Case.Way;
        if (way != ScaleWays.Api && result.Costs.Any(cost => cost.Clock > request.Once.TotalSeconds))
            return;
        if (operation.Changes)
            File.Copy(Template, Work);
        GC.Collect();
        var path = operation.Changes ? Work : Shared;
        var (cost, answer) = Run(operation, way, path, backup);
        if (operation.Changes)
        {
            // What is left counts, too.
            answer += BlockContent.LeftIn(path);
            Remove(Path.GetFileName(Work));
        }

        result.Add(cost, answer, m_results);
        var name = $"{backup.Versions} versions, {operation.Name}, {way}";
        log.WriteLine(FormattableString.Invariant($"{name}: {cost.Processor:F3} s of processor time"));
    }

    private static (ScaleCost Cost, long Answer) Run(VersionOperation operation, string way, string path, VersionedBackup backup)
    {
        var (clock, answer) = (new ScaleClock(), 0L);
        var (opened, run) = operation.Open(way, path, backup);
        try
        {
            clock.Time(() => answer = run());
        }
        finally
        {
            if (operation.Changes)
                clock.Time(opened.Dispose);
            else
                opened.Dispose();
        }

        return (clock.Cost, answer);
    }

    private void Remove(string name)
    {
        foreach (var file in Directory.GetFiles(folder, name + "*"))
            File.Delete(file);
    }
}
