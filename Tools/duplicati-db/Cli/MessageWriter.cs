// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Tool.Cli;

/// <summary>Messages on their way to a stream: one that is full or closed loses them, and ends nothing that they tell of.</summary>
internal sealed class MessageWriter(TextWriter inner) : OuterWriter(inner)
{
    /// <inheritdoc/>
    public override void Write(string? value) => Try(() => Inner.Write(value));

    /// <inheritdoc/>
    public override void WriteLine(string? value) => Try(() => Inner.WriteLine(value));

    /// <inheritdoc/>
    public override void Flush() => Try(Inner.Flush);

    /// <summary>Writes, if that can be done.</summary>
    /// <param name="write">What writes.</param>
    /// <returns>Why it cannot; null if it was done.</returns>
    internal static Exception? Try(Action write)
    {
        try
        {
            write();
            return null;
        }
        catch (Exception ex) when (ex is IOException or UnauthorizedAccessException)
        {
            return ex;
        }
    }
}
