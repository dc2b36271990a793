// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Compression;
using System.IO.Hashing;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Writes a zip container of many small entries, each given as a whole: 46 bytes and its name are kept of an entry until the end,
/// where the framework's writer keeps objects of several hundred. Entries that do not shrink are stored. Format: PKWARE APPNOTE 6.3.10.
/// </summary>
/// <remarks>Not safe for concurrent use. A container of 65,535 entries or 4 GiB and more gets the directory of zip64.</remarks>
internal sealed class ZipWriter : IDisposable
{
    private const int LocalHeaderBytes = 30;
    private const int MostNameBytes = 512;
    private const ushort VersionPlain = 20;
    private const ushort MethodStored = 0;
    private const ushort MethodDeflate = 8;

    private readonly Stream m_target;
    private readonly ZipDirectory m_directory = new();
    private readonly MemoryStream m_compressed = new();
    private bool m_disposed;

    /// <param name="target">Takes the container; closed with this.</param>
    internal ZipWriter(Stream target) => m_target = target;

    /// <summary>The bytes written so far, without the directory.</summary>
    internal long Length { get; private set; }

    /// <summary>Writes an entry.</summary>
    /// <param name="name">Its full name, ASCII, at most 512 bytes.</param>
    /// <param name="content">Its content.</param>
    /// <param name="level">How hard it is compressed; <see cref="CompressionLevel.NoCompression"/> to store it as it is.</param>
    internal void Write(ReadOnlySpan<byte> name, ReadOnlySpan<byte> content, CompressionLevel level)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(name.Length, MostNameBytes, nameof(name));
        var packed = level == CompressionLevel.NoCompression ? content : Compress(content, level);
        var isPacked = packed.Length < content.Length;
        var data = isPacked ? packed : content;
        var entry = new ZipDirectory.Entry(
            isPacked ? MethodDeflate : MethodStored,
            ZipDirectory.DosTime(DateTime.Now),
            Crc32.HashToUInt32(content),
            (uint)data.Length,
            (uint)content.Length
        );

        Span<byte> header = stackalloc byte[LocalHeaderBytes + MostNameBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(header, 0x04034B50);
        BinaryPrimitives.WriteUInt16LittleEndian(header[4..], VersionPlain);
        entry.WriteTo(header[6..], name.Length);
        name.CopyTo(header[LocalHeaderBytes..]);
        m_target.Write(header[..(LocalHeaderBytes + name.Length)]);
        m_target.Write(data);
        m_directory.Add(name, entry, Length);
        Length += LocalHeaderBytes + name.Length + data.Length;
    }

    /// <summary>Writes the directory and closes the target. Can be called more than once.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        using (m_target)
            m_directory.WriteTo(m_target, Length);
        m_compressed.Dispose();
    }

    private ReadOnlySpan<byte> Compress(ReadOnlySpan<byte> content, CompressionLevel level)
    {
        m_compressed.SetLength(0);
        using (var deflate = new DeflateStream(m_compressed, level, leaveOpen: true))
            deflate.Write(content);
        return m_compressed.GetBuffer().AsSpan(0, (int)m_compressed.Length);
    }
}
