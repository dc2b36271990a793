// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Volumes;

/// <summary>A part of a stream for forward reading. A seekable stream may be read elsewhere meanwhile; it stays open.</summary>
internal sealed class EntryWindow(Stream content, long start, long length) : ForwardStream
{
    private long m_read;

    public override bool CanRead => true;

    public override long Length => length;

    public override long Position => m_read;

    public override int Read(Span<byte> buffer)
    {
        var at = start + m_read;
        if (content.CanSeek && content.Position != at)
            content.Position = at;
        var read = content.Read(buffer[..(int)Math.Min(buffer.Length, length - m_read)]);
        m_read += read;
        return read;
    }
}
