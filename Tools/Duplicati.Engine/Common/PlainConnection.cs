// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

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

/// <summary>
/// A connection to a database of any kind that changes nothing: in the way the current call chain reads the file, see
/// <see cref="DatabaseReading"/>, else in one of its own.
/// </summary>
internal sealed class ReadingConnection : IDisposable
{
    private readonly ReadOnlyFile? m_own;

    /// <exception cref="IOException">The file does not exist or cannot be read.</exception>
    /// <exception cref="SqliteException">The file cannot be opened.</exception>
    internal ReadingConnection(string path)
    {
        var file = ReadOnlyFile.InUse(path) ?? (m_own = ReadOnlyFile.Look(path));
        try
        {
            Connection = file.Open();
        }
        catch
        {
            m_own?.Dispose();
            throw;
        }
    }

    internal SqliteConnection Connection { get; }

    public void Dispose()
    {
        Connection.Dispose();
        m_own?.Dispose();
    }
}

/// <summary>Statements that end early when they are cancelled.</summary>
internal static class Interruptible
{
    /// <summary>Runs statements of a connection.</summary>
    /// <exception cref="OperationCanceledException">They were cancelled.</exception>
    internal static T Run<T>(SqliteConnection connection, CancellationToken token, Func<T> work)
    {
        using var stop = token.Register(() => EngineControl.Interrupt(connection));
        try
        {
            return work();
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == raw.SQLITE_INTERRUPT && token.IsCancellationRequested)
        {
            throw new OperationCanceledException(ex.Message, ex, token);
        }
    }
}
