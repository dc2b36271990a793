// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Looks at what is committed to the databases of a folder between any two commits, whoever makes them: before a connection of this
/// process commits, a second one reads what the commit before it left. What the last one left is for the test to look at.
/// </summary>
internal sealed unsafe class CommitWatch : IDisposable
{
    private static readonly Lock s_lock = new();
    private static CommitWatch? s_current;

    private readonly string m_folder;
    private readonly Action<SqliteConnection> m_look;
    private readonly List<Exception> m_failures = [];

    internal CommitWatch(string folder, Action<SqliteConnection> look)
    {
        m_folder = folder + Path.DirectorySeparatorChar;
        m_look = look;
        lock (s_lock)
            s_current = this;
        Call("sqlite3_auto_extension");
    }

    /// <summary>How often was looked.</summary>
    internal int Looks { get; private set; }

    /// <summary>How often nobody could look.</summary>
    internal int Misses { get; private set; }

    /// <summary>What looking threw.</summary>
    internal IReadOnlyList<Exception> Failures => m_failures;

    public void Dispose()
    {
        Call("sqlite3_cancel_auto_extension");
        lock (s_lock)
            s_current = null;
    }

    private static void Call(string function) =>
        ((delegate* unmanaged[Cdecl]<delegate* unmanaged[Cdecl]<nint, nint, nint, int>, int>)Export(function))(&OnOpen);

    private static nint Export(string function) => NativeLibrary.GetExport(SqliteEngine.Library, function);

    // Connections that outlive the watch go on calling the hook, which then does nothing.
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnOpen(nint database, nint error, nint api)
    {
        ((delegate* unmanaged[Cdecl]<nint, delegate* unmanaged[Cdecl]<nint, int>, nint, nint>)Export("sqlite3_commit_hook"))(
            database,
            &OnCommit,
            database
        );
        return 0;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnCommit(nint database)
    {
        fixed (byte* main = "main\0"u8)
        {
            var name = ((delegate* unmanaged[Cdecl]<nint, byte*, nint>)Export("sqlite3_db_filename"))(database, main);
            var path = Marshal.PtrToStringUTF8(name) ?? "";
            lock (s_lock)
                s_current?.Look(path);
        }

        return 0;
    }

    private void Look(string path)
    {
        if (!path.StartsWith(m_folder, StringComparison.Ordinal))
            return;

        try
        {
            // Who has the file to itself keeps it for as long as this waits: a second.
            using var connection = new SqliteConnection(
                new SqliteConnectionStringBuilder
                {
                    DataSource = path,
                    Mode = SqliteOpenMode.ReadOnly,
                    Pooling = false,
                    DefaultTimeout = 1,
                }.ToString()
            );
            connection.Open();
            m_look(connection);
            Looks++;
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Busy)
        {
            // The connection has the file to itself, so that nobody can see this state.
            Misses++;
        }
        catch (Exception ex)
        {
            m_failures.Add(ex);
        }
    }
}
