// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>What two databases are compared by that have to hold the same rows, ids included.</summary>
internal static class AllRows
{
    /// <summary>The ids of deleted blocks, which those of one deletion get in any order.</summary>
    internal const string DeletedBlockIds = "DeletedBlock.ID";

    private static readonly string[] s_tables =
    [
        "Remotevolume",
        "IndexBlockLink",
        "Fileset",
        "FilesetEntry",
        "PathPrefix",
        "FileLookup",
        "BlocklistHash",
        "Blockset",
        "BlocksetEntry",
        "Block",
        "DeletedBlock",
        "DuplicateBlock",
        "Metadataset",
        "ChangeJournalData",
    ];

    /// <summary>The contents of all tables, one line a row, sorted.</summary>
    /// <param name="connection">Of the database.</param>
    /// <param name="without">Columns that do not count, each with its table and a dot before it.</param>
    internal static string Of(SqliteConnection connection, params string[] without) =>
        string.Join("\n", s_tables.SelectMany(table => Of(connection, table, without)).Order(StringComparer.Ordinal));

    /// <summary>As above, of a file.</summary>
    internal static string Of(string path, params string[] without)
    {
        using var connection = Databases.Open(path);
        return Of(connection, without);
    }

    private static IEnumerable<string> Of(SqliteConnection connection, string table, string[] without)
    {
        var columns = connection.Lines($"SELECT name FROM pragma_table_info('{table}')").Where(x => !without.Contains($"{table}.{x}"));
        return connection.Lines($"SELECT \"{string.Join("\", \"", columns)}\" FROM {table}").Select(line => $"{table}: {line}");
    }
}
