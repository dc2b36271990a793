// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Takes the log of a run, and interrupts the run when a line begins with a text.</summary>
internal sealed class StoppingWriter(string text, CancellationTokenSource stop) : StringWriter
{
    public override async Task WriteLineAsync(string? value)
    {
        await base.WriteLineAsync(value);
        if (value?.StartsWith(text, StringComparison.Ordinal) == true)
            await stop.CancelAsync();
    }
}
