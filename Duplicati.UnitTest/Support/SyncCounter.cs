// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Counts how often SQLite asks the operating system to flush a file of one connection. It replaces the flush method in the
/// file's method table (https://www.sqlite.org/c3ref/io_methods.html) by one that counts and then does the same.
/// </summary>
/// <remarks>One instance at a time; must be disposed before the connection.</remarks>
internal sealed unsafe class SyncCounter : IDisposable
{
    /// <summary>SQLITE_FCNTL_FILE_POINTER: the database file.</summary>
    public const int DatabaseFile = 7;

    /// <summary>SQLITE_FCNTL_JOURNAL_POINTER: the write-ahead log.</summary>
    public const int Journal = 28;

    private const int TableBytes = 256;
    private const int SyncSlot = 5;

    private static delegate* unmanaged[Cdecl]<nint, int, int> s_original;
    private static int s_count;

    private readonly nint* m_file;
    private readonly nint m_before;
    private readonly nint m_table;

    /// <param name="connection">An open connection; for the log, one that has already written.</param>
    /// <param name="which"><see cref="DatabaseFile"/> or <see cref="Journal"/>.</param>
    public SyncCounter(SqliteConnection connection, int which)
    {
        m_file = FileOf(connection, which);
        m_before = *m_file;
        m_table = Marshal.AllocHGlobal(TableBytes);

        // The table has 19 slots at most; a copy keeps the other connections of the process out of it.
        Unsafe.CopyBlock((void*)m_table, (void*)m_before, 19 * (uint)sizeof(nint));
        s_original = (delegate* unmanaged[Cdecl]<nint, int, int>)((nint*)m_before)[SyncSlot];
        ((nint*)m_table)[SyncSlot] = (nint)(delegate* unmanaged[Cdecl]<nint, int, int>)&CountAndSync;
        s_count = 0;
        *m_file = m_table;
    }

    /// <summary>Flushes since it was made.</summary>
    public int Count => Volatile.Read(ref s_count);

    public void Dispose()
    {
        *m_file = m_before;
        Marshal.FreeHGlobal(m_table);
    }

    private static nint* FileOf(SqliteConnection connection, int which)
    {
        var control = (delegate* unmanaged[Cdecl]<nint, byte*, int, void*, int>)
            NativeLibrary.GetExport(SqliteEngine.Library, "sqlite3_file_control");
        nint* file = null;
        var code = control(connection.Handle!.DangerousGetHandle(), null, which, &file);
        return code == 0 && file is not null ? file : throw new InvalidOperationException($"The file cannot be reached: error {code}.");
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int CountAndSync(nint file, int flags)
    {
        Interlocked.Increment(ref s_count);
        return s_original(file, flags);
    }
}
