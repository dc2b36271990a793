// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.InteropServices;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>What can be told to the engine about a connection beside statements.</summary>
internal static class EngineControl
{
    private const int SorterMemoryMap = 24;
    private const int PagesBetweenChecks = 1024;

    /// <summary>
    /// Makes the statements that are running on the connection stop with <see cref="ResultCode.Interrupt"/>. From any thread; no effect
    /// when nothing runs or the connection is closed.
    /// </summary>
    public static void Interrupt(SqliteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if (connection.Handle is not { IsInvalid: false } handle)
            return;

        try
        {
            raw.sqlite3_interrupt(handle);
        }
        catch (ObjectDisposedException)
        {
            // Closed meanwhile, and a timer that asked for it must not end the process.
        }
    }

    /// <summary>
    /// Copies a database by the engine's online backup. A transaction in which the source has read already makes it the copy of one
    /// moment, whatever is committed meanwhile; without one it begins anew after each commit of another connection.
    /// </summary>
    /// <exception cref="SqliteException">A page cannot be read or written. The copy is of no use.</exception>
    /// <exception cref="OperationCanceledException">As above.</exception>
    public static void Copy(SqliteConnection from, SqliteConnection to, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(from);
        ArgumentNullException.ThrowIfNull(to);
        using var backup = raw.sqlite3_backup_init(to.Handle, "main", from.Handle, "main");
        if (backup.IsInvalid)
            SqliteException.ThrowExceptionForRC(raw.sqlite3_errcode(to.Handle), to.Handle);
        int rc;
        while ((rc = raw.sqlite3_backup_step(backup, PagesBetweenChecks)) == raw.SQLITE_OK)
            token.ThrowIfCancellationRequested();
        SqliteException.ThrowExceptionForRC(rc, to.Handle);
    }

    /// <summary>
    /// True if the engine's connection may be kept in the provider's pool, with all that was set on it, when this one is closed.
    /// </summary>
    internal static bool MayOutliveClosing(SqliteConnection connection) =>
        new SqliteConnectionStringBuilder(connection.ConnectionString).Pooling;

    /// <summary>Sets how long a statement waits for a lock, in milliseconds; 0 does not wait.</summary>
    public static void SetBusyTimeout(SqliteConnection connection, int milliseconds)
    {
        ArgumentNullException.ThrowIfNull(connection);
        _ = raw.sqlite3_busy_timeout(connection.Handle, milliseconds);
    }

    /// <summary>
    /// Lets sorts on the connection read their temporary files instead of mapping them: a mapped file of hundreds of megabytes
    /// counts as memory of the process until the sort is over.
    /// </summary>
    /// <remarks>
    /// Nothing happens where the engine was built without this switch, or where variable arguments are passed in another way than
    /// others (Apple's ARM64). Source: SQLITE_TESTCTRL_SORTER_MMAP in sqlite3.h.
    /// </remarks>
    public static unsafe void ReadSortFiles(SqliteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        if ((OperatingSystem.IsMacOS() || OperatingSystem.IsIOS()) && RuntimeInformation.ProcessArchitecture == Architecture.Arm64)
            return;
        if (
            connection.Handle is not { IsInvalid: false } handle
            || !NativeLibrary.TryGetExport(SqliteEngine.Library, "sqlite3_test_control", out var control)
        )
            return;

        _ = ((delegate* unmanaged[Cdecl]<int, nint, int, int>)control)(SorterMemoryMap, handle.DangerousGetHandle(), 0);
        GC.KeepAlive(handle);
    }
}
