// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Hashing;
using Duplicati.Engine.Errors;

namespace Duplicati.Engine.Volumes;

/// <summary>A stream that goes forward only. Whoever makes one says whether it is read or written, and does that.</summary>
internal abstract class ForwardStream : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => false;

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override int Read(Span<byte> buffer) => throw new NotSupportedException();

    public override int Read(byte[] buffer, int offset, int count) => Read(buffer.AsSpan(offset, count));

    public override void Write(ReadOnlySpan<byte> buffer) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override void Flush() { }

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();
}

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

/// <summary>
/// Forward reading of one entry of a container: yields exactly the bytes the directory declares, or an error naming the volume.
/// </summary>
internal sealed class VolumeEntryStream : ForwardStream
{
    private readonly Stream m_content;
    private readonly string m_volume;
    private readonly string m_entry;
    private readonly uint? m_checksum;
    private readonly Crc32 m_crc = new();
    private long m_left;

    /// <summary>Wraps an opened entry.</summary>
    /// <param name="content">The entry, owned.</param>
    /// <param name="volume">The file name of the volume, for errors.</param>
    /// <param name="entry">The name of the entry, for errors.</param>
    /// <param name="length">The bytes declared.</param>
    /// <param name="checksum">The checksum recorded, compared at the end; null to compare none.</param>
    public VolumeEntryStream(Stream content, string volume, string entry, long length, uint? checksum)
    {
        m_content = content;
        m_volume = volume;
        m_entry = entry;
        m_left = length;
        m_checksum = checksum;
        Length = length;
    }

    /// <inheritdoc/>
    public override bool CanRead => true;

    /// <inheritdoc/>
    public override long Length { get; }

    /// <inheritdoc/>
    public override long Position => Length - m_left;

    /// <inheritdoc/>
    public override int Read(Span<byte> buffer)
    {
        if (buffer.IsEmpty)
            return 0;
        try
        {
            return Account(buffer, m_content.Read(buffer));
        }
        catch (Exception ex) when (VolumeArchive.IsDamage(ex))
        {
            throw new CorruptVolumeException(m_volume, $"The entry '{m_entry}' cannot be unpacked.", ex);
        }
    }

    /// <inheritdoc/>
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            m_content.Dispose();
        base.Dispose(disposing);
    }

    private int Account(ReadOnlySpan<byte> buffer, int read)
    {
        if (read > m_left)
            throw new CorruptVolumeException(m_volume, $"The entry '{m_entry}' holds more than the {Length} bytes it declares.");
        if (read == 0 && m_left > 0)
            throw new CorruptVolumeException(m_volume, $"The entry '{m_entry}' ends {m_left} bytes before its declared {Length}.");
        m_left -= read;
        if (m_checksum is { } checksum)
        {
            m_crc.Append(buffer[..read]);
            if (m_left == 0 && m_crc.GetCurrentHashAsUInt32() != checksum)
                throw new CorruptVolumeException(m_volume, $"The entry '{m_entry}' was altered: its checksum is wrong.");
        }

        return read;
    }
}
