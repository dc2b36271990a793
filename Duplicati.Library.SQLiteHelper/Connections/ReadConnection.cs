// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// A connection for reading committed rows beside the one that writes. It refuses to write, never checkpoints, and keeps its
/// prepared statements. Each statement is its own read transaction: it sees what was committed when it began, and holds no
/// lock and no snapshot once it is reset.
/// </summary>
/// <remarks>
/// No shared cache: within one, a reader would meet table locks that the busy timeout does not wait for, and all connections
/// would take turns on one mutex. Used by one call chain at a time; see <see cref="ReadConnectionPool"/>.
/// </remarks>
public sealed class ReadConnection : IDisposable
{
    private static readonly string[] TakenOver = [PragmaCatalogue.BusyTimeout, PragmaCatalogue.TempStore, PragmaCatalogue.MmapSize];
    private static readonly Pragma SmallCache = new(
        PragmaCatalogue.CacheSize,
        "-8192",
        "8 MiB: a reader walks the blocks of one file, and dozens of readers may be open"
    );
    private static readonly Pragma ReadOnly = new("query_only", "ON", "only one connection writes and checkpoints");

    private ReadConnection(SqliteConnection connection)
    {
        Connection = connection;
        Statements = new StatementCache(connection);
    }

    /// <summary>The connection itself.</summary>
    public SqliteConnection Connection { get; }

    /// <summary>The prepared statements of this connection.</summary>
    public StatementCache Statements { get; }

    /// <summary>Opens a reader of a database that exists.</summary>
    /// <param name="connectionString">The connection string of the connection that writes.</param>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    public static ReadConnection Open(string connectionString)
    {
        var settings = new SqliteConnectionStringBuilder(connectionString) { Pooling = false };
        if (settings.Mode != SqliteOpenMode.ReadOnly)
            settings.Mode = SqliteOpenMode.ReadWrite;
        var connection = ConnectionOpener.Create();
        try
        {
            connection.ConnectionString = settings.ConnectionString;
            connection.Open();
            PragmaApplier.Apply(connection, Pragmas(settings.DataSource));
            return new ReadConnection(connection);
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>Finalizes the statements and closes the connection. May be called more than once.</summary>
    public void Dispose()
    {
        Statements.Dispose();
        Connection.Dispose();
    }

    // Journal mode and durability are the writer's; what the user's environment says about the others counts here too.
    private static IEnumerable<Pragma> Pragmas(string path) =>
        [
            .. ConnectionOpener.Standard.Effective(path, ConnectionOptions.Current).Where(pragma => TakenOver.Contains(pragma.Name)),
            SmallCache,
            ReadOnly,
        ];
}
