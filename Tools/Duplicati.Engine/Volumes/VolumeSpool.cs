// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;

namespace Duplicati.Engine.Volumes;

/// <summary>
/// Takes a content whose length is not known, to be read afterwards: in memory up to 4 MB, then in a temporary file that is gone when this
/// is closed.
/// </summary>
internal sealed class VolumeSpool : Stream
{
    /// <summary>Up to this size content is kept in memory; index volumes nearly always are smaller.</summary>
    internal const long MostInMemory = 4 * 1024 * 1024;

    private Stream m_content = new MemoryStream();
    private bool m_isClosed;

    /// <summary>Given the content, at its start, before it is closed; null for nothing.</summary>
    internal Action<Stream>? Completed { private get; init; }

    public override bool CanRead => true;

    public override bool CanSeek => true;

    public override bool CanWrite => true;

    public override long Length => m_content.Length;

    public override long Position
    {
        get => m_content.Position;
        set => m_content.Position = value;
    }

    /// <summary>A temporary file for reading and writing that nobody else can open, and that is gone when it is closed.</summary>
    internal static FileStream TemporaryFile()
    {
        var options = new FileStreamOptions
        {
            Mode = FileMode.CreateNew,
            Access = FileAccess.ReadWrite,
            BufferSize = VolumeOpener.BufferSize,
            Options = FileOptions.DeleteOnClose,
        };
        if (!OperatingSystem.IsWindows())
            options.UnixCreateMode = UnixFileMode.UserRead | UnixFileMode.UserWrite;
        var file = new FileStream(
            Path.Combine(Path.GetTempPath(), "duplicati-" + RandomNumberGenerator.GetHexString(32, lowercase: true)),
            options
        );
        // Elsewhere than on Windows the system would leave it behind if this process is killed.
        if (!OperatingSystem.IsWindows())
            File.Delete(file.Name);
        return file;
    }

    /// <summary>Hands the content out, at its start, for reading; this is of no use afterwards.</summary>
    internal Stream Detach()
    {
        m_content.Position = 0;
        m_isClosed = true;
        return m_content;
    }

    public override void Write(ReadOnlySpan<byte> buffer)
    {
        if (m_content is MemoryStream memory && memory.Length + buffer.Length > MostInMemory)
        {
            var file = TemporaryFile();
            m_content = file;
            memory.WriteTo(file);
            memory.Dispose();
        }

        m_content.Write(buffer);
    }

    public override void Write(byte[] buffer, int offset, int count) => Write(buffer.AsSpan(offset, count));

    public override int Read(Span<byte> buffer) => m_content.Read(buffer);

    public override int Read(byte[] buffer, int offset, int count) => m_content.Read(buffer, offset, count);

    public override long Seek(long offset, SeekOrigin origin) => m_content.Seek(offset, origin);

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Flush() { }

    protected override void Dispose(bool disposing)
    {
        if (disposing && !m_isClosed)
        {
            m_isClosed = true;
            using (m_content)
            {
                m_content.Position = 0;
                Completed?.Invoke(m_content);
            }
        }

        base.Dispose(disposing);
    }
}
