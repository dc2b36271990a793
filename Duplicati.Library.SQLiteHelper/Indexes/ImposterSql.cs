#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Indexes;

internal static class ImposterSql
{
    // The schema table is small and in memory. An index without a text belongs to a key.
    internal const string Indexes = """
        SELECT rowid, "name", "tbl_name", "rootpage", "sql" FROM "sqlite_master" WHERE "type" = 'index' AND "tbl_name" = ?1 COLLATE NOCASE ORDER BY rowid
        """;

    // The schema table is small and in memory.
    internal const string NameExists = """SELECT 1 FROM "sqlite_master" WHERE "name" = ?1 COLLATE NOCASE""";

    // No table: what the schema in memory says of an index and of its table. The row id has the number -1, and the name of the column that stands for it.
    internal const string Columns = """
        SELECT COALESCE(x."name", k."name", 'rowid'), COALESCE(c."type", 'INTEGER'), l."unique" = 0 OR x."key" <> 0,
            x."cid" = -2 OR x."desc" <> 0 OR x."coll" <> 'BINARY' OR l."partial" <> 0 OR (x."cid" >= 0 AND c."notnull" = 0)
        FROM pragma_index_list(?1) l, pragma_index_xinfo(l."name") x
            LEFT JOIN pragma_table_info(?1) c ON c."cid" = x."cid"
            LEFT JOIN pragma_table_info(?1) k ON x."cid" = -1 AND k."pk" = 1 AND k."type" = 'INTEGER' COLLATE NOCASE
        WHERE l."name" = ?2
        ORDER BY x."seqno"
        """;

    // By row id.
    internal const string BecomeTable = """UPDATE "sqlite_master" SET "type" = 'table', "name" = ?2, "tbl_name" = ?2, "sql" = ?3 WHERE rowid = ?1""";

    // By row id; only where it is still what BecomeTable has made.
    internal const string BecomeIndex = """
        UPDATE "sqlite_master" SET "type" = 'index', "name" = ?2, "tbl_name" = ?3, "sql" = ?4 WHERE rowid = ?1 AND "rootpage" = ?5 AND "name" = ?6
        """;

    internal const string ReadSchemaVersion = "PRAGMA schema_version";

    internal const string WriteSchema = "PRAGMA writable_schema = ON";

    // Ends the writing of the schema, too.
    internal const string ReloadSchema = "PRAGMA writable_schema = RESET";

    /// <summary>Sets the number by which connections notice another schema.</summary>
    internal static string SetSchemaVersion(long version) => FormattableString.Invariant($"PRAGMA schema_version = {version}");

    /// <summary>The definition of a table that has what an index has, in its order. Names cannot be bound; they are from the schema, in quotes.</summary>
    internal static string Definition(string name, IReadOnlyList<ImposterColumn> columns) =>
        $"CREATE TABLE {SqlName.Quote(name)} ({string.Join(", ", columns.Select(x => $"{SqlName.Quote(x.Name)} {x.Type}"))}, PRIMARY KEY ({Names(columns.Where(x => x.IsInKey))})) WITHOUT ROWID";

    /// <summary>The first columns of the first entry.</summary>
    internal static string First(string table, IReadOnlyList<ImposterColumn> key, IReadOnlyList<ImposterColumn> columns) =>
        $"SELECT {Names(key)} FROM {SqlName.Quote(table)} ORDER BY {Names(columns)} LIMIT 1";

    /// <summary>The first columns of the entry that is some behind others, which are bound; their number comes last.</summary>
    internal static string Behind(string table, IReadOnlyList<ImposterColumn> key, IReadOnlyList<ImposterColumn> columns) =>
        $"SELECT {Names(key)} FROM {SqlName.Quote(table)} WHERE ({Names(key)}) > ({Parameters(key, 1)}) ORDER BY {Names(columns)} LIMIT 1 OFFSET ?{key.Count + 1}";

    /// <summary>The entries whose id is not in the set, of those from one on and, if it is to have an end, before another one.</summary>
    internal static string SelectAbsent(string table, IReadOnlyList<ImposterColumn> key, IReadOnlyList<ImposterColumn> columns, bool hasEnd) =>
        $"SELECT {Names(columns)} FROM {SqlName.Quote(table)} {Absent(key, columns, hasEnd)} ORDER BY {Names(columns)}";

    /// <summary>
    /// Inserts them into another table, in their order, with what <see cref="IdValues"/> gives for their id in the place of it. Without OR FAIL
    /// the engine would save each page before it changes it.
    /// </summary>
    internal static string CopyAbsent(string table, IReadOnlyList<ImposterColumn> key, IReadOnlyList<ImposterColumn> columns, bool hasEnd, string into, IEnumerable<string> intoColumns) =>
        $"INSERT OR FAIL INTO {SqlName.Quote(into)} ({string.Join(", ", intoColumns.Select(SqlName.Quote))}) SELECT {Names(columns.SkipLast(1))}, {IdValues.Get}({SqlName.Quote(columns[^1].Name)}) FROM {SqlName.Quote(table)} {Absent(key, columns, hasEnd)} ORDER BY {Names(columns)}";

    /// <summary>Notes the first column of each entry for its id.</summary>
    internal static string Note(string table, IReadOnlyList<ImposterColumn> columns) =>
        $"SELECT COUNT(*) FROM {SqlName.Quote(table)} WHERE {IdValues.Note}({SqlName.Quote(columns[^1].Name)}, {SqlName.Quote(columns[0].Name)})";

    /// <summary>Removes them.</summary>
    internal static string DeleteAbsent(string table, IReadOnlyList<ImposterColumn> key, IReadOnlyList<ImposterColumn> columns, bool hasEnd) =>
        $"DELETE FROM {SqlName.Quote(table)} {Absent(key, columns, hasEnd)}";

    /// <summary>Removes the entries of a value and of a range of ids.</summary>
    internal static string DeleteRun(string table, IReadOnlyList<ImposterColumn> columns) =>
        $"DELETE FROM {SqlName.Quote(table)} WHERE {SqlName.Quote(columns[0].Name)} = ?1 AND {SqlName.Quote(columns[1].Name)} BETWEEN ?2 AND ?3";

    /// <summary>Adds the rows of a table from a row id on, in their order. Without OR FAIL the engine would save each page before it changes it.</summary>
    internal static string Add(string table, IReadOnlyList<ImposterColumn> columns, string from) =>
        $"INSERT OR FAIL INTO {SqlName.Quote(table)} ({Names(columns)}) SELECT {Names(columns)} FROM {SqlName.Quote(from)} WHERE rowid > ?1 ORDER BY rowid";

    // The row id is the last column of an index.
    private static string Absent(IReadOnlyList<ImposterColumn> key, IReadOnlyList<ImposterColumn> columns, bool hasEnd) =>
        $"WHERE ({Names(key)}) >= ({Parameters(key, 1)}) {(hasEnd ? $"AND ({Names(key)}) < ({Parameters(key, 1 + key.Count)}) " : "")}AND {AbsentIds.Function}({SqlName.Quote(columns[^1].Name)})";

    private static string Names(IEnumerable<ImposterColumn> columns) => string.Join(", ", columns.Select(x => SqlName.Quote(x.Name)));

    private static string Parameters(IReadOnlyList<ImposterColumn> columns, int first) =>
        string.Join(", ", Enumerable.Range(first, columns.Count).Select(x => FormattableString.Invariant($"?{x}")));
}
