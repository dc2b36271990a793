// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Reads the blocks that are left in a damaged block volume. Nothing but the blocks themselves is relied on: entries are looked for by the
/// signatures of their own headers and of the directory's in a zip container, and by headers at full blocks in a tar one, wherever those
/// are, and only content that fits its hash counts.
/// </summary>
/// <remarks>
/// Not safe for concurrent use; different volumes can be read at the same time. Memory: about 250 bytes a block. Format: PKWARE APPNOTE
/// 6.3.10, 4.3.7 and 4.3.12.
/// </remarks>
public sealed class SalvageReader : IDisposable
{
    private const int LocalHeaderBytes = 30;
    private const int DirectoryHeaderBytes = 46;
    private const int MostNameBytes = 512;
    private const int WindowBytes = 1024 * 1024;
    private const int OverlapBytes = DirectoryHeaderBytes + MostNameBytes;

    // A block has two, in its own header and in the directory, and a few more where its content is that of volumes. Each costs as much as a
    // block to be tried, and nothing but this limits how often a name is written.
    private const int MostPlaces = 16;

    // No method makes a block larger by more than this; without a limit each place could be made to cost the whole volume.
    private const int MostPackedBytesMore = 64 * 1024;

    private readonly Stream m_content;
    private readonly long m_length;
    private readonly VolumeHash m_algorithm;
    private readonly CancellationToken m_token;
    private readonly Dictionary<string, List<Place>> m_places = new(StringComparer.Ordinal);

    private SalvageReader(Stream content, VolumeHash algorithm, CancellationToken token)
    {
        m_content = content;
        m_length = content.Length;
        m_algorithm = algorithm;
        m_token = token;
    }

    /// <summary>Where the content of an entry may begin; its lengths are negative if they are not known.</summary>
    private readonly record struct Place(long Offset, long PackedBytes, long Bytes, ZipMethod Method);

    /// <summary>Hashes in Base64 of the blocks of which a header is left. Their content may be lost all the same.</summary>
    public IReadOnlyCollection<string> Hashes => m_places.Keys;

    private static ReadOnlySpan<byte> LocalSignature => [0x50, 0x4B, 0x03, 0x04];

    private static ReadOnlySpan<byte> DirectorySignature => [0x50, 0x4B, 0x01, 0x02];

    /// <summary>Looks through a volume once, from its beginning to its end.</summary>
    /// <param name="content">The volume, decrypted as far as that is possible, seekable; closed with the reader.</param>
    /// <param name="algorithm">The algorithm of blocks.</param>
    /// <param name="token">Cancels, this and the reading of blocks.</param>
    public static SalvageReader Open(Stream content, VolumeHash algorithm, CancellationToken token = default)
    {
        ArgumentNullException.ThrowIfNull(content);
        ArgumentNullException.ThrowIfNull(algorithm);
        var reader = new SalvageReader(content, algorithm, token);
        reader.Scan();
        return reader;
    }

    /// <summary>Reads a block whose content fits its hash.</summary>
    /// <param name="hash">Its hash in Base64.</param>
    /// <param name="size">Its length as the database knows it, bytes; negative if it is not known.</param>
    /// <param name="buffer">Takes the content, at least as long as the block.</param>
    /// <returns>The length of the block; -1 if it is lost.</returns>
    public int Read(string hash, long size, Span<byte> buffer)
    {
        if (!m_places.TryGetValue(hash, out var places))
            return -1;
        foreach (var place in places)
        {
            m_token.ThrowIfCancellationRequested();
            var length = place.Method == ZipMethod.None ? Copy(place, size, buffer) : Unpack(place, size, buffer);
            if (length >= 0 && (size < 0 || length == size) && BlockVolumeReader.IsContent(hash, m_algorithm, buffer[..length]))
                return length;
        }

        return -1;
    }

    /// <inheritdoc/>
    public void Dispose() => m_content.Dispose();

    private int Unpack(Place place, long size, Span<byte> buffer)
    {
        var length = 0;
        try
        {
            var most = (int)Math.Min(buffer.Length, Length(place, size));
            var mostPacked = (2L * buffer.Length) + MostPackedBytesMore;
            var packed = new EntryWindow(m_content, place.Offset, Math.Min(mostPacked, m_length - place.Offset));
            using var content = ZipCodec.Unpack(place.Method, packed, most);
            while (length < most && content.Read(buffer[length..most]) is > 0 and var read)
                length += read;
        }
        catch (Exception ex) when (VolumeArchive.IsDamage(ex))
        {
            // What follows the content may be taken for more of it.
        }

        return length;
    }

