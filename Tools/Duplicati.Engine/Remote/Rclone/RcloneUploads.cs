// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Engine.Common;

namespace Duplicati.Engine.Remote.Rclone;

/// <summary>
/// Puts files: those that wait at the same time go with one process, two processes at a time, and are listed afterwards to see that each
/// arrived with its size and hash. Safe for concurrent use.
/// </summary>
internal sealed class RcloneUploads(RcloneCommands commands, string folder, CancellationToken disposed)
{
    private const int MostProcesses = 2;
    private const int Attempts = 2;

    private static readonly (string Name, HashAlgorithmName Algorithm)[] s_hashes =
    [
        ("sha256", HashAlgorithmName.SHA256),
        ("sha1", HashAlgorithmName.SHA1),
        ("md5", HashAlgorithmName.MD5),
    ];

    private readonly Lock m_lock = new();
    private readonly List<Upload> m_waiting = [];
    private readonly HashSet<Task> m_running = [];
    private int m_serial;

    // All that are known here until the first answer, then the one to compare, if the remote has one.
    private volatile string[] m_hashes = [.. s_hashes.Select(x => x.Name)];

    /// <summary>Puts a file; its local one is gone afterwards, and stays if this fails.</summary>
    /// <exception cref="RemoteException">rclone failed, or the file arrived otherwise.</exception>
    internal async Task PutAsync(string name, string localPath, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        var item = new Upload(name, localPath, token);
        lock (m_lock)
        {
            m_waiting.Add(item);
            Pump();
        }

        await item.Done.ConfigureAwait(false);
    }

    /// <summary>Waits for processes that have been told to end.</summary>
    internal void WaitUntilIdle()
    {
        Task[] running;
        lock (m_lock)
            running = [.. m_running];
        Task.WaitAll(running, CancellationToken.None);
    }

    // The lock is held. Two files of one name go one after the other.
    private void Pump()
    {
        while (m_waiting.Count > 0 && m_running.Count < MostProcesses)
        {
            List<Upload> group = [.. m_waiting.DistinctBy(x => x.Name)];
            m_waiting.RemoveAll(group.Contains);
            var path = Path.Combine(folder, $"put-{++m_serial}");
            var run = Task.Run(() => RunAsync(group, path), CancellationToken.None);
            m_running.Add(run);
            _ = run.ContinueWith(Ended, CancellationToken.None, TaskContinuationOptions.None, TaskScheduler.Default);
        }
    }

    private void Ended(Task run)
    {
        lock (m_lock)
        {
            m_running.Remove(run);
            Pump();
        }
    }

    // Never fails: each file learns its own end.
    private async Task RunAsync(List<Upload> group, string path)
    {
        using var stop = CancellationTokenSource.CreateLinkedTokenSource(disposed);
        var wanted = group.Count;
        var registrations = group.ConvertAll(x =>
            x.Token.Register(() =>
            {
                // The others still want theirs.
                if (Interlocked.Decrement(ref wanted) == 0)
                    stop.Cancel();
            })
        );
        try
        {
            Directory.CreateDirectory(path);
            foreach (var item in group)
                item.Stage(path);
            await StoreAsync([.. group.Where(x => x.Problem is null)], path, stop.Token).ConfigureAwait(false);
        }
        catch (Exception ex)
        {
            foreach (var item in group)
                item.Problem ??= ex;
        }

        foreach (var registration in registrations)
            await registration.DisposeAsync().ConfigureAwait(false);
        foreach (var item in group)
            item.End();
    }

    private async Task StoreAsync(List<Upload> group, string path, CancellationToken token)
    {
        for (var attempt = 1; group.Count > 0; attempt++)
        {
            var copied = new HashSet<string>(StringComparer.Ordinal);
            var result = await commands.StoreAsync(path, name => copied.Add(name), token).ConfigureAwait(false);
            var found = await FindAsync(group, result, token).ConfigureAwait(false);
            var wrong = new List<Upload>();
            foreach (var item in group)
            {
                var difference = Difference(item, found);
                if (difference is null && (result.IsSuccess || copied.Contains(item.Name) || IsCompared(item, found)))
                    item.Accept();
                else if (difference is null)
                    await RefuseAsync(item, RcloneFailure.Of(commands.Address, result), false, token).ConfigureAwait(false);
                else if (!result.IsSuccess)
                    await RefuseAsync(item, RcloneFailure.Of(commands.Address, result), LooksWhole(item, found), token)
                        .ConfigureAwait(false);
                else if (attempt == Attempts)
                    await RefuseAsync(item, new RcloneTransferException(commands.Address.ToString(), item.Name, difference), true, token)
                        .ConfigureAwait(false);
                else
                    wrong.Add(item);
            }

            group = wrong;
        }
    }

