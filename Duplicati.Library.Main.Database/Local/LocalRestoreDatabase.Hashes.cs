// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>The table, seen by all connections, that remembers which contents were restored already.</summary>
internal partial class LocalRestoreDatabase
{
    // The scratch table of hashes that are restored already. Its name is the caller's, so the texts are templates; the name becomes a
    // quoted identifier, in which nothing has a meaning but the quote itself.

    private const string Table = "{table}";

    private const string IndexSql = "{index}";

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

    private static string Drop(string table) => Named(DropTemplate, table);

    private static string Create(string table) => Named(CreateTemplate, table);

    private static string Add(string table) => Named(AddTemplate, table);

    private static string RemoveFiles(string table) => Named(RemoveFilesTemplate, table);

    private static string Named(string template, string table) =>
        template
            .Replace(IndexSql, SqlName.Quote(table + "_Hash"), StringComparison.Ordinal)
            .Replace(Table, SqlName.Quote(table), StringComparison.Ordinal);

    /// <summary>Makes the table, instead of one that is there, and commits.</summary>
    /// <param name="tableName">Any name that no other table has.</param>
    /// <param name="token">Cancels the call.</param>
    public Task CreateRestoredHashesTableAsync(string tableName, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                session.Execute(Drop(tableName));
                session.Execute(Create(tableName));
                m_rtr.Commit("CreateRestoredHashesTable");
            },
            token
        );

    /// <summary>Drops the table if it is there, and commits.</summary>
    public Task DropRestoredHashesTableAsync(string tableName, CancellationToken token) =>
        Session.ShortAsync(
            session =>
            {
                session.Execute(Drop(tableName));
                m_rtr.Commit("DropRestoredHashesTable");
            },
            token
        );

    /// <summary>Adds the hashes of the verified files in the list, and commits.</summary>
    /// <returns>Number of hashes that were not there; 0 without a list.</returns>
    public Task<long> AddCurrentFilesToRestoredHashesAsync(string tableName, CancellationToken token) =>
        Session.LongAsync(
            _ =>
            {
                if (!List.Exists)
                    return 0;
                var added = Run(Add(tableName));
                m_rtr.Commit("AddCurrentFilesToRestoredHashes");
                return added;
            },
            token
        );

    /// <summary>Removes files from the list whose hash is in the table.</summary>
    /// <returns>Number of entries removed; 0 without a list or a table name.</returns>
    public Task<long> RemoveFilesByRestoredHashesAsync(string restoredHashesTable, CancellationToken token) =>
        Session.LongAsync(
            _ => List.Exists && !string.IsNullOrEmpty(restoredHashesTable) ? Run(RemoveFiles(restoredHashesTable)) : 0,
            token
        );

    private long Run(string sql)
    {
        using var statement = Session.Statements.Prepare(sql);
        return statement.ExecuteNonQuery();
    }
}
