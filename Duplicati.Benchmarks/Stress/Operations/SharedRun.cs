// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;
using System.Text;
using Duplicati.Benchmarks.Processes;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>What a run of several processes on one database does.</summary>
/// <param name="Processes">How many.</param>
/// <param name="Operations">Operations of each; <see cref="int.MaxValue"/> for no limit.</param>
/// <param name="Until">When no further operation begins (UTC).</param>
/// <param name="Seed">That of the first process; the others have the next ones.</param>
/// <param name="Folder">Takes everything.</param>
internal sealed record SharedOptions(int Processes, int Operations, DateTime Until, int Seed, string Folder)
{
    /// <summary>What is backed up first; null makes something.</summary>
    public string? Source { get; init; }
}

/// <summary>What came of it.</summary>
/// <param name="Counts">Operations by name.</param>
/// <param name="Refused">Those that could not be done beside the others, and have done nothing, by name.</param>
/// <param name="Wrong">Everything that went wrong; empty if nothing did.</param>
internal sealed record SharedResult(
    IReadOnlyDictionary<string, int> Counts,
    IReadOnlyDictionary<string, int> Refused,
    IReadOnlyList<string> Wrong
)
{
    /// <summary>In words.</summary>
    public string Text => $"{Listed(Counts, "operations")}, {Listed(Refused, "refused")}, {Wrong.Count} failures";

    private static string Listed(IReadOnlyDictionary<string, int> counts, string what) =>
        $"{counts.Values.Sum()} {what}{(counts.Count == 0 ? "" : $" ({string.Join(", ", counts.Select(x => $"{x.Value} {x.Key}"))})")}";
}

/// <summary>
/// Several processes work on one backup at the same time: nothing may be inconsistent, and what cannot be done is refused.
/// </summary>
/// <param name="options">How many, how long.</param>
/// <param name="log">Told of each failure at once, and now and then how far it is.</param>
internal sealed class SharedRun(SharedOptions options, TextWriter log)
{
    private const int FirstFiles = 20;
    private const int MostBytes = 150_000;

    private static readonly TimeSpan s_pace = TimeSpan.FromMinutes(1);

    private readonly Lock m_lock = new();
    private readonly SortedDictionary<string, int> m_counts = new(StringComparer.Ordinal);
    private readonly SortedDictionary<string, int> m_refused = new(StringComparer.Ordinal);
    private readonly List<string> m_wrong = [];
    private readonly Stopwatch m_clock = Stopwatch.StartNew();
    private TimeSpan m_told;

    private SharedResult Result => new(m_counts, m_refused, m_wrong);

    private string Remote => Path.Combine(options.Folder, "remote");

    private string Database => Path.Combine(options.Folder, "backup.sqlite");

    /// <summary>Runs it, and checks what is left. Interrupted, it checks what there is by then.</summary>
    public async Task<SharedResult> RunAsync(CancellationToken token)
    {
        var source = options.Source ?? MakeSource();
        await new BackupOperation(SharedWork.Options(Remote, Database), SilentProgress.Instance).RunAsync([source], CancellationToken.None);

        await Task.WhenAll(Enumerable.Range(0, options.Processes).Select(number => RunChildAsync(number, token)));
        token.ThrowIfCancellationRequested();
        await CheckAsync();
        return Result;
    }

    private string MakeSource()
    {
        var source = NewSource("source");
        var random = new Random(options.Seed);
        for (var i = 0; i < FirstFiles; i++)
            SharedWork.Write(source, FormattableString.Invariant($"file-{i}"), random.Next(MostBytes), random);
        return source;
    }

    private string NewSource(string name) => Directory.CreateDirectory(Path.Combine(options.Folder, name)).FullName;

    private async Task RunChildAsync(int number, CancellationToken token)
    {
        var source = NewSource(FormattableString.Invariant($"source-{number}"));
        string[] words = [Remote, Database, source, Text(options.Seed + number), Text(options.Operations), Text(options.Until.Ticks)];
        var start = ThisProgram.Start([SharedWork.Command, .. words]);
        start.RedirectStandardOutput = true;
        start.RedirectStandardError = true;
        using var process = Process.Start(start)!;
        using var killing = token.Register(() => process.Kill());
        var error = process.StandardError.ReadToEndAsync(CancellationToken.None);
        while (await process.StandardOutput.ReadLineAsync(CancellationToken.None) is { } line)
            Take(number, line);
        await process.WaitForExitAsync(CancellationToken.None);
        if ((process.ExitCode != 0 || (await error).Length > 0) && !token.IsCancellationRequested)
            Take(number, FormattableString.Invariant($"process: exit code {process.ExitCode}, {(await error).ReplaceLineEndings(" ")}"));
    }

    private void Take(int number, string line)
    {
        lock (m_lock)
        {
            var name = line.Split(':')[0];
            m_counts[name] = m_counts.GetValueOrDefault(name) + 1;
            if (line.StartsWith($"{name}: {SharedWork.Refused}", StringComparison.Ordinal))
            {
                m_refused[name] = m_refused.GetValueOrDefault(name) + 1;
                log.WriteLine(FormattableString.Invariant($"{DateTime.Now:HH:mm:ss} process {number}: {line}"));
            }
            else if (!line.EndsWith(": ", StringComparison.Ordinal))
            {
                m_wrong.Add(line);
                log.WriteLine(FormattableString.Invariant($"{DateTime.Now:HH:mm:ss} process {number}: {line}"));
            }

            if (m_clock.Elapsed - m_told < s_pace)
                return;
            m_told = m_clock.Elapsed;
            log.WriteLine(FormattableString.Invariant($"{DateTime.Now:HH:mm:ss} {Result.Text}"));
        }
    }

    // The database and each volume, and that a database made anew is equal.
    private async Task CheckAsync()
    {
        var engine = SharedWork.Options(Remote, Database);
        var report = await new VerifyOperation(engine, SilentProgress.Instance).RunAsync(false, CancellationToken.None);
        m_wrong.AddRange(report.Problems.Select(x => $"at the end: {x}"));
        var recreated = Path.Combine(options.Folder, "recreated.sqlite");
        var recreate = await new RecreateOperation(engine with { DatabasePath = recreated }, SilentProgress.Instance).RunAsync(
            CancellationToken.None
        );
        if (recreate.Problems > 0)
            m_wrong.Add(FormattableString.Invariant($"recreate at the end: {recreate.Problems} volumes could not be read"));
        var differences = await DumpOperation.CompareAsync(Database, recreated, DumpComparisonOptions.Logical, CancellationToken.None);
        m_wrong.AddRange(differences.Select(x => $"recreate at the end: {x}"));
        m_wrong.AddRange(
            Directory
                .GetFiles(options.Folder, "*.lock")
                .Where(x => !Path.GetFileName(x).StartsWith('.'))
                .Select(x => $"{Path.GetFileName(x)} is left")
        );
    }

    private static string Text(long number) => number.ToString(CultureInfo.InvariantCulture);
}
