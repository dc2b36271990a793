using System.Diagnostics;
using System.Text.Json;
using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.Benchmarks.Large;

/// <summary>Runs a step in a process of its own, and watches the disk meanwhile.</summary>
internal static class LargeProcess
{
    /// <summary>Runs a step to its end; when cancelled, its process is killed.</summary>
    /// <param name="item">The step.</param>
    /// <param name="folder">The folder of the database.</param>
    /// <param name="countsFlushes">Whether flushes are counted, too.</param>
    /// <param name="token">Stops it.</param>
    /// <exception cref="InvalidOperationException">The step failed, or left a wrong number of rows.</exception>
    internal static async Task<LargeSample> RunAsync(LargeCase item, string folder, bool countsFlushes, CancellationToken token)
    {
        // Beside the folder: it is no part of what the step takes.
        var log = folder.TrimEnd(Path.DirectorySeparatorChar) + ".strace";
        using var process = Process.Start(Start(item, folder, countsFlushes ? log : null))!;
        try
        {
            var (cost, disk) = await WatchAsync(item, folder, process, token).ConfigureAwait(false);
            var flushes = countsFlushes ? await FlushCount.ReadAsync(log, process.Id, cost).ConfigureAwait(false) : null;
            var path = LargeChild.DatabaseIn(folder);
            var size = new FileInfo(path).Length;
            // A fast wrong answer must not pass as a fast one.
            var (rows, expected) = (RebuiltRows.Count(path), new LargeBackup(item.Blocks).ExpectedRows(item.Step));
            return rows == expected ? new LargeSample(cost, Math.Max(disk, size), size, flushes) : throw new InvalidOperationException($"{item.Step}, {item.Blocks} blocks: the database has {rows} rows instead of {expected}.");
        }
        finally
        {
            File.Delete(log);
        }
    }

    private static async Task<(LargeCost Cost, long Disk)> WatchAsync(LargeCase item, string folder, Process process, CancellationToken token)
    {
        var use = new DiskUse(folder, process.Id);
        using var ended = new CancellationTokenSource();
        var watching = use.WatchAsync(ended.Token);
        try
        {
            var lines = new LastLines();
            var errors = lines.ReadAsync(process.StandardError, token);
            var output = await process.StandardOutput.ReadToEndAsync(token).ConfigureAwait(false);
            await process.WaitForExitAsync(token).ConfigureAwait(false);
            await errors.ConfigureAwait(false);
            // An interrupt reaches both processes, in any order.
            token.ThrowIfCancellationRequested();
            return process.ExitCode == ExitCodes.Done
                ? (JsonSerializer.Deserialize<LargeCost>(output)!, use.Most)
                : throw new InvalidOperationException(FormattableString.Invariant($"{item.Step}, {item.Blocks} blocks: exit code {process.ExitCode}. {string.Join(' ', lines.All)}"));
        }
        catch (OperationCanceledException)
        {
            process.Kill(entireProcessTree: true);
            await process.WaitForExitAsync(CancellationToken.None).ConfigureAwait(false);
            throw;
        }
        finally
        {
            await ended.CancelAsync().ConfigureAwait(false);
            await watching.ConfigureAwait(false);
        }
    }

    // Temporary files, SQLite's among them, belong where they are counted, and where there is room for the database.
    private static ProcessStartInfo Start(LargeCase item, string folder, string? log)
    {
        var own = ThisProgram.Start(LargeChild.Command, JsonSerializer.Serialize(item), folder);
        var start = log is null || FlushCount.Program is not { } tracer ? own : new ProcessStartInfo(tracer, [.. FlushCount.Words(log), own.FileName, .. own.ArgumentList]) { UseShellExecute = false };
        (start.RedirectStandardOutput, start.RedirectStandardError) = (true, true);
        foreach (var variable in (string[])["TMPDIR", "TMP", "TEMP", "SQLITE_TMPDIR"])
            start.Environment[variable] = folder;
        foreach (var (name, value) in LargeChild.Settings)
            start.Environment[name] = value;
        return start;
    }
}
