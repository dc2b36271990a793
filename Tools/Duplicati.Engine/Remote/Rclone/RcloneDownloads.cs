// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Common;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>
/// Fetches files, those that are named ahead many with one process, two processes at a time. What waits in the folder for being asked for
/// is bounded; beyond that only files are fetched that somebody waits for. Safe for concurrent use.
/// </summary>
internal sealed class RcloneDownloads(
    RcloneCommands commands,
    string folder,
    long capacity,
    ConcurrentDictionary<string, long> sizes,
    IEngineProgress progress,
    CancellationToken disposed
)
{
    private const int MostFiles = 2000;
    private const int MostProcesses = 2;
    private const long AssumedSize = 1024 * 1024;

    private readonly Lock m_lock = new();
    private readonly Dictionary<string, Planned> m_byName = new(StringComparer.Ordinal);
    private readonly LinkedList<Planned> m_waiting = [];
    private readonly HashSet<Task> m_running = [];
    private long m_waitingBytes;
    private long m_heldBytes;
    private int m_serial;

    /// <summary>Takes the place of what was named before: what is fetched of it already goes.</summary>
    internal void Plan(IEnumerable<(string Name, long Size)> files)
    {
        lock (m_lock)
        {
            foreach (var old in m_byName.Values)
                Drop(old);
            m_byName.Clear();
            m_waiting.Clear();
            m_waitingBytes = 0;
            foreach (var (name, size) in files)
            {
                var item = new Planned(name, size < 0 ? AssumedSize : size);
                if (!m_byName.TryAdd(name, item))
                    continue;
                item.Place = m_waiting.AddLast(item);
                m_waitingBytes += item.Size;
            }

            Pump();
        }
    }

    /// <summary>Fetches a file, or takes it from the folder.</summary>
    /// <exception cref="RemoteException">It does not exist, did not come through whole, or rclone failed.</exception>
    internal async Task GetAsync(string name, string localPath, CancellationToken token)
    {
        if (Take(name) is { } item)
        {
            try
            {
                if (await item.Fetched.WaitAsync(token).ConfigureAwait(false) is { } path)
                {
                    File.Move(path, localPath, overwrite: true);
                    return;
                }
            }
            finally
            {
                lock (m_lock)
                {
                    Drop(item);
                    Pump();
                }
            }
        }

        await FetchAsync(name, localPath, token).ConfigureAwait(false);
    }

    /// <summary>Waits for processes that have been told to end.</summary>
    internal void WaitUntilIdle()
    {
        Task[] running;
        lock (m_lock)
        {
            m_waiting.Clear();
            running = [.. m_running];
        }

        Task.WaitAll(running, CancellationToken.None);
    }

    private Planned? Take(string name)
    {
        lock (m_lock)
        {
            if (!m_byName.Remove(name, out var item))
                return null;
            // Out of order, or room was short: somebody waits now.
            if (item.Place is { } place)
                Start(place, isWanted: true);
            return item;
        }
    }

    // The lock is held. Small batches would be many processes, so the first waits until there is some room.
    private void Pump()
    {
        while (
            !disposed.IsCancellationRequested
            && m_waiting.First is { } first
            && m_running.Count < MostProcesses
            && (m_heldBytes == 0 || capacity - m_heldBytes >= Math.Min(capacity / 4, m_waitingBytes))
        )
        {
            if (!Start(first, isWanted: false))
                break;
        }
    }

    private bool Start(LinkedListNode<Planned> first, bool isWanted)
    {
        var batch = new List<Planned>();
        var bytes = 0L;
        for (var place = first; place is not null && batch.Count < MostFiles; place = place.Next)
        {
            var size = place.Value.Size;
            var isNeeded = batch.Count == 0 && (isWanted || m_heldBytes == 0);
            if (!isNeeded && (m_heldBytes + bytes + size > capacity || bytes + size > capacity / 2))
                break;
            batch.Add(place.Value);
            bytes += size;
        }

        foreach (var item in batch)
        {
            m_waiting.Remove(item.Place!);
            item.Place = null;
        }

        m_waitingBytes -= bytes;
        m_heldBytes += bytes;
        if (batch.Count == 0)
            return false;
        var path = Path.Combine(folder, $"get-{Interlocked.Increment(ref m_serial)}");
        var run = Task.Run(() => RunAsync(batch, path), CancellationToken.None);
        m_running.Add(run);
        _ = run.ContinueWith(Ended, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        return true;
    }

    private void Ended(Task run)
    {
        lock (m_lock)
        {
            m_running.Remove(run);
            Pump();
        }
    }

    // Never fails: what did not come is asked for again alone, and that tells why.
    private async Task RunAsync(List<Planned> batch, string path)
    {
        var items = batch.ToDictionary(x => x.Name, StringComparer.Ordinal);
        try
        {
            if (batch.Count > 1)
                progress.Working($"Fetching {SizeText.Count(batch.Count, "file")} of {SizeText.Of(batch.Sum(x => x.Size))} with rclone");
            Directory.CreateDirectory(path);
            await commands.FetchAsync([.. items.Keys], path, name => Complete(items, name, path), disposed).ConfigureAwait(false);
            foreach (var item in batch)
                Complete(items, item.Name, path);
        }
        catch (Exception ex) when (ex is RemoteException or OperationCanceledException or IOException or UnauthorizedAccessException)
        {
            // Told by whoever asks for one of the files.
        }

        foreach (var item in batch)
            item.End(null);
    }

    // The names come from the program: only those that were asked for become paths.
    private void Complete(Dictionary<string, Planned> items, string name, string path)
    {
        if (!items.TryGetValue(name, out var item))
            return;
        var file = new FileInfo(Path.Combine(path, name));
        if (!file.Exists || (sizes.TryGetValue(name, out var size) && size != file.Length))
            return;
        lock (m_lock)
        {
            if (item.IsDropped)
                file.Delete();
            else
                item.End(file.FullName);
        }
    }

    // The lock is held. Whoever took a file has moved it away.
    private void Drop(Planned item)
    {
        if (item.IsDropped)
            return;
        item.IsDropped = true;
        if (item.Place is not null)
            return;
        m_heldBytes -= item.Size;
        if (item.Path is { } path)
            File.Delete(path);
    }

    private async Task FetchAsync(string name, string localPath, CancellationToken token)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(token, disposed);
        var path = Path.Combine(folder, $"get-{Interlocked.Increment(ref m_serial)}");
        var file = new FileInfo(Path.Combine(Directory.CreateDirectory(path).FullName, name));
        try
        {
            var result = await commands.FetchAsync([name], path, null, stop.Token).ConfigureAwait(false);
            if (!result.IsSuccess)
                throw RcloneFailure.IsDiskFull(result)
                    ? DiskSpace.Exhausted($"There is no space left in {folder} for what rclone fetches.")
                    : RcloneFailure.Of(commands.Address, result);
            if (!file.Exists)
            {
                await commands.RequireFileAsync(name, stop.Token).ConfigureAwait(false);
                throw new RcloneTransferException(commands.Address.ToString(), name, "nothing came of it");
            }

            if (sizes.TryGetValue(name, out var size) && size != file.Length)
                throw new RcloneTransferException(commands.Address.ToString(), name, $"{file.Length} bytes came of {size}");
            File.Move(file.FullName, localPath, overwrite: true);
        }
        finally
        {
            Directory.Delete(path, recursive: true);
        }
    }

    /// <summary>A file that was named ahead.</summary>
    private sealed class Planned(string name, long size)
    {
        private readonly TaskCompletionSource<string?> m_fetched = new(TaskCreationOptions.RunContinuationsAsynchronously);

        internal string Name => name;

        internal long Size => size;

        /// <summary>Its place among those whose process has not begun.</summary>
        internal LinkedListNode<Planned>? Place { get; set; }

        /// <summary>Nobody wants it from the folder any more.</summary>
        internal bool IsDropped { get; set; }

        /// <summary>Where it lies, once it is complete.</summary>
        internal string? Path { get; private set; }

        /// <summary>Ends with the path of the complete file, or null if it did not come.</summary>
        internal Task<string?> Fetched => m_fetched.Task;

        internal void End(string? path)
        {
            if (m_fetched.TrySetResult(path))
                Path = path;
        }
    }
}
