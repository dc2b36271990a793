// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>The values of the presets, each with its reason. <see cref="ConnectionPreset"/> gives them their names.</summary>
internal static class PresetPragmas
{
    private static readonly Pragma BusyTimeout = new(
        PragmaCatalogue.BusyTimeout,
        "10000",
        "another connection's write is waited for, 10 s at most"
    );
    private static readonly Pragma FlushAtCheckpoints = new(
        PragmaCatalogue.Synchronous,
        "NORMAL",
        "with a write-ahead log a power loss may drop the last commits, never corrupts; commits need no flush"
    );
    private static readonly Pragma TempInMemory = new(PragmaCatalogue.TempStore, "MEMORY", "temporary tables and sorts stay off the disk");
    private static readonly Pragma WriteAheadLog = new(
        PragmaCatalogue.JournalMode,
        "WAL",
        "readers and the writer do not wait for each other; a commit is one sequential append"
    );
    private static readonly Pragma SampledStatistics = new(
        PragmaCatalogue.AnalysisLimit,
        "400",
        "planner statistics are sampled, so refreshing them costs milliseconds on any size"
    );

    /// <summary>For backups on an ordinary machine.</summary>
    internal static readonly Pragma[] Default =
    [
        BusyTimeout,
        FlushAtCheckpoints,
        TempInMemory,
        WriteAheadLog,
        new(PragmaCatalogue.CacheSize, "-65536", "64 MiB of pages hold the upper levels of every index of a large backup"),
        new(PragmaCatalogue.MmapSize, "67108864", "the first 64 MiB are read without a copy"),
        new(PragmaCatalogue.Threads, "2", "large sorts use two helpers; more only compete with hashing and compression"),
        SampledStatistics,
    ];

    /// <summary>For machines with memory to spare.</summary>
    internal static readonly Pragma[] Throughput =
    [
        BusyTimeout,
        FlushAtCheckpoints,
        TempInMemory,
        WriteAheadLog,
        new(PragmaCatalogue.CacheSize, "-262144", "256 MiB of pages keep random inserts into the block indexes in memory"),
        new(PragmaCatalogue.MmapSize, "1073741824", "the first 1 GiB is read without a copy"),
        new(PragmaCatalogue.Threads, "4", "large sorts use four helpers"),
        new(
            PragmaCatalogue.WalAutocheckpoint,
            "16384",
            "a page changed again within 64 MiB of log is copied back once; the log file may grow to that size"
        ),
        SampledStatistics,
    ];

    /// <summary>For machines with little memory.</summary>
    internal static readonly Pragma[] Small =
    [
        BusyTimeout,
        FlushAtCheckpoints,
        new(PragmaCatalogue.TempStore, "FILE", "temporary tables and sorts that outgrow the cache go to files instead of memory"),
        WriteAheadLog,
        new(PragmaCatalogue.CacheSize, "-4096", "4 MiB of pages"),
        new(PragmaCatalogue.MmapSize, "0", "mapped pages would count as memory of the process"),
        new(PragmaCatalogue.Threads, "0", "each helper thread sorts in memory of its own"),
        SampledStatistics,
    ];

    /// <summary>As <see cref="Default"/>, and a commit that returned survives a power loss.</summary>
    internal static readonly Pragma[] Durable =
    [
        .. Default.Where(pragma => pragma.Name != PragmaCatalogue.Synchronous),
        new(PragmaCatalogue.Synchronous, "FULL", "every commit is flushed before it returns"),
        new(PragmaCatalogue.FullFsync, "ON", "on macOS the flush reaches the disk itself, elsewhere no effect"),
    ];

    /// <summary>For a database that is being rebuilt and is thrown away if that fails.</summary>
    internal static readonly Pragma[] Rebuild =
    [
        BusyTimeout,
        new(
            PragmaCatalogue.Synchronous,
            "OFF",
            "nothing is flushed: a power loss or a crash of the system may corrupt the file, a killed process does not"
        ),
        TempInMemory,
        new(
            PragmaCatalogue.JournalMode,
            "WAL",
            "a killed process leaves the last commit, so the rebuilding can be resumed; a journal in memory would leave a corrupt file"
        ),
        new(PragmaCatalogue.CacheSize, "-262144", "256 MiB of pages: the indexes grow in random order"),
        new(PragmaCatalogue.MmapSize, "268435456", "the first 256 MiB are read without a copy"),
        new(PragmaCatalogue.Threads, "2", "indexes created at the end are sorted with two helpers"),
        new(PragmaCatalogue.WalAutocheckpoint, "32768", "a page changed again within 128 MiB of log is copied back once"),
        SampledStatistics,
    ];

    /// <summary>What SQLite does when nothing is asked for, but for the waiting on locks.</summary>
    internal static readonly Pragma[] Stock = [BusyTimeout];
}

/// <summary>
/// What changes when the database lies on a network file system: a write-ahead log needs memory shared between all that
/// use the file, which a network does not give (https://www.sqlite.org/wal.html), and a mapped page of a file that
/// another machine cut ends the process.
/// </summary>
internal static class NetworkPragmas
{
    /// <summary>Replaces the pragmas of a preset.</summary>
    internal static IReadOnlyList<Pragma> Adapt(ConnectionOptions options, string fileSystem) =>
        string.Equals(options[PragmaCatalogue.JournalMode], "WAL", StringComparison.OrdinalIgnoreCase)
            ? options.Pragmas.Select(pragma => Replace(pragma, fileSystem)).ToArray()
            : options.Pragmas;

    private static Pragma Replace(Pragma pragma, string fileSystem) =>
        pragma.Name switch
        {
            PragmaCatalogue.JournalMode => pragma with { Value = "DELETE", Reason = $"a write-ahead log does not work over {fileSystem}" },
            PragmaCatalogue.Synchronous when pragma.Value == "NORMAL" => pragma with
            {
                Value = "FULL",
                Reason = "without a write-ahead log only full flushes keep a power loss from corrupting",
            },
            PragmaCatalogue.MmapSize => pragma with { Value = "0", Reason = $"a page mapped over {fileSystem} may vanish" },
            _ => pragma,
        };
}
