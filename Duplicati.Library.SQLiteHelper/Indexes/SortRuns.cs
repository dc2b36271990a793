// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// How long the runs are in which SQLite sorts the rows of an index when it sorts in files: as long as its page cache is large. Runs
/// that fit into the processor's caches are sorted in half the processor time of runs of 64 MiB, and take less memory. More than sixteen,
/// which is what SQLite merges at once, are merged in several levels (https://www.sqlite.org/src/file/src/vdbesort.c), of which all but
/// the last go through pieces of half a run that are written and read again at once: that costs less than long runs do at any size.
/// </summary>
/// <remarks>Same thread rules as the connection.</remarks>
internal static class SortRuns
{
    private const long RunBytes = 2L << 20;

    /// <summary>Until disposed, runs are of 2 MiB, and never longer than they were. No effect on sorts in memory.</summary>
    public static PassingSetting Shorten(StatementCache statements) =>
        TemporaryStorage.IsInMemory(statements) ? default : PageCacheSize.AtMost(statements, RunBytes);
}
