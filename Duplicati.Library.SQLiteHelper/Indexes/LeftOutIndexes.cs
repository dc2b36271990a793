// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// What a database file knows of indexes that were left out while it is filled. Their definitions stand in table DeferredIndex, and the
/// row in table Version is 1000 + n instead of n: a program that knows nothing of this refuses the file as newer, instead of scanning
/// tables for each row. Mark and table come in the transaction that drops the first index and go in the one that builds the last.
/// </summary>
/// <remarks>The caller holds the connection, and has a transaction open unless a member says otherwise.</remarks>
internal static class LeftOutIndexes
{
    // The schema table is small and in memory.
    private const string TableExists = """SELECT 1 FROM "sqlite_master" WHERE "type" = 'table' AND "name" = 'DeferredIndex'""";

    // A table of at most some twenty rows that exists only while indexes are missing.
    private const string CreateTable =
        """CREATE TABLE "DeferredIndex" ("Name" TEXT PRIMARY KEY NOT NULL, "Table" TEXT NOT NULL, "Sql" TEXT NOT NULL)""";

    private const string DropTable = """DROP TABLE IF EXISTS "DeferredIndex" """;

    // The version table has one row.
    private const string MarkVersion = """UPDATE "Version" SET "Version" = "Version" + 1000 WHERE "Version" < 1000""";

    // The version table has one row.
    private const string UnmarkVersion = """UPDATE "Version" SET "Version" = "Version" - 1000 WHERE "Version" >= 1000""";

    // Primary key.
    private const string RememberSql = """INSERT OR REPLACE INTO "DeferredIndex" ("Name", "Table", "Sql") VALUES (?1, ?2, ?3)""";

    // At most some twenty rows.
    private const string AnyRemembered = """
        SELECT 1 FROM "DeferredIndex" WHERE "Name" <> '' AND (?1 IS NULL OR "Table" = ?1 COLLATE NOCASE) LIMIT 1
        """;

    // Primary key. The row without a name holds the mark of who leaves the indexes out.
    private const string Owner = """SELECT "Sql" FROM "DeferredIndex" WHERE "Name" = ''""";

    internal const string Rollback = "ROLLBACK";

    /// <summary>What is added to the version of the schema while indexes are missing.</summary>
    public const int VersionMark = 1000;

    /// <summary>True if a number from table Version says that indexes are missing.</summary>
    public static bool IsMarked(int version) => version >= VersionMark;

    /// <summary>The version of the schema that a number from table Version stands for.</summary>
    public static int SchemaOf(int version) => IsMarked(version) ? version - VersionMark : version;

    /// <summary>True if the file has the table of missing indexes.</summary>
    public static bool Exist(StatementCache statements)
    {
        ArgumentNullException.ThrowIfNull(statements);
        return statements.ReadNumber(TableExists) != 0;
    }

    /// <summary>True if an index of a table is missing, or of any table; the table of missing indexes must exist.</summary>
    public static bool Any(StatementCache statements, string? table)
    {
        ArgumentNullException.ThrowIfNull(statements);
        using var any = statements.Take(AnyRemembered);
        return any.Bind(1, table).ExecuteInt64(0) != 0;
    }

    /// <summary>Marks the file; to be called once the first index is gone, before <see cref="Remember"/>.</summary>
    /// <param name="statements">The connection.</param>
    /// <param name="owner">The <see cref="ProcessMark"/> of who leaves indexes out: as long as it is alive, others leave the file to
    /// it.</param>
    public static void Begin(StatementCache statements, string owner)
    {
        ArgumentNullException.ThrowIfNull(statements);
        statements.Execute(CreateTable);
        Mark(statements);
        Remember(statements, "", "", owner);
    }

    /// <summary>Records the definition of an index that was dropped.</summary>
    public static void Remember(StatementCache statements, string name, string table, string sql)
    {
        ArgumentNullException.ThrowIfNull(statements);
        using var remember = statements.Take(RememberSql);
        remember.Bind(1, name).Bind(2, table).Bind(3, sql).ExecuteNonQuery();
    }

