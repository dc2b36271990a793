// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Errors;
using SharpCompress.Common;
using ZstdSharp;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// The container of a volume, for reading: zip, or an unpacked tar. Every size in its directory is checked against what its compressed
/// bytes can hold before anything is allocated or read, and every failure is raised as an error that names the volume.
/// </summary>
/// <remarks>Not safe for concurrent use; different volumes can be read at the same time.</remarks>
internal sealed class VolumeArchive : IDisposable
{
    // Deflate needs at least one bit for 258 bytes of output, and a few bytes for its block headers.
    private const long DEFLATE_MAX_RATIO = 1032;
    private const long DEFLATE_SLACK = 1024;

    // BZip2 comes to 46,000, Zstandard to 33,000, the others to less.
    private const long OTHER_MAX_RATIO = 65536;

    // Entries do not share bytes: to unpack the same ones for each would take hours for a small file. A few damaged sizes are not that.
    private const long MOST_CLAIMS = 4;

    private readonly Stream m_content;

    // A file asks the system each time, and several questions an entry took a third of a restore.
    private readonly long m_length;
    private readonly bool m_isTar;
    private readonly Dictionary<string, VolumeEntry> m_entries = new(StringComparer.Ordinal);

    private VolumeArchive(string volume, Stream content)
    {
        Volume = volume;
        m_content = content;
        m_length = content.Length;
        m_isTar = TarContainer.IsTar(content);
        // The last one of a name counts, in the place of the first.
        var claimed = 0L;
        foreach (var entry in m_isTar ? TarContainer.Entries(content) : ZipContainer.Entries(content))
        {
            m_entries[entry.Name] = entry;
            if (entry.PackedLength <= m_length)
                claimed += entry.PackedLength;
        }

        if (claimed / MOST_CLAIMS > m_length)
            throw new CorruptVolumeException(volume, $"Its entries declare {claimed} packed bytes in a file of {m_length}.");
        Manifest = ReadManifest();
    }

    /// <summary>The file name of the volume, for errors.</summary>
    public string Volume { get; }

    /// <summary>What the volume was made with.</summary>
    public VolumeManifest Manifest { get; }

    /// <summary>All entries, the last one of each name, in the order of the directory.</summary>
    public IEnumerable<VolumeEntry> Entries => m_entries.Values;

    /// <summary>Reads the directory and the manifest.</summary>
    /// <param name="stream">The decrypted volume, seekable; closed with this, and when this fails.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <exception cref="CorruptVolumeException">It is no container that is known, or its directory is damaged.</exception>
    /// <exception cref="InvalidManifestException">The manifest is missing or not readable.</exception>
    public static VolumeArchive Open(Stream stream, string volume)
    {
        ArgumentNullException.ThrowIfNull(stream);
        ArgumentNullException.ThrowIfNull(volume);
        try
        {
            return new VolumeArchive(volume, stream);
        }
        catch (Exception ex)
        {
            stream.Dispose();
            if (IsDamage(ex))
                throw new CorruptVolumeException(volume, "The file is not a readable container.", ex);
            throw;
        }
    }

    /// <summary>Reads the directory and the manifest, and makes a reader, which closes this.</summary>
    /// <param name="stream">As above.</param>
    /// <param name="volume">As above.</param>
    /// <param name="read">Makes the reader; this is closed when it fails.</param>
    public static T Open<T>(Stream stream, string volume, Func<VolumeArchive, T> read)
    {
        var archive = Open(stream, volume);
        try
        {
            return read(archive);
        }
        catch
        {
            archive.Dispose();
            throw;
        }
    }

    /// <summary>Looks an entry up.</summary>
    /// <param name="name">Its full name.</param>
    public VolumeEntry? Find(string name) => m_entries.TryGetValue(name, out var entry) ? entry : null;

    /// <summary>
    /// Opens an entry for forward reading of exactly the bytes it declares. Its checksum is compared with the last of them.
    /// </summary>
    /// <param name="entry">The entry.</param>
    /// <exception cref="CorruptVolumeException">It declares more than it can hold; while reading: it is damaged, shorter or
    /// longer.</exception>
    public Stream OpenEntry(VolumeEntry entry) => OpenEntry(entry, entry.Checksum);

