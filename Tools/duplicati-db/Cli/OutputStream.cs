// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Interface;

namespace Duplicati.Tool.Cli;

/// <summary>The output of a program, whose failures are told as such, and not as those of a file that is read.</summary>
/// <exception cref="UserInformationException">Of each member; help id <c>OutputNotWritten</c>.</exception>
internal sealed class OutputStream(Stream target) : Stream
{
    public override bool CanRead => false;

    public override bool CanSeek => false;

    public override bool CanWrite => true;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    public override void Flush() => Try(target.Flush);

    public override void Write(byte[] buffer, int offset, int count) => Try(() => target.Write(buffer, offset, count));

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    protected override void Dispose(bool disposing)
    {
        if (disposing)
            target.Dispose();
        base.Dispose(disposing);
    }

    private static void Try(Action write)
    {
        if (MessageWriter.Try(write) is { } failure)
            throw ToolConsole.Unwritten(failure);
    }
}

/// <summary>UTF-8 bytes on their way to a text writer.</summary>
internal sealed class TextSink(TextWriter target) : MemoryStream
{
    protected override void Dispose(bool disposing)
    {
        if (disposing)
            target.Write(Encoding.UTF8.GetString(GetBuffer(), 0, (int)Length));
        base.Dispose(disposing);
    }
}
