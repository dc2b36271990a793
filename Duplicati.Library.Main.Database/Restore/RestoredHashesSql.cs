// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// The scratch table of hashes that are restored already. Its name is the caller's, so the texts are templates; the name
/// becomes a quoted identifier, in which nothing has a meaning but the quote itself.
/// </summary>
internal static class RestoredHashesSql
{
    private const string Table = "{table}";
    private const string Index = "{index}";

    private const string DropTemplate = """DROP TABLE IF EXISTS main.{table}""";

    private const string CreateTemplate =
        """CREATE TABLE main.{table} ("Hash" TEXT NOT NULL); CREATE UNIQUE INDEX main.{index} ON {table} ("Hash")""";

    // One scan of the list, Blockset by id.
    private const string AddTemplate = """
        INSERT OR IGNORE INTO main.{table} ("Hash")
        SELECT b."FullHash"
        FROM temp."RestoreFile" r
        CROSS JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        WHERE r."DataVerified" = 1 AND b."FullHash" <> ''
        """;

    // One scan of the list, Blockset by id, the table's unique index.
    private const string RemoveFilesTemplate = """
        DELETE FROM temp."RestoreFile"
        WHERE EXISTS (
            SELECT 1
            FROM "Blockset" b
            CROSS JOIN main.{table} h ON h."Hash" = b."FullHash"
            WHERE b."ID" = "RestoreFile"."BlocksetID")
        """;

    internal static string Drop(string table) => Named(DropTemplate, table);

    internal static string Create(string table) => Named(CreateTemplate, table);

    internal static string Add(string table) => Named(AddTemplate, table);

    internal static string RemoveFiles(string table) => Named(RemoveFilesTemplate, table);

    private static string Named(string template, string table) =>
        template
            .Replace(Index, SqlName.Quote(table + "_Hash"), StringComparison.Ordinal)
            .Replace(Table, SqlName.Quote(table), StringComparison.Ordinal);
}