    private async Task<List<RcloneEntry>> FindAsync(List<Upload> group, RcloneResult stored, CancellationToken token)
    {
        var names = group.ConvertAll(x => x.Name);
        var hashes = m_hashes;
        try
        {
            var found = await commands.FindAsync(names, hashes, token).ConfigureAwait(false);
            if (hashes.Length > 1 && found.Count > 0)
                m_hashes = [.. hashes.Where(x => found.TrueForAll(entry => entry.Hash(x) is not null)).Take(1)];
            return found;
        }
        catch (RemoteException) when (!stored.IsSuccess)
        {
            throw RcloneFailure.Of(commands.Address, stored);
        }
    }

    // Some remotes keep what had the name before beside it.
    private static string? Difference(Upload item, List<RcloneEntry> found)
    {
        var differences = found.FindAll(x => x.Name == item.Name).ConvertAll(x => Difference(item, x));
        return differences.Count == 0 ? "it is not there afterwards"
            : differences.Contains(null) ? null
            : differences[0];
    }

    private static string? Difference(Upload item, RcloneEntry found)
    {
        if (found.Size != item.Size)
            return $"{found.Size} bytes arrived of {item.Size}";
        foreach (var (name, algorithm) in s_hashes)
        {
            if (found.Hash(name) is { } hash)
                return hash.Equals(item.Hash(algorithm), StringComparison.OrdinalIgnoreCase) ? null : $"its {name} differs";
        }

        return null;
    }

    // Whether more than the size tells that it is what was sent, on a remote that knows hashes.
    private static bool IsCompared(Upload item, List<RcloneEntry> found) =>
        found.Exists(x =>
            x.Name == item.Name && Difference(item, x) is null && Array.Exists(s_hashes, hash => x.Hash(hash.Name) is not null)
        );

    // Of the right size but with another content it would be taken for whole by whoever finds it.
    private static bool LooksWhole(Upload item, List<RcloneEntry> found) => found.Exists(x => x.Name == item.Name && x.Size == item.Size);

    private async Task RefuseAsync(Upload item, Exception problem, bool deletes, CancellationToken token)
    {
        if (deletes)
            await commands.DeleteAsync(item.Name, token).ConfigureAwait(false);
        item.Problem = problem;
    }

    /// <summary>A file that is being put. It waits in a folder of its group, under its name.</summary>
    private sealed class Upload(string name, string localPath, CancellationToken token)
    {
        private readonly TaskCompletionSource m_done = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private string? m_staged;

        internal string Name => name;

        internal CancellationToken Token => token;

        internal long Size { get; private set; }

        /// <summary>Why it was not put.</summary>
        internal Exception? Problem { get; set; }

        internal Task Done => m_done.Task;

        internal void Stage(string folder)
        {
            try
            {
                var staged = Path.Combine(folder, name);
                File.Move(localPath, staged);
                m_staged = staged;
                Size = new FileInfo(staged).Length;
            }
            catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
            {
                Problem = ex;
            }
        }

        internal string Hash(HashAlgorithmName algorithm)
        {
            using var file = File.OpenRead(m_staged!);
            return Convert.ToHexString(CryptographicOperations.HashData(algorithm, file));
        }

        internal void Accept()
        {
            File.Delete(m_staged!);
            m_staged = null;
        }

        internal void End()
        {
            // What went wrong before is told; a file that cannot be put back goes with the folder.
            if (m_staged is { } staged)
                Attempt.Do(() => File.Move(staged, localPath, overwrite: true));
            if (Problem is OperationCanceledException)
                m_done.SetCanceled(token);
            else if (Problem is not null)
                m_done.SetException(Problem);
            else
                m_done.SetResult();
        }
    }
}
