// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// Keeps the memory of large sorts bounded. With <c>temp_store=MEMORY</c> SQLite holds a sort in memory as a whole, about 100 bytes a
/// row; with FILE it sorts runs of the size of its page cache, one for each thread, and merges them. It would map the files of runs
/// into memory to merge them, where they count as memory of the process, so it is told to read them.
/// </summary>
internal static class SortMemory
{
    /// <summary>
    /// To be called before the first transaction on a connection: if the database is empty, what fills it will leave indexes out and
    /// build them by sorting all rows at the end, so that temporary data go to files. The order of magnitude of the time is the same.
    /// </summary>
    /// <param name="connection">The connection.</param>
    /// <param name="anyRow">A statement that gives a row if the database holds anything.</param>
    internal static void BoundIfEmpty(SqliteConnection connection, string anyRow)
    {
        using (var statements = new StatementCache(connection))
        using (var any = statements.Take(anyRow))
        {
            if (any.Read())
                return;
        }

        Bound(connection);
    }

    /// <summary><see cref="BoundIfEmpty"/>, whatever is in the database.</summary>
    internal static void Bound(SqliteConnection connection)
    {
        if (Environment.GetEnvironmentVariable(CustomPragmas.Variable)?.Contains("temp_store", StringComparison.OrdinalIgnoreCase) == true)
            return;

        using var statements = new StatementCache(connection);
        statements.Execute(SortMemorySql.TemporaryDataInFiles);
        EngineControl.ReadSortFiles(connection);
    }
}
