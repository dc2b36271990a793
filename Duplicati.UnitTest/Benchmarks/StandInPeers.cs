// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Processes;

namespace Duplicati.UnitTest.Benchmarks;

/// <summary>Two peers that are the engine behind Duplicati's command line.</summary>
internal static class StandInPeers
{
    public const long TotalBytes = 300_000;

    /// <summary>A small run of both, without the engine under its own name.</summary>
    public static EndToEndOptions Options(TestFolder folder) =>
        new()
        {
            TotalBytes = TotalBytes,
            Files = 12,
            Seed = 7,
            Repeat = 1,
            Peers = [Peer("a"), Peer("b")],
            Presets = [],
            Output = folder.File("output"),
            Work = folder.File("work"),
        };

    private static Peer Peer(string name)
    {
        var start = ThisProgram.Start(StandIn.Name);
        return new Peer(name, [start.FileName, .. start.ArgumentList], []);
    }
}

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
