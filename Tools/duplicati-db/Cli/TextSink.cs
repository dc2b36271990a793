// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;

namespace Duplicati.Tool.Cli;

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
