// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>What two databases are compared by that have to hold the same rows, ids included.</summary>
internal static class AllRows
{
    /// <summary>The contents of all tables, one line a row, sorted.</summary>
    internal static string Of(SqliteConnection connection)
    {
        string[] tables =
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
        var lines = tables.SelectMany(table => connection.Lines($"SELECT * FROM {table}").Select(line => $"{table}: {line}"));
        return string.Join("\n", lines.Order(StringComparer.Ordinal));
    }
}
