// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Reads the directory of a zip container. The framework's reader does not tell by which method an entry is packed. Format: PKWARE
/// APPNOTE 6.3.10, 4.3.7 and 4.3.12 to 4.3.16.
/// </summary>
internal static class ZipContainer
{
    private const int LocalHeaderBytes = 30;
    private const int HeaderBytes = 46;
    private const int EndBytes = 22;
    private const int LocatorBytes = 20;
    private const int LargeEndBytes = 56;
    private const int FewBytes = 4096;
    private const ushort LargeField = 1;

    private static ReadOnlySpan<byte> EndSignature => [0x50, 0x4B, 0x05, 0x06];

    /// <summary>The entries in the order of the directory.</summary>
    /// <param name="stream">The container, seekable.</param>
    /// <exception cref="InvalidDataException">It is no zip container, or the directory is damaged.</exception>
    internal static IEnumerable<VolumeEntry> Entries(Stream stream)
    {
        var (offset, count) = FindDirectory(stream);
        var buffer = new byte[FewBytes];
        stream.Position = offset;
        for (var i = 0L; i < count; i++)
            yield return ReadEntry(stream, ref buffer);
    }

    /// <summary>Where the packed content of an entry begins.</summary>
    /// <param name="stream">The container, seekable.</param>
    /// <param name="length">Its length, bytes.</param>
    /// <param name="entry">The entry.</param>
    /// <exception cref="InvalidDataException">Its own header is damaged, or it goes beyond the end of the container.</exception>
    internal static long ContentOffset(Stream stream, long length, VolumeEntry entry)
    {
        Span<byte> header = stackalloc byte[LocalHeaderBytes];
        stream.Position = entry.Offset;
        stream.ReadExactly(header);
        if (BinaryPrimitives.ReadUInt32LittleEndian(header) != 0x04034B50)
            throw new InvalidDataException("The entry has no header.");
        var names = BinaryPrimitives.ReadUInt16LittleEndian(header[26..]) + BinaryPrimitives.ReadUInt16LittleEndian(header[28..]);
        var start = entry.Offset + LocalHeaderBytes + names;
        return entry.PackedLength <= length - start
            ? start
            : throw new InvalidDataException("The entry goes beyond the end of the container.");
    }

    private static VolumeEntry ReadEntry(Stream stream, ref byte[] buffer)
    {
        Span<byte> header = stackalloc byte[HeaderBytes];
        stream.ReadExactly(header);
        if (BinaryPrimitives.ReadUInt32LittleEndian(header) != 0x02014B50)
            throw new InvalidDataException("An entry of the directory has no header.");
        int nameBytes = BinaryPrimitives.ReadUInt16LittleEndian(header[28..]);
        int extraBytes = BinaryPrimitives.ReadUInt16LittleEndian(header[30..]);
        if (nameBytes + extraBytes > buffer.Length)
            buffer = new byte[nameBytes + extraBytes];
        stream.ReadExactly(buffer, 0, nameBytes + extraBytes);
        stream.Seek(BinaryPrimitives.ReadUInt16LittleEndian(header[32..]), SeekOrigin.Current);

        long packed = BinaryPrimitives.ReadUInt32LittleEndian(header[20..]);
        long length = BinaryPrimitives.ReadUInt32LittleEndian(header[24..]);
        long offset = BinaryPrimitives.ReadUInt32LittleEndian(header[42..]);
        ReadLarge(buffer.AsSpan(nameBytes, extraBytes), ref length, ref packed, ref offset);
        return new VolumeEntry(
            Encoding.UTF8.GetString(buffer, 0, nameBytes),
            length,
            packed,
            offset,
            (ZipMethod)BinaryPrimitives.ReadUInt16LittleEndian(header[10..]),
            BinaryPrimitives.ReadUInt32LittleEndian(header[16..])
        );
    }

    // Numbers that do not fit into the header are in a field of its extra part, in this order.
    private static void ReadLarge(ReadOnlySpan<byte> extra, ref long length, ref long packed, ref long offset)
    {
        while (extra.Length >= 4)
        {
            var id = BinaryPrimitives.ReadUInt16LittleEndian(extra);
            int size = BinaryPrimitives.ReadUInt16LittleEndian(extra[2..]);
            extra = extra[4..];
            if (size > extra.Length)
                return;
            if (id == LargeField)
            {
                var fields = extra[..size];
                Take(ref fields, ref length);
                Take(ref fields, ref packed);
                Take(ref fields, ref offset);
                return;
            }

            extra = extra[size..];
        }
    }

    private static void Take(ref ReadOnlySpan<byte> fields, ref long value)
    {
        if (value != uint.MaxValue || fields.Length < sizeof(long))
            return;
        value = BinaryPrimitives.ReadInt64LittleEndian(fields);
        fields = fields[sizeof(long)..];
        if (value < 0)
            throw new InvalidDataException("A size in the directory is impossible.");
    }

    // A comment of up to 64 KB may follow the end of the directory; Duplicati writes none.
    private static (long Offset, long Count) FindDirectory(Stream stream)
    {
        var length = stream.Length;
        foreach (var most in (int[])[FewBytes, EndBytes + ushort.MaxValue])
        {
            var tail = new byte[Math.Min(length, most)];
            stream.Position = length - tail.Length;
            stream.ReadExactly(tail);
            if (tail.Length < EndBytes)
                break;
            var at = tail.AsSpan(0, tail.Length - EndBytes + EndSignature.Length).LastIndexOf(EndSignature);
            if (at >= 0)
                return ReadEnd(stream, tail.AsSpan(at), length - tail.Length + at);
        }

        throw new InvalidDataException("The end of the directory is missing.");
    }

    private static (long Offset, long Count) ReadEnd(Stream stream, ReadOnlySpan<byte> end, long endOffset)
    {
        var count = BinaryPrimitives.ReadUInt16LittleEndian(end[10..]);
        if (BinaryPrimitives.ReadUInt32LittleEndian(end[4..]) != 0 || BinaryPrimitives.ReadUInt16LittleEndian(end[8..]) != count)
            throw new InvalidDataException("The container is one of several parts.");
        var bytes = BinaryPrimitives.ReadUInt32LittleEndian(end[12..]);
        var offset = BinaryPrimitives.ReadUInt32LittleEndian(end[16..]);
        var place =
            count == ushort.MaxValue || bytes == uint.MaxValue || offset == uint.MaxValue
                ? ReadLargeEnd(stream, endOffset) ?? (offset, count)
                : (Offset: offset, Count: count);
        return place.Offset >= 0 && place.Offset <= endOffset && place.Count >= 0
            ? place
            : throw new InvalidDataException("The directory is not where its end says.");
    }

    private static (long Offset, long Count)? ReadLargeEnd(Stream stream, long endOffset)
    {
        if (endOffset < LocatorBytes)
            return null;
        Span<byte> locator = stackalloc byte[LocatorBytes];
        stream.Position = endOffset - LocatorBytes;
        stream.ReadExactly(locator);
        if (BinaryPrimitives.ReadUInt32LittleEndian(locator) != 0x07064B50)
            return null;
        Span<byte> end = stackalloc byte[LargeEndBytes];
        stream.Position = BinaryPrimitives.ReadInt64LittleEndian(locator[8..]);
        stream.ReadExactly(end);
        return BinaryPrimitives.ReadUInt32LittleEndian(end) == 0x06064B50
            ? (BinaryPrimitives.ReadInt64LittleEndian(end[48..]), BinaryPrimitives.ReadInt64LittleEndian(end[32..]))
            : throw new InvalidDataException("The end of the directory is damaged.");
    }
}
