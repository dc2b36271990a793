#nullable enable

using System;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>What can be told to the engine about a connection beside statements.</summary>
public static class EngineControl
{
    /// <summary>Makes the statements that are running on the connection stop with <see cref="ResultCode.Interrupt"/>. From any thread; no effect when nothing runs or the connection is closed.</summary>
    public static void Interrupt(SqliteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (connection.Handle is { IsInvalid: false } handle)
            raw.sqlite3_interrupt(handle);
    }

    /// <summary>Sets how long a statement waits for a lock, in milliseconds; 0 does not wait.</summary>
    public static void SetBusyTimeout(SqliteConnection connection, int milliseconds)
    {
        ArgumentNullException.ThrowIfNull(connection);
        _ = raw.sqlite3_busy_timeout(connection.Handle, milliseconds);
    }
}
