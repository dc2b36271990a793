// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using System.Formats.Tar;
using System.Text;

namespace Duplicati.Engine.Volumes;

/// <summary>Writes a tar container, packed as a whole.</summary>
/// <remarks>Not safe for concurrent use.</remarks>
internal sealed class TarVolumeWriter : IContainerWriter
{
    // What fits into the oldest form of a header is written so, which every reader knows.
    private const int MostPlainNameBytes = 100;

    private readonly Stream m_target;
    private readonly Stream m_packing;
    private readonly TarWriter m_tar;
    private long m_grown;
    private long m_pending;
    private long m_unpacked;
    private bool m_disposed;

    /// <param name="target">Takes the container from its start; closed with this.</param>
    /// <param name="compression">How it is packed.</param>
    internal TarVolumeWriter(Stream target, VolumeCompression compression)
    {
        m_target = target;
        m_packing = TarPacking.Pack(compression, target);
        m_tar = new TarWriter(m_packing, TarEntryFormat.Ustar, leaveOpen: true);
    }

    /// <summary>
    /// What has been written, and as it is what the packing still holds back: 128 KB and more. Far too much once the volume would unpack to
    /// more than is read.
    /// </summary>
    public long Length => m_unpacked < TarPacking.MostWritten ? m_target.Position + m_pending : long.MaxValue / 2;

    /// <inheritdoc/>
    public void Write(ReadOnlySpan<byte> name, ReadOnlySpan<byte> content, bool compressible)
    {
        var buffer = ArrayPool<byte>.Shared.Rent(content.Length);
        try
        {
            content.CopyTo(buffer);
            using var stream = new MemoryStream(buffer, 0, content.Length, writable: false);
            Add(Encoding.UTF8.GetString(name), stream);
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <inheritdoc/>
    public Stream CreateEntry(string name) => new VolumeSpool { Completed = content => Add(name, content) };

    /// <summary>Ends the container and closes the target. Can be called more than once.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        using (m_target)
        using (m_packing)
            m_tar.Dispose();
    }

    private void Add(string name, Stream content)
    {
        TarEntry entry =
            Encoding.UTF8.GetByteCount(name) <= MostPlainNameBytes && Ascii.IsValid(name)
                ? new UstarTarEntry(TarEntryType.RegularFile, name)
                : new PaxTarEntry(TarEntryType.RegularFile, name);
        entry.DataStream = content;
        m_tar.WriteEntry(entry);
        m_unpacked += content.Length;
        m_pending = m_target.Position > m_grown ? 0 : m_pending + TarContainer.BlockBytes + content.Length;
        m_grown = m_target.Position;
    }
}
