// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Metrics;

/// <summary>
/// What the statements of one connection have done so far. Plain fields, because they are counted for every row; written by one call chain
/// at a time.
/// </summary>
internal sealed class StatementFigures(SqliteConnection connection)
{
    /// <summary>Attribute: which database the connection is to.</summary>
    public KeyValuePair<string, object?> Database { get; } = DatabaseInstruments.NamespaceOf(connection);

    /// <summary>Rows that statements have returned.</summary>
    public long RowsRead { get; internal set; }

    /// <summary>Statements taken out of the cache that were prepared already.</summary>
    public long Reused { get; internal set; }

    /// <summary>Statements that had to be prepared.</summary>
    public long Prepared { get; internal set; }
}
