// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Writes an index volume (dindex): what is in one or more block volumes, and the blocklists made while they were filled.
/// </summary>
/// <remarks>Not safe for concurrent use. The volume is complete once this is disposed.</remarks>
public sealed class IndexVolumeWriter : IDisposable
{
    /// <summary>The folder of the descriptions of block volumes.</summary>
    internal const string VOLUME_FOLDER = "vol/";

    /// <summary>The folder of the blocklists.</summary>
    internal const string LIST_FOLDER = "list/";

    private readonly IContainerWriter m_archive;
    private readonly VolumeFormat m_format;

    /// <summary>Starts a volume.</summary>
    /// <param name="name">Its name.</param>
    /// <param name="target">Takes the volume, seekable; closed with this.</param>
    /// <param name="format">What the backup is made with.</param>
    /// <exception cref="ArgumentException">The name is not that of an index volume.</exception>
    public IndexVolumeWriter(VolumeName name, Stream target, VolumeFormat format)
    {
        ArgumentNullException.ThrowIfNull(name);
        if (name.Type != RemoteVolumeType.Index)
            throw new ArgumentException($"{name} is not the name of an index volume.", nameof(name));
        Name = name;
        m_format = format;
        m_archive = ContainerWriter.Start(target, format.For(name));
    }

    /// <summary>The name of the volume.</summary>
    public VolumeName Name { get; }

    /// <summary>Describes a block volume.</summary>
    /// <param name="volume">Its name.</param>
    /// <param name="blocks">The Base64 hash and the size in bytes of every block in it.</param>
    /// <param name="volumeHash">The file hash, Base64, of the uploaded (encrypted) file; null if it is not known, then its size is not
    /// written either.</param>
    /// <param name="volumeSize">The size of the uploaded file, bytes.</param>
    /// <param name="token">Cancels; the volume is then incomplete.</param>
    /// <returns>Ends when the entry is written.</returns>
    public async Task AddVolumeAsync(
        VolumeName volume,
        IAsyncEnumerable<KeyValuePair<string, long>> blocks,
        string? volumeHash,
        long volumeSize,
        CancellationToken token
    )
    {
        ArgumentNullException.ThrowIfNull(volume);
        ArgumentNullException.ThrowIfNull(blocks);
        var entry = m_archive.CreateEntry(VOLUME_FOLDER + volume.FileName);
        await using var entryScope = entry.ConfigureAwait(false);
        using var json = new JsonTextWriter(entry, byteOrderMark: false);
        json.Raw("{\"blocks\":["u8);
        var first = true;
        await foreach (var (hash, size) in blocks.WithCancellation(token).ConfigureAwait(false))
        {
            json.Raw(first ? "{\"hash\":"u8 : ",{\"hash\":"u8).Text(hash);
            json.Raw(",\"size\":"u8).Number(size).Raw("}"u8);
            first = false;
        }

        json.Raw("]"u8);
        if (volumeHash is not null)
        {
            json.Raw(",\"volumehash\":"u8).Text(volumeHash);
            json.Raw(",\"volumesize\":"u8).Number(volumeSize);
        }

        json.Raw("}"u8);
    }

    /// <summary>Adds a blocklist.</summary>
    /// <param name="hash">Its block hash, Base64.</param>
    /// <param name="digests">Its content: raw digests one after the other.</param>
    /// <exception cref="ArgumentException">The length is not a multiple of the digest size.</exception>
    public void AddBlocklist(string hash, ReadOnlySpan<byte> digests)
    {
        if (digests.Length % m_format.BlockHash.DigestSize != 0)
            throw new ArgumentException($"A blocklist of {digests.Length} bytes does not hold whole digests.", nameof(digests));
        m_archive.Write(System.Text.Encoding.ASCII.GetBytes(LIST_FOLDER + HashEncoding.ToEntryName(hash)), digests, compressible: false);
    }

    /// <summary>Ends the volume and closes the target. Can be called more than once.</summary>
    public void Dispose() => m_archive.Dispose();
}
