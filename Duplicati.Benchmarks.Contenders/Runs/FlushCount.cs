// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Benchmarks.Contenders.Engines;

namespace Duplicati.Benchmarks.Contenders.Runs;

/// <summary>Counts how often an engine lets the system flush a file, because that is what a durable commit comes to. Needs strace.</summary>
internal static class FlushCount
{
    private const string Tracer = "/usr/bin/strace";
    private const int Few = 20;
    private const int Many = 120;

    private static readonly string[] s_calls = ["fsync(", "fdatasync(", "msync(", "sync_file_range("];

    /// <summary>Flushes a commit of each engine; nothing without strace.</summary>
    public static Dictionary<string, double> All(IEnumerable<StorageEngine> engines, string folder) =>
        File.Exists(Tracer)
            ? engines.ToDictionary(x => x.Name, x => (double)(Count(x, folder, Many) - Count(x, folder, Few)) / (Many - Few))
            : [];

    private static int Count(StorageEngine engine, string folder, int commits)
    {
        var log = Path.Combine(folder, "calls");
        ContenderProcess.Run(
            new ContenderRequest(ContenderRequest.Commits, engine.Name, folder, "", "", commits, false),
            [Tracer, "-f", "-qq", "-e", "trace=fsync,fdatasync,msync,sync_file_range", "-o", log]
        );
        return File.ReadLines(log).Count(line => s_calls.Any(call => line.Contains(call, StringComparison.Ordinal)));
    }
}
