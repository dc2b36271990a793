// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Scale;

/// <summary>What is to be measured.</summary>
/// <param name="Sizes">Numbers of blocks.</param>
/// <param name="Presets">Names of presets.</param>
/// <param name="Steps">Steps to be reported; those that they need are made, too.</param>
/// <param name="Ways">Ways of a recreate.</param>
/// <param name="BlocksPerFile">Length of the files.</param>
/// <param name="Rounds">Rounds.</param>
internal sealed record BlockRequest(
    IReadOnlyList<long> Sizes,
    IReadOnlyList<string> Presets,
    IReadOnlyList<string> Steps,
    IReadOnlyList<string> Ways,
    long BlocksPerFile,
    int Rounds
);

/// <summary>Measures the operations on numbers of blocks, each case in a process of its own whose memory and disk are watched.</summary>
/// <param name="request">What to measure.</param>
/// <param name="scratch">Where the databases are made, and removed.</param>
/// <param name="log">Gets a line for each case.</param>
internal sealed class BlockScale(BlockRequest request, string scratch, TextWriter log)
{
    private readonly List<ScaleResult> m_results = [];

    /// <summary>What has been measured so far.</summary>
    internal IReadOnlyList<ScaleResult> Results => m_results;

    /// <summary>Runs all; what a stopped run has measured stays.</summary>
    /// <exception cref="InvalidOperationException">A step failed, or its answer is wrong.</exception>
    internal async Task RunAsync(CancellationToken token)
    {
        var length = request.BlocksPerFile;
        var cases =
            from round in Enumerable.Range(0, request.Rounds)
            from preset in request.Presets
            from size in request.Sizes
            select (preset, size);
        foreach (var (preset, size) in cases)
        {
            var last = Array.FindLastIndex(BlockSteps.Chain, step => request.Steps.Contains(step));
            await RunAsync(BlockSteps.Chain[..(last + 1)].Select(step => new ScaleCase(step, ScaleWays.Api, preset, size, length)), token);
            if (!request.Steps.Contains(BlockSteps.Recreate))
                continue;
            foreach (var way in request.Ways)
                await RunAsync([new ScaleCase(BlockSteps.Recreate, way, preset, size, length)], token);
        }
    }