    /// <summary>Builds the missing indexes of one table or of all; the last one takes mark and table with it. Rows x log(rows).</summary>
    /// <returns>True if nothing is missing any more; false also if an open reader keeps the table from being dropped.</returns>
    /// <exception cref="SqliteException">Rows break a unique index (code 19), or the file cannot be written.</exception>
    public static bool Build(StatementCache statements, string? table)
    {
        ArgumentNullException.ThrowIfNull(statements);
        using (IndexSort.Begin(statements))
        {
            foreach (var name in IndexBuilding.ListRemembered(statements, table))
                IndexBuilding.Build(statements, name);
        }

        return !Any(statements, null) && End(statements);
    }

    /// <summary>The names of the missing indexes; the table of missing indexes must exist.</summary>
    public static IReadOnlyList<string> List(StatementCache statements)
    {
        ArgumentNullException.ThrowIfNull(statements);
        return IndexBuilding.ListRemembered(statements, null);
    }

    /// <summary>
    /// Builds one missing index; mark and table stay, also if it is the last one. The table of missing indexes must exist. Rows x
    /// log(rows).
    /// </summary>
    /// <exception cref="SqliteException">Rows break a unique index (code 19), or the file cannot be written.</exception>
    public static void BuildOne(StatementCache statements, string name)
    {
        ArgumentNullException.ThrowIfNull(statements);
        using (IndexSort.Begin(statements))
            IndexBuilding.Build(statements, name);
    }

    /// <summary>
    /// Completes a file whose filling was interrupted, each index in a transaction of its own, so that one that cannot be built is in
    /// nobody's way and a kill loses one at most. A file that somebody alive is filling, that cannot be written, or of a newer schema,
    /// is left as it is: it answers everything, more slowly.
    /// </summary>
    /// <param name="connection">A connection without a transaction.</param>
    /// <param name="schema">A type beside whose namespace the schema is embedded as resources.</param>
    /// <param name="token">Seen between two indexes; to stop one that is being built, interrupt the connection.</param>
    /// <returns>True if something was missing, built or not.</returns>
    /// <exception cref="OperationCanceledException">Cancelled; what is built is kept.</exception>
    /// <exception cref="UserInformationException">Help id <c>DatabaseFormatError</c>: the file cannot be read.</exception>
    /// <exception cref="SqliteException">The connection was interrupted (code 9); what is built is kept.</exception>
    public static bool Complete(SqliteConnection connection, Type schema, CancellationToken token) =>
        new IndexCompletion(connection, SchemaResources.Of(schema), token).Run(isMarked: false);

    /// <summary>What is missing in a file. Outside or inside a transaction; changes nothing.</summary>
    /// <returns>The names of the missing indexes, and whether somebody alive is filling the file; null if it is complete.</returns>
    public static (IReadOnlyList<string> Names, bool IsBeingFilled)? Read(SqliteConnection connection)
    {
        using var statements = new StatementCache(connection);
        if (Exist(statements))
            return (IndexBuilding.ListRemembered(statements, null), IsOwnerAlive(statements));
        return SchemaVersion.Read(connection) is var version && IsMarked(version) ? ([], false) : null;
    }

    internal static bool IsOwnerAlive(StatementCache statements)
    {
        using var owner = statements.Take(Owner);
        return ProcessMark.IsAlive(owner.ExecuteString());
    }

    internal static void Mark(StatementCache statements) => statements.Run(MarkVersion);

    // Nothing can be dropped while a reader is open on the connection (code 6).
    internal static bool End(StatementCache statements)
    {
        try
        {
            statements.Execute(DropTable);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Locked)
        {
            return false;
        }

        statements.Run(UnmarkVersion);
        return true;
    }
}
