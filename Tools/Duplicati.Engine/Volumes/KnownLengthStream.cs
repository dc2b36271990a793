// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Volumes;

/// <summary>
/// A file that nobody changes, for reading: how long it is is asked of the system once. The reader of zip containers asks several times
/// for each entry, which took a third of a restore. Not thread-safe; closes the file when disposed.
/// </summary>
internal sealed class KnownLengthStream(Stream file) : Stream
{
    public override bool CanRead => file.CanRead;

    public override bool CanSeek => file.CanSeek;

    public override bool CanWrite => false;

    public override long Length { get; } = file.Length;

    public override long Position
    {
        get => file.Position;
        set => file.Position = value;
    }

    public override int Read(byte[] buffer, int offset, int count) => file.Read(buffer, offset, count);

    public override int Read(Span<byte> buffer) => file.Read(buffer);

    public override int ReadByte() => file.ReadByte();

    public override Task<int> ReadAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        file.ReadAsync(buffer, offset, count, cancellationToken);

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        file.ReadAsync(buffer, cancellationToken);

    public override long Seek(long offset, SeekOrigin origin) => file.Seek(offset, origin);

    public override void Flush() { }

    public override void SetLength(long value) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override async ValueTask DisposeAsync()
    {
        await file.DisposeAsync().ConfigureAwait(false);
        await base.DisposeAsync().ConfigureAwait(false);
    }

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            file.Dispose();
        base.Dispose(disposing);
    }
}
