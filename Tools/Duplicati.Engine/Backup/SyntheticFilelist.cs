// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Backup;

/// <summary>
/// Makes a version of what an interrupted backup had recorded: its entries, and those of the version before it for every path that
/// it had not come to. The version is marked partial, and one second younger than the interrupted backup.
/// </summary>
/// <remarks>
/// A kill at any point leaves either the interrupted fileset or one that holds all of its entries, so this can be done again.
/// </remarks>
internal sealed class SyntheticFilelist(FilelistPublisher filelist, LocalBackupDatabase database, IEngineProgress progress)
{
    /// <summary>Makes and uploads the version, if a backup was interrupted, and removes the interrupted fileset.</summary>
    /// <returns>True if there is a new version.</returns>
    internal async Task<bool> PublishAsync(CancellationToken token)
    {
        var incomplete = await database.GetIncompleteFilesetsAsync(token).ToListAsync(token).ConfigureAwait(false);
        if (incomplete.Count == 0)
            return false;

        var (interruptedId, time) = incomplete.MaxBy(x => x.Value);
        var interrupted = await database.GetRemoteVolumeFromFilesetIDAsync(interruptedId, token).ConfigureAwait(false);
        var previous = await database
            .FilesetTimesAsync(token)
            .Where(x => incomplete.TrueForAll(y => y.Key != x.Key))
            .Select(x => x.Key)
            .FirstOrDefaultAsync(-1L, token)
            .ConfigureAwait(false);
        progress.Message($"Making a version of what the backup of {time.ToUniversalTime():u} had recorded before it was interrupted");

        var fileset = await filelist.BeginAsync(time.ToUniversalTime().AddSeconds(1), token).ConfigureAwait(false);
        await FillAsync(fileset.FilesetId, interruptedId, previous, fileset.Name.Time, token).ConfigureAwait(false);
        await database.UpdateFullBackupStateInFilesetAsync(fileset.FilesetId, false, token).ConfigureAwait(false);
        await database.RemoveRemoteVolumeAsync(interrupted.Name, token).ConfigureAwait(false);
        await filelist.UploadAsync(fileset, isFull: false, token).ConfigureAwait(false);
        return true;
    }

    // Entries are copied as they are: what the interrupted backup had recorded, and of the version before it what that one had not
    // come to.
    private async Task FillAsync(long filesetId, long interruptedId, long previousId, DateTime time, CancellationToken token)
    {
        var recorded = new RecordedPaths();
        var links = SymbolicLinks.Paths(database, interruptedId);
        await database
            .AppendFilesFromPreviousSetWithPredicateAsync(
                (path, _) =>
                {
                    recorded.Add(path, links.Contains(path));
                    return false;
                },
                filesetId,
                interruptedId,
                time,
                token
            )
            .ConfigureAwait(false);
        if (previousId < 0)
            return;
        links = SymbolicLinks.Paths(database, previousId);
        await database
            .AppendFilesFromPreviousSetWithPredicateAsync(
                (path, _) => recorded.Excludes(path, links.Contains(path)),
                filesetId,
                previousId,
                time,
                token
            )
            .ConfigureAwait(false);
    }
}

/// <summary>
/// The paths of a fileset, to tell which entries of an earlier one can stand beside them: not one of the same path, and none where a
/// folder would have to be what is a file or a link now, or the other way round.
/// </summary>
/// <remarks>Memory: about 40 bytes a path, whatever its length, and as much a folder. Not safe for concurrent use.</remarks>
internal sealed class RecordedPaths
{
    private enum Kind
    {
        // Not recorded itself, but something below it is.
        Above,
        Folder,
        Other,
    }

    // By digest of the path without the separator at its end.
    private readonly Dictionary<UInt128, Kind> m_paths = [];

    /// <summary>Adds a full path; folders, and links to folders, end with a separator.</summary>
    internal void Add(string path, bool isLink)
    {
        var separator = PathCheck.Separator(path);
        var rest = Trimmed(path, separator);
        m_paths[Digest(rest)] = rest.Length < path.Length && !isLink ? Kind.Folder : Kind.Other;
        for (var end = rest.LastIndexOf(separator); end > 0; end = rest.LastIndexOf(separator))
        {
            rest = rest[..end];
            if (!m_paths.TryAdd(Digest(rest), Kind.Above))
                return;
        }
    }

    /// <summary>
    /// Whether an entry of this path must not be added: the path is there, or needs a folder where something else is now, or is something
    /// else where there must be a folder now.
    /// </summary>
    internal bool Excludes(string path, bool isLink)
    {
        var separator = PathCheck.Separator(path);
        var rest = Trimmed(path, separator);
        if (m_paths.TryGetValue(Digest(rest), out var known))
            return known != Kind.Above || isLink || rest.Length == path.Length;

        for (var end = rest.LastIndexOf(separator); end > 0; end = rest.LastIndexOf(separator))
        {
            rest = rest[..end];
            if (m_paths.TryGetValue(Digest(rest), out known))
                return known == Kind.Other;
        }

        return false;
    }

    private static ReadOnlySpan<char> Trimmed(string path, char separator) =>
        path.Length > 1 && path[^1] == separator ? path.AsSpan(0, path.Length - 1) : path;

    private static UInt128 Digest(ReadOnlySpan<char> path)
    {
        Span<byte> digest = stackalloc byte[SHA256.HashSizeInBytes];
        SHA256.HashData(MemoryMarshal.AsBytes(path), digest);
        return BitConverter.ToUInt128(digest);
    }
}
