// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Takes the log of a run, and interrupts the run when a line begins with a text.</summary>
internal sealed class StoppingWriter(string text, CancellationTokenSource stop) : StringWriter
{
    public override void WriteLine(string? value)
    {
        base.WriteLine(value);
        if (value?.StartsWith(text, StringComparison.Ordinal) == true)
            stop.Cancel();
    }

    public override Task WriteLineAsync(string? value)
    {
        WriteLine(value);
        return Task.CompletedTask;
    }
}
