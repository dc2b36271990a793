// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Sync;

/// <summary>Finds what a synchronization has to do, by comparing a table of local files with what is known of the destination.</summary>
/// <remarks>
/// Must be called with the connection lock held. Names of tables cannot be bound; quoted, any text is a name and nothing else.
/// </remarks>
internal static class SyncPlan
{
    // {local} is the name of a table of local files. Times are compared as text in one form.

    private const string Create = "CREATE TEMP TABLE {local} ({columns})";

    private const string Drop = "DROP TABLE IF EXISTS temp.{local}";

    // Unique index on RelativePath of the table.
    private const string InsertSql =
        """INSERT OR IGNORE INTO {local} ("RelativePath", "AbsolutePath", "Size", "LastModified") VALUES (?1, ?2, ?3, ?4)""";

    // Reads the local files in the order of their unique index, unique index on RelativePath.
    private const string UploadsSql = """
        SELECT l."RelativePath", l."AbsolutePath", l."Size", l."LastModified", NULL, 0
        FROM {local} l
        WHERE NOT EXISTS (SELECT 1 FROM "RemoteInventory" r WHERE r."RelativePath" = l."RelativePath")
        ORDER BY l."RelativePath"
        """;

    // Reads the local files in the order of their unique index, unique index on RelativePath.
    private const string UpdatesSql = """
        SELECT l."RelativePath", l."AbsolutePath", l."Size", l."LastModified", r."ContentHash", r."Size" = l."Size" AND r."LastModified" >= l."LastModified"
        FROM {local} l CROSS JOIN "RemoteInventory" r ON r."RelativePath" = l."RelativePath"
        WHERE r."Size" <> l."Size" OR r."LastModified" < l."LastModified" OR (?1 <> 0 AND r."ContentHash" IS NOT NULL)
        ORDER BY l."RelativePath"
        """;

    // Reads the local files, unique index on RelativePath.
    private const string CountUpdatesSql = """
        SELECT COUNT(*)
        FROM {local} l CROSS JOIN "RemoteInventory" r ON r."RelativePath" = l."RelativePath"
        WHERE r."Size" <> l."Size" OR r."LastModified" < l."LastModified" OR (?1 <> 0 AND r."ContentHash" IS NOT NULL)
        """;

    // Reads the inventory in the order of its unique index; unique indexes on RelativePath of the local files and on Path.
    private const string DeletionsSql = """
        SELECT r."RelativePath", '', r."Size", r."LastModified", NULL, 0
        FROM "RemoteInventory" r
        WHERE NOT EXISTS (SELECT 1 FROM {local} l WHERE l."RelativePath" = r."RelativePath")
          AND NOT EXISTS (SELECT 1 FROM "PendingOperation" p WHERE p."Path" = r."RelativePath")
        ORDER BY r."RelativePath"
        """;

    /// <summary>Makes a temporary table with the columns given, as they are.</summary>
    /// <returns>Its name, without quotes.</returns>
    internal static string CreateTable(DatabaseSession session, string columns)
    {
        var name = $"SyncTemp-{Library.Utility.Utility.GetHexGuid()}";
        session.Execute(Text(Create, name).Replace("{columns}", columns, StringComparison.Ordinal));
        return name;
    }

    /// <summary>Removes a temporary table.</summary>
    internal static void DropTable(SqliteConnection connection, string name)
    {
        using var drop = connection.CreateCommand();
        drop.CommandText = Text(Drop, name);
        drop.ExecuteNonQuery();
    }

    /// <summary>Adds local files in one transaction; paths that are there already stay as they are.</summary>
    internal static void Insert(
        DatabaseSession session,
        string table,
        (string RelativePath, string AbsolutePath, long Size, DateTime ModifiedUtc)[] files
    ) =>
        SyncTransaction.Run(
            session,
            () =>
            {
                using var insert = session.Statements.Prepare(Text(InsertSql, table));
                foreach (var (relativePath, absolutePath, size, modified) in files)
                    insert
                        .Bind(1, relativePath)
                        .Bind(2, absolutePath)
                        .Bind(3, size)
                        .Bind(4, SyncTime.ToTextUnchanged(modified))
                        .ExecuteNonQuery();
            }
        );

    /// <summary>Local files that the destination does not have.</summary>
    internal static List<LocalSyncDatabase.SyncPlanRow> Uploads(DatabaseSession session, string table)
    {
        using var select = session.Statements.Prepare(Text(UploadsSql, table));
        return Read(select, SyncOperation.Upload);
    }

    /// <summary>Local files that differ from the destination's, or may differ.</summary>
    internal static List<LocalSyncDatabase.SyncPlanRow> Updates(DatabaseSession session, string table, bool verifyHash)
    {
        using var select = session.Statements.Prepare(Text(UpdatesSql, table));
        return Read(select.Bind(1, verifyHash ? 1 : 0), SyncOperation.Update);
    }

    /// <summary>Files of the destination that are not local.</summary>
    internal static List<LocalSyncDatabase.SyncPlanRow> Deletions(DatabaseSession session, string table)
    {
        using var select = session.Statements.Prepare(Text(DeletionsSql, table));
        return Read(select, SyncOperation.Delete);
    }

    /// <summary>The result of a statement that counts.</summary>
    internal static long Count(DatabaseSession session, string sql, string table)
    {
        using var count = session.Statements.Prepare(Text(sql, table));
        return count.ExecuteInt64(0);
    }

    /// <summary>The number of rows of <see cref="Updates"/>.</summary>
    internal static long CountUpdates(DatabaseSession session, string table, bool verifyHash)
    {
        using var count = session.Statements.Prepare(Text(CountUpdatesSql, table));
        return count.Bind(1, verifyHash ? 1 : 0).ExecuteInt64(0);
    }

    private static List<LocalSyncDatabase.SyncPlanRow> Read(Statement rows, SyncOperation operation)
    {
        var result = new List<LocalSyncDatabase.SyncPlanRow>();
        while (rows.Read())
        {
            result.Add(
                new LocalSyncDatabase.SyncPlanRow
                {
                    RelativePath = rows.GetString(0)!,
                    AbsolutePath = rows.GetString(1)!,
                    Size = rows.GetInt64(2),
                    LastModifiedUtc = SyncTime.Parse(rows.GetString(3)!),
                    Operation = operation,
                    RemoteContentHash = rows.GetString(4),
                    HashRecheckOnly = rows.GetInt64(5) != 0,
                }
            );
        }

        return result;
    }

    private static string Text(string template, string table) =>
        template.Replace("{local}", SqlName.Quote(table.Trim('"')), StringComparison.Ordinal);
}
