// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>How <see cref="ReadOnlyFile"/> reads a file.</summary>
internal enum ReadingWay
{
    /// <summary>As SQLite does it: with locks, and with a log and its index, which are made if there are none.</summary>
    Shared,

    /// <summary>There is no log: the file alone, without locks.</summary>
    Alone,

    /// <summary>
    /// There is a log with its index: these are only read. With locks as long as another process has them open; else the index is made anew
    /// in memory.
    /// </summary>
    Log,

    /// <summary>A log without its index, or a journal: a private copy of all, in a temporary folder.</summary>
    Copy,
}