    /// <summary>Reads a whole entry into a buffer. Its checksum is not compared: the content of blocks has a stronger one.</summary>
    /// <param name="entry">The entry.</param>
    /// <param name="buffer">Takes the content.</param>
    /// <returns>The length of the content.</returns>
    /// <exception cref="CorruptVolumeException">It is damaged or does not fit the buffer.</exception>
    public int ReadEntry(VolumeEntry entry, Span<byte> buffer)
    {
        if (entry.Length > buffer.Length)
            throw new CorruptVolumeException(
                Volume,
                $"The entry '{entry.Name}' declares {entry.Length} bytes, at most {buffer.Length} are possible."
            );
        using var content = OpenEntry(entry, checksum: null);
        return ReadToEnd(content, buffer[..(int)entry.Length]);
    }

    /// <summary>Requires the declared size of an entry to be possible for its compressed bytes, and those for the container.</summary>
    /// <param name="entry">The entry.</param>
    /// <exception cref="CorruptVolumeException">It is not.</exception>
    public void CheckDeclaredSize(VolumeEntry entry)
    {
        var ratio = entry.Method is ZipMethod.None or ZipMethod.Deflate ? DEFLATE_MAX_RATIO : OTHER_MAX_RATIO;
        var most = entry.PackedLength > long.MaxValue / (2 * ratio) ? long.MaxValue : (entry.PackedLength * ratio) + DEFLATE_SLACK;
        if (entry.Length < 0 || entry.PackedLength < 0 || entry.PackedLength > m_length || entry.Length > most)
            throw new CorruptVolumeException(
                Volume,
                $"The entry '{entry.Name}' declares {entry.Length} bytes in {entry.PackedLength} compressed ones, which is impossible."
            );
    }

    /// <inheritdoc/>
    public void Dispose() => m_content.Dispose();

    /// <summary>Whether an error says that the bytes are damaged, not that a disk or a caller is.</summary>
    internal static bool IsDamage(Exception ex) =>
        ex
            is InvalidDataException
                or EndOfStreamException
                or NotSupportedException
                or ArgumentException
                or OverflowException
                or FormatException
                or IndexOutOfRangeException
                or InvalidOperationException
                or SharpCompressException
                or ZstdException;

    private static int ReadToEnd(Stream content, Span<byte> buffer)
    {
        content.ReadExactly(buffer);
        // One read more: an entry that goes on after its declared size is found here.
        Span<byte> beyond = stackalloc byte[1];
        _ = content.Read(beyond);
        return buffer.Length;
    }

    private VolumeEntryStream OpenEntry(VolumeEntry entry, uint? checksum)
    {
        try
        {
            CheckDeclaredSize(entry);
            var start = m_isTar ? entry.Offset : ZipContainer.ContentOffset(m_content, m_length, entry);
            var packed = new EntryWindow(m_content, start, entry.PackedLength);
            return new VolumeEntryStream(ZipCodec.Unpack(entry.Method, packed, entry.Length), Volume, entry.Name, entry.Length, checksum);
        }
        catch (Exception ex) when (IsDamage(ex))
        {
            throw new CorruptVolumeException(Volume, $"The entry '{entry.Name}' cannot be read: {ex.Message}", ex);
        }
    }

    private VolumeManifest ReadManifest()
    {
        var entry = Find(VolumeManifest.ENTRY_NAME) ?? throw new InvalidManifestException(Volume, "The volume has no manifest.");
        if (entry.Length is < 0 or > VolumeManifest.MAX_LENGTH)
            throw new InvalidManifestException(Volume, $"The manifest declares {entry.Length} bytes.");
        using var content = OpenEntry(entry);
        var buffer = new byte[entry.Length];
        ReadToEnd(content, buffer);
        return VolumeManifest.Parse(buffer, Volume);
    }
}

/// <summary>What a container says of one of its entries.</summary>
/// <param name="Name">The full name. Data: nothing is ever written to a place of that name.</param>
/// <param name="Length">Bytes of the content.</param>
/// <param name="PackedLength">Bytes that it takes in the container.</param>
/// <param name="Offset">Where its header begins in a zip container, and its content in a tar one.</param>
/// <param name="Method">How the content is packed.</param>
/// <param name="Checksum">The CRC-32 of the content; null where the format has none.</param>
internal readonly record struct VolumeEntry(string Name, long Length, long PackedLength, long Offset, ZipMethod Method, uint? Checksum);