    private async Task RunAsync(IEnumerable<ScaleCase> chain, CancellationToken token)
    {
        var folder = Directory.CreateDirectory(Path.Combine(scratch, $"scale-{Guid.NewGuid():N}"));
        try
        {
            foreach (var item in chain)
            {
                var (cost, answer) = await MeasureAsync(item, folder.FullName, token);
                var blocks = BlockSteps.BlocksOf(item);
                await log.WriteLineAsync(
                    string.Create(
                        CultureInfo.InvariantCulture,
                        $"{Name(item)}: {cost.Processor * 1e6 / blocks:F2} µs of processor a block, {cost.PeakBytes >> 20} MiB of memory"
                    )
                );
                if (request.Steps.Contains(item.Operation))
                    ResultOf(item, blocks).Add(cost, answer, m_results);
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    private ScaleResult ResultOf(ScaleCase item, long blocks)
    {
        if (m_results.FirstOrDefault(result => result.Case == item) is { } known)
            return known;
        m_results.Add(new ScaleResult(item, "block", blocks));
        return m_results[^1];
    }

    /// <summary>Runs a case in a process of its own, and watches the disk meanwhile; when cancelled, the process is killed.</summary>
    /// <exception cref="InvalidOperationException">It failed, or left a wrong number of rows.</exception>
    private static async Task<(ScaleCost Cost, long Answer)> MeasureAsync(ScaleCase item, string folder, CancellationToken token)
    {
        var cost = await WatchAsync(item, folder, token);
        var path = BlockSteps.DatabaseIn(folder);
        var size = new FileInfo(path).Length;
        // A fast wrong answer must not pass as a fast one.
        var (rows, expected) = (BlockContent.Count(path), BlockSteps.ExpectedRows(item));
        if (rows != expected)
            throw new InvalidOperationException($"{Name(item)}: the database has {rows} rows instead of {expected}.");
        var answer = item.Operation == BlockSteps.Recreate ? BlockContent.Of(path) : rows;
        return (cost with { DiskBytes = Math.Max(cost.DiskBytes, size), FileBytes = size }, answer);
    }

    private static string Name(ScaleCase item) => $"{item.Operation}, {item.Way}, {item.Preset}, {item.Size} blocks";

    private static async Task<ScaleCost> WatchAsync(ScaleCase item, string folder, CancellationToken token)
    {
        using var ended = new CancellationTokenSource();
        var (use, watching) = ((DiskUse?)null, Task.CompletedTask);
        try
        {
            var end = await RunProgram.ToEndAsync(Start(item, folder), "", null, token, Watch);
            // An interrupt reaches both processes, in any order.
            token.ThrowIfCancellationRequested();
            return end.Result?.ExitCode == ExitCodes.Done
                ? JsonSerializer.Deserialize<ScaleCost>(end.Lines.Last(line => line.StartsWith('{')))! with
                {
                    DiskBytes = use!.Most,
                }
                : throw new InvalidOperationException($"{Name(item)}: {end.Text}. {string.Join(' ', end.Lines)}");
        }
        finally
        {
            await ended.CancelAsync();
            await watching;
        }

        void Watch(Process process)
        {
            use = new DiskUse(folder, process.Id);
            watching = use.WatchAsync(ended.Token);
        }
    }

    // Temporary files, SQLite's among them, belong where they are counted, and where there is room for the database.
    private static ProcessStartInfo Start(ScaleCase item, string folder)
    {
        var start = ThisProgram.Start(BlockSteps.Command, JsonSerializer.Serialize(item), folder);
        foreach (var variable in (string[])["TMPDIR", "TMP", "TEMP", "SQLITE_TMPDIR"])
            start.Environment[variable] = folder;
        foreach (var (name, value) in BlockSteps.Settings)
            start.Environment[name] = value;
        return start;
    }
}

/// <summary>
/// What a process takes of the disk in a folder. Files that have no name any more, as SQLite's temporary ones, count where the system shows
/// them (Linux).
/// </summary>
/// <param name="folder">The folder, without those in it.</param>
/// <param name="process">Id of the process.</param>
internal sealed class DiskUse(string folder, int process)
{
    private const string Unlinked = " (deleted)";

    private static readonly TimeSpan s_interval = TimeSpan.FromMilliseconds(100);

    // The folder may be named here through links, there it is not.
    private readonly string m_place = $"/{Path.GetFileName(folder)}/";

    /// <summary>The most so far, in bytes.</summary>
    internal long Most { get; private set; }

    /// <summary>Looks ten times a second until it is cancelled, which is no error.</summary>
    internal async Task WatchAsync(CancellationToken token)
    {
        using var timer = new PeriodicTimer(s_interval);
        try
        {
            do Look();
            while (await timer.WaitForNextTickAsync(token));
        }
        catch (OperationCanceledException)
        {
            // The process has ended.
        }
    }

    /// <summary>Looks once.</summary>
    internal void Look()
    {
        var open = FormattableString.Invariant($"/proc/{process}/fd");
        var unlinked = Directory.Exists(open) ? Directory.EnumerateFiles(open).Where(IsUnlinked) : [];
        var named = Directory.EnumerateFiles(folder).Sum(path => IfThere(() => new FileInfo(path).Length));
        Most = Math.Max(Most, named + IfThere(() => unlinked.Sum(LengthOpened)));
    }

    private bool IsUnlinked(string descriptor) =>
        IfThere(() =>
            new FileInfo(descriptor).LinkTarget is { } target
            && target.Contains(m_place, StringComparison.Ordinal)
            && target.EndsWith(Unlinked, StringComparison.Ordinal)
        );

    // The name in the list is only a link to a name that is no more; what is open can be opened again through it.
    private static long LengthOpened(string path) =>
        IfThere(() =>
        {
            using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete, bufferSize: 0);
            return file.Length;
        });

    // Nothing, if it has gone meanwhile.
    private static T IfThere<T>(Func<T> look)
        where T : struct
    {
        try
        {
            return look();
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return default;
        }
    }
}
