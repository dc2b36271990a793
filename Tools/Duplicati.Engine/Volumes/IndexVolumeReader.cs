// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>Reads an index volume (dindex).</summary>
/// <remarks>Not safe for concurrent use; different volumes can be read at the same time.</remarks>
public sealed class IndexVolumeReader : IDisposable
{
    private readonly VolumeArchive m_archive;
    private readonly VolumeFormat m_format;

    private IndexVolumeReader(VolumeArchive archive)
    {
        m_archive = archive;
        m_format = new VolumeFormat().Adopt(archive.Manifest, archive.Volume);
    }

    /// <summary>What the volume was made with.</summary>
    public VolumeManifest Manifest => m_archive.Manifest;

    /// <summary>The length of the raw digests handed out, bytes.</summary>
    public int DigestSize => m_format.BlockHash.DigestSize;

    /// <summary>
    /// How many blocklists <see cref="ReadBlocklists"/> passed over so far: of a wrong hash, of a wrong length, or not readable.
    /// </summary>
    public int RejectedBlocklists { get; private set; }

    /// <summary>Opens a volume.</summary>
    /// <param name="stream">The decrypted volume, seekable; closed with the reader, and when this fails.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <exception cref="VolumeException">The volume is damaged or its manifest is invalid.</exception>
    public static IndexVolumeReader Open(Stream stream, string volume) =>
        VolumeArchive.Open(stream, volume, archive => new IndexVolumeReader(archive));

    /// <summary>
    /// The block volumes described, one after the other; each is valid until the next. Names that are none of block volumes are passed
    /// over.
    /// </summary>
    /// <exception cref="CorruptVolumeException">While enumerating: an entry is damaged.</exception>
    public IEnumerable<IndexedVolume> ReadVolumes()
    {
        foreach (var entry in Folder(IndexVolumeWriter.VOLUME_FOLDER))
        {
            var name = VolumeName.Parse(entry.Name[IndexVolumeWriter.VOLUME_FOLDER.Length..]);
            if (name is not { Type: Library.Main.RemoteVolumeType.Blocks, IsParityCompanion: false })
                continue;
            var json = new JsonTokenStream(m_archive.OpenEntry(entry), m_archive.Volume, entry.Name);
            using var volume = new IndexedVolume(name, json, DigestSize, m_format.Blocksize, entry.PackedLength);
            yield return volume;
        }
    }

    /// <summary>The blocklists whose content fits their hash; the others are counted in <see cref="RejectedBlocklists"/>.</summary>
    public IEnumerable<IndexedBlocklist> ReadBlocklists()
    {
        RejectedBlocklists = 0;
        var buffer = Array.Empty<byte>();
        foreach (var entry in Folder(IndexVolumeWriter.LIST_FOLDER))
        {
            var length = Read(entry, ref buffer);
            if (length >= 0)
                yield return new(HashOf(entry), buffer.AsMemory(0, length));
            else
                RejectedBlocklists++;
        }
    }

    /// <inheritdoc/>
    public void Dispose() => m_archive.Dispose();

    private static string HashOf(VolumeEntry entry) => HashEncoding.FromEntryName(entry.Name[IndexVolumeWriter.LIST_FOLDER.Length..]);

    private IEnumerable<VolumeEntry> Folder(string folder) =>
        m_archive.Entries.Where(entry => entry.Name.StartsWith(folder, StringComparison.Ordinal));

    /// <summary>Reads and checks a blocklist; returns its length, -1 if it was rejected.</summary>
    private int Read(VolumeEntry entry, ref byte[] buffer)
    {
        if (entry.Length <= 0 || entry.Length > m_format.Blocksize || entry.Length % DigestSize != 0)
            return -1;
        try
        {
            m_archive.CheckDeclaredSize(entry);
            if (buffer.Length < entry.Length)
                buffer = new byte[entry.Length];
            var length = m_archive.ReadEntry(entry, buffer);
            return IsContent(entry, buffer.AsSpan(0, length)) ? length : -1;
        }
        catch (CorruptVolumeException)
        {
            return -1;
        }
    }

    private bool IsContent(VolumeEntry entry, ReadOnlySpan<byte> content) =>
        string.Equals(m_format.BlockHash.HashToBase64(content), HashOf(entry), StringComparison.Ordinal);
}

/// <summary>A blocklist of an index volume whose content was checked against its hash.</summary>
/// <param name="Hash">Its block hash, Base64.</param>
/// <param name="Digests">Its content: raw digests one after the other. Valid until the next blocklist is asked for.</param>
public readonly record struct IndexedBlocklist(string Hash, ReadOnlyMemory<byte> Digests);
