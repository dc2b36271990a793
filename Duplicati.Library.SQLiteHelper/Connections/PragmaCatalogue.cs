// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>The pragmas a connection can be opened with, in the order in which they are set.</summary>
/// <remarks>
/// The order matters: the busy timeout comes first because the others may meet a lock; the page size must be set before
/// the journal mode, which writes the first page; limits of the write-ahead log follow the mode.
/// </remarks>
internal static class PragmaCatalogue
{
    internal const string BusyTimeout = "busy_timeout";
    internal const string PageSize = "page_size";
    internal const string Synchronous = "synchronous";
    internal const string FullFsync = "fullfsync";
    internal const string TempStore = "temp_store";
    internal const string JournalMode = "journal_mode";
    internal const string CacheSize = "cache_size";
    internal const string MmapSize = "mmap_size";
    internal const string Threads = "threads";
    internal const string WalAutocheckpoint = "wal_autocheckpoint";
    internal const string JournalSizeLimit = "journal_size_limit";
    internal const string AnalysisLimit = "analysis_limit";

    /// <summary>SQLite's compiled-in limit of memory mapping (SQLITE_MAX_MMAP_SIZE), bytes; larger values are cut to it.</summary>
    internal const long MaximumMmapBytes = 0x7fff0000;

    /// <summary>SQLite's compiled-in limit of helper threads for one sort (SQLITE_MAX_WORKER_THREADS).</summary>
    internal const int MaximumThreads = 8;

    private static readonly PragmaDefinition[] Ordered =
    [
        PragmaDefinition.Number(BusyTimeout, 0, int.MaxValue, "milliseconds"),
        PragmaDefinition.Words(PageSize, "512", "1024", "2048", "4096", "8192", "16384", "32768", "65536"),
        PragmaDefinition.Codes(Synchronous, "OFF", "NORMAL", "FULL", "EXTRA"),
        PragmaDefinition.Switch(FullFsync),
        PragmaDefinition.Codes(TempStore, "DEFAULT", "FILE", "MEMORY"),
        PragmaDefinition.Words(JournalMode, "DELETE", "TRUNCATE", "PERSIST", "MEMORY", "WAL", "OFF"),
        PragmaDefinition.Number(CacheSize, int.MinValue + 1, int.MaxValue, "pages, or KiB when negative,"),
        PragmaDefinition.Number(MmapSize, 0, MaximumMmapBytes, "bytes"),
        PragmaDefinition.Number(Threads, 0, MaximumThreads, "helper threads"),
        PragmaDefinition.Number(WalAutocheckpoint, 0, int.MaxValue, "pages"),
        PragmaDefinition.Number(JournalSizeLimit, -1, long.MaxValue, "bytes"),
        PragmaDefinition.Number(AnalysisLimit, 0, int.MaxValue, "rows"),
    ];

    private static readonly Dictionary<string, int> Positions = Ordered
        .Select((definition, position) => (definition.Name, position))
        .ToDictionary(entry => entry.Name, entry => entry.position, StringComparer.OrdinalIgnoreCase);

    /// <summary>Whether a pragma changes nothing but how a connection reads.</summary>
    internal static bool IsForReading(string name) => name is BusyTimeout or TempStore or CacheSize or MmapSize or Threads;

    /// <summary>The definition of a pragma, whatever its letter case; null if a connection is not opened with it.</summary>
    internal static PragmaDefinition? Find(string name) => Positions.TryGetValue(name, out var position) ? Ordered[position] : null;

    /// <summary>Whether a pragma sets a name to a value, however that is written.</summary>
    /// <param name="pragma">The pragma.</param>
    /// <param name="name">The name.</param>
    /// <param name="canonical">The value as SQLite reports it back.</param>
    internal static bool Is(Pragma pragma, string name, string canonical) =>
        pragma.Name == name && Find(name)?.Canonical(pragma.Value) == canonical;

    /// <summary>The place of a pragma in the order of setting; names outside the catalogue come last.</summary>
    internal static int Position(string name) => Positions.GetValueOrDefault(name, Ordered.Length);
}
