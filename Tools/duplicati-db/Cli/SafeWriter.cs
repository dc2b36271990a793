// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;

namespace Duplicati.Tool.Cli;

/// <summary>
/// Text on its way to a terminal: whatever a name, a message of the system or a damaged file has in it, nothing but ends of lines steers
/// the terminal.
/// </summary>
internal sealed class SafeWriter(TextWriter inner) : OuterWriter(inner)
{
    /// <inheritdoc/>
    public override void Write(string? value) =>
        Inner.Write(value is null || value == NewLine ? value : SafeText.Lines(value).ReplaceLineEndings(NewLine));
}

/// <summary>Text on its way to another writer: all of it passes one member.</summary>
internal abstract class OuterWriter(TextWriter inner) : TextWriter
{
    /// <summary>The other writer.</summary>
    protected TextWriter Inner => inner;

    /// <inheritdoc/>
    public override Encoding Encoding => inner.Encoding;

    /// <inheritdoc/>
    public abstract override void Write(string? value);

    /// <inheritdoc/>
    public override void Write(char value) => Write(value.ToString());

    /// <inheritdoc/>
    public override void Write(char[] buffer, int index, int count) => Write(new string(buffer, index, count));

    /// <inheritdoc/>
    public override void Write(ReadOnlySpan<char> buffer) => Write(new string(buffer));

    /// <inheritdoc/>
    public override void Flush() => inner.Flush();
}
