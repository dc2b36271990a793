// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Finds what was uploaded as a volume and lies in the folder under another name, of a volume or not: names that were mixed up, or a repair
/// that was killed while
/// it put them right. Reads files of the very size only, each once, and a bounded number for each volume. Safe for concurrent use.
/// </summary>
/// <param name="folder">The folder, which is listed once.</param>
/// <param name="downloader">Fetches.</param>
internal sealed class MisplacedContents(IRemoteFolder folder, VolumeDownloader downloader)
{
    // Full volumes of data that cannot be compressed are often of one size.
    private const int MostFiles = 16;
    private const int Others = 2;

    // Of one that cannot be fetched, why.
    private readonly ConcurrentDictionary<string, (string Hash, Exception? Unread)> m_hashes = new(StringComparer.Ordinal);
    private readonly Lock m_lock = new();
    private Task<IReadOnlyList<RemoteFile>>? m_listing;

    /// <summary>The name of another file that has the content of a volume; null if none was found.</summary>
    /// <param name="name">The volume.</param>
    /// <param name="hash">Its recorded hash, Base64.</param>
    /// <param name="size">Its recorded size, bytes.</param>
    /// <param name="suspects">Names of files that are looked at first; null for none.</param>
    /// <param name="doubts">Where somebody acts on it that none was found: told what the disk cannot read that may be it. What may be it
    /// and cannot be fetched for now is an error then. Null to pass over both.</param>
    /// <param name="token">Cancels.</param>
    /// <exception cref="RemoteFileUnreadableException">See <paramref name="doubts"/>.</exception>
    internal async Task<string?> FindAsync(
        string name,
        string hash,
        long size,
        IReadOnlySet<string>? suspects,
        IEngineProgress? doubts,
        CancellationToken token
    )
    {
        var looked = 0;
        var unread = new List<Exception>();
        var listed = await ListAsync(token).ConfigureAwait(false);
        foreach (var file in listed.Where(x => x.Name != name && x.HasSize(size)).OrderBy(x => Order(x.Name, suspects)))
        {
            if (!m_hashes.TryGetValue(file.Name, out var found) && looked++ < MostFiles)
                m_hashes[file.Name] = found = await HashAsync(file.Name, token).ConfigureAwait(false);
            if (found.Hash == hash)
                return file.Name;
            if (found.Unread is not null && Order(file.Name, suspects) < Others)
                unread.Add(found.Unread);
        }

        if (doubts is null)
            return null;
        foreach (var damage in unread.OfType<VolumeException>())
            doubts.Warning($"{damage.What()} It may be {name}.");
        return unread.OfType<RemoteFileUnreadableException>().FirstOrDefault() is { } error ? throw error : null;
    }

    // Names of no volume before those of others, which most likely are theirs.
    private static int Order(string name, IReadOnlySet<string>? suspects) =>
        suspects?.Contains(name) == true ? 0
        : VolumeName.Parse(name) is null or { IsLeftover: true } ? 1
        : Others;

    private Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token)
    {
        lock (m_lock)
            return m_listing is null or { IsCompletedSuccessfully: false, IsCompleted: true }
                ? m_listing = folder.ListAllAsync(token)
                : m_listing;
    }

    private async Task<(string Hash, Exception? Unread)> HashAsync(string name, CancellationToken token)
    {
        try
        {
            return (await downloader.HashAsync(name, token).ConfigureAwait(false), null);
        }
        catch (RemoteFileMissingException)
        {
            // Somebody has removed it.
            return ("", null);
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException)
        {
            return ("", ex);
        }
    }
}
