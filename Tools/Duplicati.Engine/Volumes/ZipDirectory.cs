// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// The directory of a zip container while it is written, in its final form. Format: PKWARE APPNOTE 6.3.10, 4.3.12 to 4.3.16.
/// </summary>
/// <remarks>Not safe for concurrent use. 46 bytes and the name an entry, 12 more past 4 GiB.</remarks>
internal sealed class ZipDirectory
{
    private const int HeaderBytes = 46;
    private const int LargeOffsetBytes = 12;
    private const int ChunkBytes = 32 * 1024;
    private const int EndBytes = 22;
    private const int LargeEndBytes = 56 + 20;
    private const ushort VersionPlain = 20;
    private const ushort VersionLarge = 45;

    // Small enough to be moved and freed by the collector like any other object.
    private readonly List<byte[]> m_full = [];
    private byte[] m_chunk = new byte[ChunkBytes];
    private int m_used;
    private long m_bytes;
    private long m_count;

    /// <summary>What the local header and the directory both say about an entry.</summary>
    internal readonly record struct Entry(ushort Method, uint Time, uint Crc, uint PackedBytes, uint Bytes)
    {
        /// <summary>Writes 24 bytes, from the flags to the length of an extra field, of which there is none.</summary>
        internal void WriteTo(Span<byte> target, int nameBytes)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(target, 0);
            BinaryPrimitives.WriteUInt16LittleEndian(target[2..], Method);
            BinaryPrimitives.WriteUInt32LittleEndian(target[4..], Time);
            BinaryPrimitives.WriteUInt32LittleEndian(target[8..], Crc);
            BinaryPrimitives.WriteUInt32LittleEndian(target[12..], PackedBytes);
            BinaryPrimitives.WriteUInt32LittleEndian(target[16..], Bytes);
            BinaryPrimitives.WriteUInt16LittleEndian(target[20..], (ushort)nameBytes);
            BinaryPrimitives.WriteUInt16LittleEndian(target[22..], 0);
        }
    }

    /// <summary>A local time as zip files have it: two seconds a step, from 1980 on.</summary>
    internal static uint DosTime(DateTime time) =>
        ((uint)Math.Clamp(time.Year - 1980, 0, 127) << 25)
        | ((uint)time.Month << 21)
        | ((uint)time.Day << 16)
        | ((uint)time.Hour << 11)
        | ((uint)time.Minute << 5)
        | ((uint)time.Second / 2);

    /// <summary>Adds an entry that begins at an offset.</summary>
    internal void Add(ReadOnlySpan<byte> name, Entry entry, long offset)
    {
        var isFar = offset >= uint.MaxValue;
        var length = HeaderBytes + name.Length + (isFar ? LargeOffsetBytes : 0);
        var header = Reserve(length);
        header.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(header, 0x02014B50);
        BinaryPrimitives.WriteUInt16LittleEndian(header[4..], isFar ? VersionLarge : VersionPlain);
        BinaryPrimitives.WriteUInt16LittleEndian(header[6..], isFar ? VersionLarge : VersionPlain);
        entry.WriteTo(header[8..], name.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(header[42..], isFar ? uint.MaxValue : (uint)offset);
        name.CopyTo(header[HeaderBytes..]);
        if (isFar)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(header[30..], LargeOffsetBytes);
            var extra = header[(HeaderBytes + name.Length)..];
            BinaryPrimitives.WriteUInt16LittleEndian(extra, 1);
            BinaryPrimitives.WriteUInt16LittleEndian(extra[2..], sizeof(long));
            BinaryPrimitives.WriteInt64LittleEndian(extra[4..], offset);
        }

        m_count++;
        m_bytes += length;
    }

    /// <summary>Writes the directory and the end of the container.</summary>
    /// <param name="target">At the end of the entries.</param>
    /// <param name="offset">Where that is in the container.</param>
    internal void WriteTo(Stream target, long offset)
    {
        foreach (var chunk in m_full)
            target.Write(chunk);
        target.Write(m_chunk, 0, m_used);
        if (m_count >= ushort.MaxValue || offset >= uint.MaxValue || m_bytes >= uint.MaxValue)
            WriteLargeEnd(target, offset);

        Span<byte> end = stackalloc byte[EndBytes];
        end.Clear();
        var count = (ushort)Math.Min(m_count, ushort.MaxValue);
        BinaryPrimitives.WriteUInt32LittleEndian(end, 0x06054B50);
        BinaryPrimitives.WriteUInt16LittleEndian(end[8..], count);
        BinaryPrimitives.WriteUInt16LittleEndian(end[10..], count);
        BinaryPrimitives.WriteUInt32LittleEndian(end[12..], (uint)Math.Min(m_bytes, uint.MaxValue));
        BinaryPrimitives.WriteUInt32LittleEndian(end[16..], (uint)Math.Min(offset, uint.MaxValue));
        target.Write(end);
    }

    // The record of zip64 and the locator that tells where it is.
    private void WriteLargeEnd(Stream target, long offset)
    {
        Span<byte> end = stackalloc byte[LargeEndBytes];
        end.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(end, 0x06064B50);
        BinaryPrimitives.WriteInt64LittleEndian(end[4..], 44);
        BinaryPrimitives.WriteUInt16LittleEndian(end[12..], VersionLarge);
        BinaryPrimitives.WriteUInt16LittleEndian(end[14..], VersionLarge);
        BinaryPrimitives.WriteInt64LittleEndian(end[24..], m_count);
        BinaryPrimitives.WriteInt64LittleEndian(end[32..], m_count);
        BinaryPrimitives.WriteInt64LittleEndian(end[40..], m_bytes);
        BinaryPrimitives.WriteInt64LittleEndian(end[48..], offset);
        BinaryPrimitives.WriteUInt32LittleEndian(end[56..], 0x07064B50);
        BinaryPrimitives.WriteInt64LittleEndian(end[64..], offset + m_bytes);
        BinaryPrimitives.WriteUInt32LittleEndian(end[72..], 1);
        target.Write(end);
    }

    // Records go across the ends of chunks in one piece, so the last bytes of a full chunk are cut off.
    private Span<byte> Reserve(int length)
    {
        if (m_used + length > m_chunk.Length)
        {
            m_full.Add(m_chunk.AsSpan(0, m_used).ToArray());
            m_used = 0;
        }

        var record = m_chunk.AsSpan(m_used, length);
        m_used += length;
        return record;
    }
}
