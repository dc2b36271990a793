// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Indexes;

internal static class DroppedIndexesSql
{
    // The schema table is small and in memory. Automatic indexes have no text; they belong to a key and stay.
    internal const string ListIndexes = """
        SELECT "name", "sql" FROM "sqlite_master" WHERE "type" = 'index' AND "sql" IS NOT NULL AND "tbl_name" = ?1 COLLATE NOCASE ORDER BY rowid
        """;

    // No table: the databases of the connection; the temporary one is among them once it was used.
    internal const string HasTemporaryTables = """SELECT 1 FROM pragma_database_list WHERE "name" = 'temp'""";

    // sqlite_stat1 has a row for each index, no index.
    internal const string Statistics = "SELECT tbl, idx, stat FROM sqlite_stat1 WHERE idx = ?1";

    // A row for each index, no index.
    internal const string InsertStatistics = "INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES (?1, ?2, ?3)";

    /// <summary>Drops an index. A name cannot be bound; it is one from the schema, in quotes.</summary>
    internal static string Drop(string name) => $"DROP INDEX {SqlName.Quote(name)}";
}
