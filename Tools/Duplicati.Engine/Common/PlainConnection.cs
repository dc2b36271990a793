// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Common;

/// <summary>
/// Connections without anything of the data layer's: nothing is upgraded, no index is built, and no pool keeps the file open.
/// </summary>
internal static class PlainConnection
{
    /// <summary>Opens a database, which is made if the mode permits it.</summary>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    internal static SqliteConnection Open(string path, SqliteOpenMode mode = SqliteOpenMode.ReadWriteCreate)
    {
        var connection = new SqliteConnection(
            new SqliteConnectionStringBuilder
            {
                DataSource = path,
                Mode = mode,
                Pooling = false,
            }.ToString()
        );
        try
        {
            connection.Open();
            return connection;
        }
        catch
        {
            connection.Dispose();
            throw;
        }
    }

    /// <summary>Reads of a database that may be missing or damaged.</summary>
    /// <returns>The default where it cannot be read: whoever opens it says what is wrong with it.</returns>
    internal static T? TryRead<T>(string path, Func<SqliteConnection, T> read)
    {
        try
        {
            using var connection = Open(path, SqliteOpenMode.ReadWrite);
            return read(connection);
        }
        catch (SqliteException)
        {
            return default;
        }
    }

    /// <summary>Copies a database into another file, as of one moment.</summary>
    internal static void CopyTo(this SqliteConnection connection, string target)
    {
        using var copy = Open(target);
        connection.BackupDatabase(copy);
    }
}
