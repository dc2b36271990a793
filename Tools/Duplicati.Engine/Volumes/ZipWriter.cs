// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Hashing;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Writes a zip container: 46 bytes and its name are kept of an entry until the end, where the framework's writer keeps objects of several
/// hundred. Entries given as a whole that do not shrink are stored. Format: PKWARE APPNOTE 6.3.10.
/// </summary>
/// <remarks>Not safe for concurrent use. A container of 65,535 entries or 4 GiB and more gets the directory of zip64.</remarks>
internal sealed class ZipWriter : IContainerWriter
{
    private const int LocalHeaderBytes = 30;
    private const int MostNameBytes = 512;
    private const int LargeDescriptorBytes = 24;

    private readonly Stream m_target;
    private readonly VolumeCompression m_compression;
    private readonly ZipDirectory m_directory = new();
    private readonly MemoryStream m_compressed = new();
    private bool m_disposed;

    /// <param name="target">Takes the container from its start, seekable; closed with this.</param>
    /// <param name="compression">How entries are packed.</param>
    internal ZipWriter(Stream target, VolumeCompression compression)
    {
        m_target = target;
        m_compression = compression;
    }

    /// <inheritdoc/>
    public long Length { get; private set; }

    /// <inheritdoc/>
    public void Write(ReadOnlySpan<byte> name, ReadOnlySpan<byte> content, bool compressible)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(name.Length, MostNameBytes, nameof(name));
        var packed = compressible && !m_compression.IsStored ? Compress(content) : content;
        var isPacked = packed.Length < content.Length;
        var data = isPacked ? packed : content;
        var entry = new ZipDirectory.Entry(
            isPacked ? m_compression.Method : ZipMethod.None,
            ZipDirectory.DosTime(DateTime.Now),
            Crc32.HashToUInt32(content),
            data.Length,
            content.Length
        );

        WriteHeader(name, entry);
        m_target.Write(data);
        m_directory.Add(name, entry, Length);
        Length += LocalHeaderBytes + name.Length + data.Length;
    }

    /// <inheritdoc/>
    public Stream CreateEntry(string name)
    {
        var bytes = Encoding.UTF8.GetBytes(name);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(bytes.Length, MostNameBytes, nameof(name));
        return new OpenEntry(this, bytes);
    }

    /// <summary>Writes the directory and closes the m_target. Can be called more than once.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        using (m_target)
            m_directory.WriteTo(m_target, Length);
        m_compressed.Dispose();
    }

    private ReadOnlySpan<byte> Compress(ReadOnlySpan<byte> content)
    {
        m_compressed.SetLength(0);
        using (var packing = ZipCodec.Pack(m_compression, m_compressed, content.Length))
            packing.Write(content);
        return m_compressed.GetBuffer().AsSpan(0, (int)m_compressed.Length);
    }

    private void WriteHeader(ReadOnlySpan<byte> name, ZipDirectory.Entry entry)
    {
        Span<byte> header = stackalloc byte[LocalHeaderBytes + MostNameBytes];
        BinaryPrimitives.WriteUInt32LittleEndian(header, 0x04034B50);
        BinaryPrimitives.WriteUInt16LittleEndian(header[4..], entry.Version);
        entry.WriteTo(header[6..], name);
        // Their place is behind the content.
        if (entry.IsLarge)
            header.Slice(14, 12).Clear();
        name.CopyTo(header[LocalHeaderBytes..]);
        m_target.Write(header[..(LocalHeaderBytes + name.Length)]);
    }

    // Its header is written again when the sizes are known.
    private void Finish(byte[] name, ZipDirectory.Entry entry)
    {
        m_target.Position = Length;
        WriteHeader(name, entry);
        m_target.Position += entry.PackedBytes;
        if (entry.IsLarge)
        {
            Span<byte> descriptor = stackalloc byte[LargeDescriptorBytes];
            BinaryPrimitives.WriteUInt32LittleEndian(descriptor, 0x08074B50);
            BinaryPrimitives.WriteUInt32LittleEndian(descriptor[4..], entry.Crc);
            BinaryPrimitives.WriteInt64LittleEndian(descriptor[8..], entry.PackedBytes);
            BinaryPrimitives.WriteInt64LittleEndian(descriptor[16..], entry.Bytes);
            m_target.Write(descriptor);
        }

        m_directory.Add(name, entry, Length);
        Length = m_target.Position;
    }

    private sealed class OpenEntry : ForwardStream
    {
        private readonly ZipWriter m_writer;
        private readonly Stream m_target;
        private readonly byte[] m_name;
        private readonly ZipMethod m_method;
        private readonly long m_start;
        private readonly Stream? m_packing;
        private readonly Crc32 m_crc = new();
        private long m_bytes;
        private bool m_isClosed;

        internal OpenEntry(ZipWriter writer, byte[] name)
        {
            m_writer = writer;
            m_target = writer.m_target;
            m_name = name;
            m_method = writer.m_compression.IsStored ? ZipMethod.None : writer.m_compression.Method;
            writer.WriteHeader(name, new ZipDirectory.Entry(m_method, 0, 0, 0, 0));
            m_start = m_target.Position;
            m_packing = m_method == ZipMethod.None ? null : ZipCodec.Pack(writer.m_compression, m_target);
        }

        public override bool CanWrite => true;

        public override long Length => m_bytes;

        public override long Position => m_bytes;

        public override void Write(ReadOnlySpan<byte> buffer)
        {
            (m_packing ?? m_target).Write(buffer);
            m_crc.Append(buffer);
            m_bytes += buffer.Length;
        }

        protected override void Dispose(bool disposing)
        {
            if (disposing && !m_isClosed)
            {
                m_isClosed = true;
                m_packing?.Dispose();
                m_writer.Finish(
                    m_name,
                    new ZipDirectory.Entry(
                        m_method,
                        ZipDirectory.DosTime(DateTime.Now),
                        m_crc.GetCurrentHashAsUInt32(),
                        m_target.Position - m_start,
                        m_bytes
                    )
                );
            }

            base.Dispose(disposing);
        }
    }
}
