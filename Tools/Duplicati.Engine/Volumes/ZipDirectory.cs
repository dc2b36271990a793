// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// The directory of a zip container while it is written, in its final form. Format: PKWARE APPNOTE 6.3.10, 4.3.12 to 4.3.16.
/// </summary>
/// <remarks>Not safe for concurrent use. 46 bytes and the name an entry, 12 more past 4 GiB.</remarks>
internal sealed class ZipDirectory
{
    private const int HeaderBytes = 46;
    private const int LargeFieldBytes = 4;
    private const int LargeFieldsBytes = LargeFieldBytes + (3 * sizeof(long));
    private const int ChunkBytes = 32 * 1024;
    private const int EndBytes = 22;
    private const int LargeEndBytes = 56 + 20;
    private const ushort VersionPlain = 20;
    private const ushort VersionLarge = 45;
    private const ushort VersionBZip2 = 46;
    private const ushort VersionNewest = 63;
    private const ushort SizesFollow = 8;
    private const ushort NameIsUtf8 = 0x800;

    // Small enough to be moved and freed by the collector like any other object.
    private readonly List<byte[]> m_full = [];
    private byte[] m_chunk = new byte[ChunkBytes];
    private int m_used;
    private long m_bytes;
    private long m_count;

    /// <summary>What the local header and the directory both say about an entry.</summary>
    internal readonly record struct Entry(ZipMethod Method, uint Time, uint Crc, long PackedBytes, long Bytes)
    {
        /// <summary>Whether a size does not fit into a header: then both follow the content.</summary>
        internal bool IsLarge => PackedBytes >= uint.MaxValue || Bytes >= uint.MaxValue;

        /// <summary>The version of the format that a reader must know.</summary>
        internal ushort Version =>
            Method switch
            {
                ZipMethod.None or ZipMethod.Deflate => IsLarge ? VersionLarge : VersionPlain,
                ZipMethod.BZip2 => VersionBZip2,
                _ => VersionNewest,
            };

        /// <summary>Writes 24 bytes, from the flags to the length of an extra field, of which there is none.</summary>
        internal void WriteTo(Span<byte> target, ReadOnlySpan<byte> name)
        {
            BinaryPrimitives.WriteUInt16LittleEndian(
                target,
                (ushort)((IsLarge ? SizesFollow : 0) | (Ascii.IsValid(name) ? 0 : NameIsUtf8))
            );
            BinaryPrimitives.WriteUInt16LittleEndian(target[2..], (ushort)Method);
            BinaryPrimitives.WriteUInt32LittleEndian(target[4..], Time);
            BinaryPrimitives.WriteUInt32LittleEndian(target[8..], Crc);
            BinaryPrimitives.WriteUInt32LittleEndian(target[12..], IsLarge ? uint.MaxValue : (uint)PackedBytes);
            BinaryPrimitives.WriteUInt32LittleEndian(target[16..], IsLarge ? uint.MaxValue : (uint)Bytes);
            BinaryPrimitives.WriteUInt16LittleEndian(target[20..], (ushort)name.Length);
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
        Span<byte> large = stackalloc byte[LargeFieldsBytes];
        large = large[..WriteLarge(large, entry, offset)];
        var length = HeaderBytes + name.Length + large.Length;
        var version = large.IsEmpty ? entry.Version : Math.Max(VersionLarge, entry.Version);
        var header = Reserve(length);
        header.Clear();
        BinaryPrimitives.WriteUInt32LittleEndian(header, 0x02014B50);
        BinaryPrimitives.WriteUInt16LittleEndian(header[4..], version);
        BinaryPrimitives.WriteUInt16LittleEndian(header[6..], version);
        entry.WriteTo(header[8..], name);
        BinaryPrimitives.WriteUInt16LittleEndian(header[30..], (ushort)large.Length);
        BinaryPrimitives.WriteUInt32LittleEndian(header[42..], (uint)Math.Min(offset, uint.MaxValue));
        name.CopyTo(header[HeaderBytes..]);
        large.CopyTo(header[(HeaderBytes + name.Length)..]);
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

    // What does not fit into the header; nothing if all does.
    private static int WriteLarge(Span<byte> field, Entry entry, long offset)
    {
        var at = LargeFieldBytes;
        if (entry.IsLarge)
        {
            BinaryPrimitives.WriteInt64LittleEndian(field[at..], entry.Bytes);
            BinaryPrimitives.WriteInt64LittleEndian(field[(at + sizeof(long))..], entry.PackedBytes);
            at += 2 * sizeof(long);
        }

        if (offset >= uint.MaxValue)
        {
            BinaryPrimitives.WriteInt64LittleEndian(field[at..], offset);
            at += sizeof(long);
        }

        BinaryPrimitives.WriteUInt16LittleEndian(field, 1);
        BinaryPrimitives.WriteUInt16LittleEndian(field[2..], (ushort)(at - LargeFieldBytes));
        return at == LargeFieldBytes ? 0 : at;
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
