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
        var lines = new List<string>();
        foreach (var table in tables)
        {
            using var command = connection.CreateCommand();
            command.CommandText = $"SELECT * FROM {table}";
            using var reader = command.ExecuteReader();
            while (reader.Read())
            {
                var values = new object[reader.FieldCount];
                reader.GetValues(values);
                lines.Add($"{table}: {string.Join("|", values)}");
            }
        }

        lines.Sort(StringComparer.Ordinal);
        return string.Join("\n", lines);
    }
}