    // Some methods do not tell where they end.
    private static long Length(Place place, long size) =>
        size >= 0 ? size
        : place.Method is ZipMethod.LZMA or ZipMethod.PPMd && place.Bytes >= 0 ? place.Bytes
        : long.MaxValue;

    private int Copy(Place place, long size, Span<byte> buffer)
    {
        var length = size >= 0 ? size : place.PackedBytes;
        if (length < 0 || length > buffer.Length || place.Offset + length > m_length)
            return -1;
        m_content.Position = place.Offset;
        m_content.ReadExactly(buffer[..(int)length]);
        return (int)length;
    }

    private void Scan()
    {
        var window = new byte[WindowBytes];
        for (long start = 0; ; )
        {
            m_token.ThrowIfCancellationRequested();
            m_content.Position = start;
            var filled = m_content.ReadAtLeast(window, window.Length, throwOnEndOfStream: false);
            var isEnd = filled < window.Length;
            // A header that begins within the overlap is seen whole in the next window.
            var last = isEnd ? filled : filled - OverlapBytes;
            Scan(window.AsSpan(0, filled), last, start);
            ScanTar(window.AsSpan(0, filled), last, start);
            if (isEnd)
                return;
            start += last;
        }
    }

    private void Scan(ReadOnlySpan<byte> window, int last, long start)
    {
        for (var at = 0; at < last; at++)
        {
            var next = window[at..last].IndexOf(LocalSignature[..2]);
            if (next < 0)
                return;
            at += next;
            var header = window[at..];
            if (header.StartsWith(LocalSignature) && header.Length >= LocalHeaderBytes)
                AddLocal(header, start + at);
            else if (header.StartsWith(DirectorySignature) && header.Length >= DirectoryHeaderBytes)
                AddListed(header);
        }
    }

    // Headers of a tar container begin at full blocks.
    private void ScanTar(ReadOnlySpan<byte> window, int last, long start)
    {
        var first = (int)(-start & (TarContainer.BlockBytes - 1));
        for (var at = first; at < last && at + TarContainer.BlockBytes <= window.Length; at += TarContainer.BlockBytes)
        {
            if (TarContainer.TryParse(window.Slice(at, TarContainer.BlockBytes), out var header) && header.IsFile)
                Add(header.Name, new Place(start + at + TarContainer.BlockBytes, header.Length, header.Length, ZipMethod.None));
        }
    }

    private void AddLocal(ReadOnlySpan<byte> header, long offset)
    {
        var name = BinaryPrimitives.ReadUInt16LittleEndian(header[26..]);
        var extra = BinaryPrimitives.ReadUInt16LittleEndian(header[28..]);
        var start = offset + LocalHeaderBytes + name + extra;
        Add(header[LocalHeaderBytes..], name, new Place(start, Size(header[18..]), Size(header[22..]), Method(header[8..])));
    }

    // Of use where the entry's own header is damaged; that it has no extra field is a guess that the hash confirms.
    private void AddListed(ReadOnlySpan<byte> header)
    {
        var name = BinaryPrimitives.ReadUInt16LittleEndian(header[28..]);
        var offset = BinaryPrimitives.ReadUInt32LittleEndian(header[42..]);
        var start = offset + LocalHeaderBytes + name;
        if (offset != uint.MaxValue)
            Add(header[DirectoryHeaderBytes..], name, new Place(start, Size(header[20..]), Size(header[24..]), Method(header[10..])));
    }

    private void Add(ReadOnlySpan<byte> text, int nameBytes, Place place)
    {
        if (nameBytes is > 0 and <= MostNameBytes && nameBytes <= text.Length)
            Add(Encoding.Latin1.GetString(text[..nameBytes]), place);
    }

    private void Add(string name, Place place)
    {
        if (place.Offset > m_length || !HashEncoding.IsBlockName(name))
            return;

        var hash = HashEncoding.FromEntryName(name);
        Span<byte> digest = stackalloc byte[VolumeHash.MAX_DIGEST_SIZE];
        if (!HashEncoding.TryDecode(hash, digest[..m_algorithm.DigestSize]))
            return;
        if (!m_places.TryGetValue(hash, out var places))
            m_places.Add(hash, places = new List<Place>(1));
        if (places.Count < MostPlaces && !places.Exists(x => x.Offset == place.Offset))
            places.Add(place);
    }

    // Zero where the length follows the content, all ones where it is in an extra field.
    private static long Size(ReadOnlySpan<byte> field) =>
        BinaryPrimitives.ReadUInt32LittleEndian(field) is var bytes and not (0 or uint.MaxValue) ? bytes : -1;

    private static ZipMethod Method(ReadOnlySpan<byte> field) => (ZipMethod)BinaryPrimitives.ReadUInt16LittleEndian(field);
}
