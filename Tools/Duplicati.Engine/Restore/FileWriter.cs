// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Operation.Restore;

namespace Duplicati.Engine.Restore;

/// <summary>
/// Makes the files of a restore at their full length under temporary names, verifies them when the blocks are in, and then gives them
/// their metadata and their own names. Until then they are their owner's alone. One that is not complete never gets its own name.
/// </summary>
internal sealed class FileWriter(
    RestorePlan plan,
    TargetFolders folders,
    VolumeFormat format,
    IEngineProgress progress,
    DateTime versionTime,
    ExistingFileChoice existing
)
{
    // The paths that the files under temporary names are to have.
    private readonly Dictionary<long, string> m_unfinished = [];

    /// <summary>Bytes of the files that are complete.</summary>
    internal long Bytes { get; private set; }

    /// <summary>
    /// Makes all files. One that has the right content already needs nothing more; of others in the way, see
    /// <see cref="ExistingFileChoice"/>.
    /// </summary>
    internal async Task MakeFilesAsync(CancellationToken token)
    {
        if (existing == ExistingFileChoice.Skip)
        {
            plan.SkipSymlinks(TargetNames.IsTaken);
            plan.SkipFolders(folders.IsMade);
        }

        if (existing == ExistingFileChoice.Overwrite)
            plan.NoteReplaced(path => TargetNames.IsTaken(path) && !TargetNames.IsFolder(path));
        foreach (var (id, file) in plan.Files)
        {
            token.ThrowIfCancellationRequested();
            try
            {
                await MakeFileAsync(id, file, token).ConfigureAwait(false);
            }
            catch (Exception ex)
                when ((ex is IOException or UnauthorizedAccessException) && (DiskSpace.IsTooLong(ex) || !DiskSpace.IsExhausted(ex)))
            {
                plan.LeaveOut(id, progress, ex.Message);
            }
        }
    }

    /// <summary>
    /// Verifies every file against its hash, and gives it its metadata and its name. One that is not complete gets a name beside.
    /// </summary>
    /// <param name="problems">Why files could not be written, by entry id.</param>
    /// <param name="metadata">Gives files their metadata.</param>
    /// <param name="parallelism">Files verified at a time.</param>
    /// <param name="token">Cancels.</param>
    internal async Task FinishAsync(
        IReadOnlyDictionary<long, string> problems,
        MetadataWriter metadata,
        int parallelism,
        CancellationToken token
    )
    {
        var incomplete = await IncompleteAsync(parallelism, token).ConfigureAwait(false);
        foreach (var (id, path) in m_unfinished)
        {
            token.ThrowIfCancellationRequested();
            // Another restore of the same content may have given it its name already.
            if (
                !Path.Exists(plan.Paths[id])
                && await IsCompleteAsync(path, plan.Files[id].Hash, plan.Files[id].Length, token).ConfigureAwait(false)
            )
            {
                plan.Keep(id, path);
            }
            else if (incomplete.Contains(id))
            {
                PutAside(
                    id,
                    path,
                    () => TargetNames.Incomplete(path),
                    $"Failed to restore {path}: {problems.GetValueOrDefault(id, "its content has not the recorded hash")}"
                );
            }
            else
            {
                metadata.Seal(id, path);
                var length = plan.Files[id].Length;
                if (Place(id, path))
                    Bytes += length;
            }

            m_unfinished.Remove(id);
        }

        Bytes += plan.Present.Keys.Sum(x => plan.Files[x].Length);
    }

    /// <summary>Ends a restore that failed: files that are complete get their names, the others go. After a cancellation all go.</summary>
    internal async Task AbandonAsync(MetadataWriter metadata, int parallelism, CancellationToken token)
    {
        HashSet<long> incomplete = [.. m_unfinished.Keys];
        try
        {
            incomplete = await IncompleteAsync(parallelism, token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            // None is known to be complete then.
        }

        foreach (var (id, path) in m_unfinished)
        {
            if (incomplete.Contains(id))
            {
                Remove(plan.Paths[id]);
                continue;
            }

            metadata.Seal(id, path);
            Place(id, path);
        }

        metadata.Leave();
    }

    /// <summary>Compares every file of the plan under its final name with its hash, those that were skipped as well.</summary>
    /// <returns>The target paths of those that differ, or cannot be read.</returns>
    internal async Task<IReadOnlyList<string>> VerifyAsync(int parallelism, CancellationToken token)
    {
        var different = await CompareAsync(
                plan.Files.Select(x => (plan.PathOf(x.Key), plan.PathOf(x.Key), x.Value))
                    .Concat(plan.Skipped.Select(x => (x.Path, x.Path, x.File))),
                parallelism,
                token
            )
            .ConfigureAwait(false);
        return [.. different.Order(StringComparer.Ordinal)];
    }

    private async Task MakeFileAsync(long id, FileRequest file, CancellationToken token)
    {
        var path = plan.Paths[id];
        if (!folders.TryMake(Path.GetDirectoryName(path)!))
        {
            plan.Fail(id, path);
            return;
        }

        if (TargetNames.IsTooLong(path))
            throw new PathTooLongException("its name is too long for the file system");
        if (TargetNames.IsTaken(path))
        {
            if (existing == ExistingFileChoice.Skip)
            {
                plan.Skip(id);
                return;
            }

            if (await IsCompleteAsync(path, file.Hash, file.Length, token).ConfigureAwait(false))
            {
                plan.Keep(id, path);
                return;
            }
        }

        var made = TargetNames.Temporary(path, file.Hash);
        MakeEmpty(made, file.Length);
        plan.Paths[id] = made;
        m_unfinished.Add(id, path);
    }

    // What is there was left by a killed restore of the same content, or belongs to one that runs: it is not shortened.
    private static void MakeEmpty(string path, long length)
    {
        if (TargetNames.IsLink(path))
            File.Delete(path);
        var isThere = Path.Exists(path);
        if (isThere && UnixFile.IsSpecial(path))
            throw new IOException($"{path} is in the way; it is no regular file.");
        try
        {
            var options = new FileStreamOptions
            {
                Mode = FileMode.OpenOrCreate,
                Access = FileAccess.Write,
                Share = FileShare.ReadWrite,
                BufferSize = 0,
            };
            if (!OperatingSystem.IsWindows())
            {
                options.UnixCreateMode = NewModes.PrivateFile;
                // It may have got its permissions already, and not its name.
                if (isThere)
                    File.SetUnixFileMode(path, NewModes.PrivateFile);
            }

            using var file = new FileStream(path, options);
            DiskSpace.SetLength(file.SafeFileHandle, length);
        }
        catch when (!isThere)
        {
            Remove(path);
            throw;
        }
    }

    // Where it cannot be removed, the next restore takes it up.
    private static void Remove(string path) => Attempt.Do(() => File.Delete(path));

    /// <summary>Gives a complete file its name, or one beside if something is there that it does not replace.</summary>
    /// <returns>Whether it is where it belongs.</returns>
    private bool Place(long id, string path)
    {
        var replaces = plan.Replaces(id, path);
        try
        {
            var name = replaces || !TargetNames.IsTaken(path) ? path : TargetNames.Free(path, versionTime);
            // Of a link, the link itself is replaced. Windows does not do that.
            if (replaces && OperatingSystem.IsWindows() && TargetNames.IsLink(path))
                File.Delete(path);
            File.Move(plan.Paths[id], name, overwrite: replaces);
            plan.Paths[id] = name;
            plan.NotePlaced(name);
            if (name != path)
                progress.Warning($"{path} exists with other content; restoring to {name}");
            return true;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            if (replaces)
                PutAside(
                    id,
                    path,
                    () => TargetNames.Free(path, versionTime),
                    $"Failed to replace {path}, which is left as it was: {ex.Message}"
                );
            else
                PutAside(id, path, null, $"Failed to restore {path}: {ex.Message}");
            return false;
        }
    }

    // Not under its own name: whoever finds that takes the file for restored.
    private void PutAside(long id, string path, Func<string>? name, string problem)
    {
        var made = plan.Paths[id];
        plan.Fail(id, path);
        try
        {
            if (name?.Invoke() is { } free)
            {
                File.Move(made, free);
                made = free;
            }
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            problem += $"; {ex.Message}";
        }

        progress.Warning($"{problem}; what could be restored is in {made}");
    }

    private Task<HashSet<long>> IncompleteAsync(int parallelism, CancellationToken token) =>
        CompareAsync(m_unfinished.Select(x => (x.Key, plan.Paths[x.Key], plan.Files[x.Key])), parallelism, token);

    private async Task<HashSet<T>> CompareAsync<T>(
        IEnumerable<(T Key, string Path, FileRequest File)> files,
        int parallelism,
        CancellationToken token
    )
    {
        var different = new ConcurrentBag<T>();
        await Parallel
            .ForEachAsync(
                files,
                new ParallelOptions { MaxDegreeOfParallelism = Math.Max(1, parallelism), CancellationToken = token },
                async (item, stop) =>
                {
                    try
                    {
                        if (await IsCompleteAsync(item.Path, item.File.Hash, item.File.Length, stop).ConfigureAwait(false))
                            return;
                    }
                    catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
                    {
                        progress.Warning($"Failed to read {item.Path}: {ex.Message}");
                    }

                    different.Add(item.Key);
                }
            )
            .ConfigureAwait(false);
        return [.. different];
    }

    private async Task<bool> IsCompleteAsync(string path, string hash, long length, CancellationToken token)
    {
        var info = new FileInfo(path);
        if (!info.Exists || info.LinkTarget is not null || info.Length != length || UnixFile.IsSpecial(path))
            return false;

        var content = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 0, FileOptions.SequentialScan);
        await using (content.ConfigureAwait(false))
            return (await format.FileHash.HashAsync(content, token).ConfigureAwait(false)).Hash == hash;
    }
}
