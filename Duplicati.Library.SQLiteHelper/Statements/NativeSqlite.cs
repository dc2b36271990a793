// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// The functions of the SQLite library that SQLitePCLRaw has loaded, as function pointers. Calls that neither wait nor run long skip
/// the garbage collector's transition. Those that take the connection's mutex (step, bind, column; in SQLite 3.53 also last row id and
/// autocommit) must not: another thread may hold it
/// and be in a hook, where it waits for the collector, which would wait for this one. Source: https://www.sqlite.org/c3ref/funclist.html.
/// </summary>
/// <remarks>Thread-safe: written once by the static constructor.</remarks>
internal static unsafe class NativeSqlite
{
    internal const int Ok = 0;
    internal const int Row = 100;
    internal const int Done = 101;
    internal const int TypeNull = 5;
    internal const int WriteTransaction = 2;

    /// <summary>SQLite copies the memory before the bind call returns.</summary>
    internal const nint Transient = -1;

    internal static readonly delegate* unmanaged[Cdecl]<nint, byte*, int, uint, nint*, byte**, int> Prepare;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int> Step;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int> FinalizeStatement;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int> Reset;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int> ClearBindings;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, long, int> BindInt64;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, double, int> BindDouble;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, int> BindNull;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, byte*, int, nint, int> BindText;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, byte*, int, nint, int> BindBlob;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int> BindParameterCount;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, long> ColumnInt64;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, double> ColumnDouble;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, int> ColumnType;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, int> ColumnBytes;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, byte*> ColumnText;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int, byte*> ColumnBlob;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int> ColumnCount;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int> Changes;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int> TotalChanges;
    internal static readonly delegate* unmanaged[Cdecl]<nint, long> LastInsertRowId;
    internal static readonly delegate* unmanaged[Cdecl]<nint, int> GetAutoCommit;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int> IsReadOnly;
    internal static readonly delegate* unmanaged[Cdecl]<nint, byte*, int> TransactionState;
    internal static readonly delegate* unmanaged[Cdecl]<nint, nint> DatabaseMutex;
    internal static readonly delegate* unmanaged[Cdecl]<nint, void> EnterMutex;
    internal static readonly delegate* unmanaged[Cdecl]<nint, void> LeaveMutex;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, nint> DatabaseOf;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, void> Interrupt;
    internal static readonly delegate* unmanaged[Cdecl]<
        nint,
        delegate* unmanaged[Cdecl]<nint, int, byte*, byte*, long, void>,
        nint,
        nint> UpdateHook;
    internal static readonly delegate* unmanaged[Cdecl]<nint, delegate* unmanaged[Cdecl]<nint, void>, nint, nint> RollbackHook;
    internal static readonly delegate* unmanaged[Cdecl]<
        nint,
        uint,
        delegate* unmanaged[Cdecl]<uint, nint, nint, nint, int>,
        nint,
        int> Trace;
    internal static readonly delegate* unmanaged[Cdecl]<byte*, byte*, int> FitsGlob;
    internal static readonly delegate* unmanaged[Cdecl]<nint, nint, nint> NextStatement;
    internal static readonly delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int> IsBusy;

    static NativeSqlite()
    {
        var library = SqliteEngine.Library;
        Prepare = (delegate* unmanaged[Cdecl]<nint, byte*, int, uint, nint*, byte**, int>)Export(library, "sqlite3_prepare_v3");
        Step = (delegate* unmanaged[Cdecl]<nint, int>)Export(library, "sqlite3_step");
        FinalizeStatement = (delegate* unmanaged[Cdecl]<nint, int>)Export(library, "sqlite3_finalize");
        Reset = (delegate* unmanaged[Cdecl]<nint, int>)Export(library, "sqlite3_reset");
        ClearBindings = (delegate* unmanaged[Cdecl]<nint, int>)Export(library, "sqlite3_clear_bindings");
        BindInt64 = (delegate* unmanaged[Cdecl]<nint, int, long, int>)Export(library, "sqlite3_bind_int64");
        BindDouble = (delegate* unmanaged[Cdecl]<nint, int, double, int>)Export(library, "sqlite3_bind_double");
        BindNull = (delegate* unmanaged[Cdecl]<nint, int, int>)Export(library, "sqlite3_bind_null");
        BindText = (delegate* unmanaged[Cdecl]<nint, int, byte*, int, nint, int>)Export(library, "sqlite3_bind_text");
        BindBlob = (delegate* unmanaged[Cdecl]<nint, int, byte*, int, nint, int>)Export(library, "sqlite3_bind_blob");
        BindParameterCount = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int>)Export(library, "sqlite3_bind_parameter_count");
        ColumnInt64 = (delegate* unmanaged[Cdecl]<nint, int, long>)Export(library, "sqlite3_column_int64");
        ColumnDouble = (delegate* unmanaged[Cdecl]<nint, int, double>)Export(library, "sqlite3_column_double");
        ColumnType = (delegate* unmanaged[Cdecl]<nint, int, int>)Export(library, "sqlite3_column_type");
        ColumnBytes = (delegate* unmanaged[Cdecl]<nint, int, int>)Export(library, "sqlite3_column_bytes");
        ColumnText = (delegate* unmanaged[Cdecl]<nint, int, byte*>)Export(library, "sqlite3_column_text");
        ColumnBlob = (delegate* unmanaged[Cdecl]<nint, int, byte*>)Export(library, "sqlite3_column_blob");
        ColumnCount = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int>)Export(library, "sqlite3_column_count");
        Changes = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int>)Export(library, "sqlite3_changes");
        TotalChanges = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int>)Export(library, "sqlite3_total_changes");
        LastInsertRowId = (delegate* unmanaged[Cdecl]<nint, long>)Export(library, "sqlite3_last_insert_rowid");
        GetAutoCommit = (delegate* unmanaged[Cdecl]<nint, int>)Export(library, "sqlite3_get_autocommit");
        IsReadOnly = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int>)Export(library, "sqlite3_stmt_readonly");
        TransactionState = (delegate* unmanaged[Cdecl]<nint, byte*, int>)Export(library, "sqlite3_txn_state");
        DatabaseMutex = (delegate* unmanaged[Cdecl]<nint, nint>)Export(library, "sqlite3_db_mutex");
        EnterMutex = (delegate* unmanaged[Cdecl]<nint, void>)Export(library, "sqlite3_mutex_enter");
        LeaveMutex = (delegate* unmanaged[Cdecl]<nint, void>)Export(library, "sqlite3_mutex_leave");
        DatabaseOf = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, nint>)Export(library, "sqlite3_db_handle");
        Interrupt = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, void>)Export(library, "sqlite3_interrupt");
        UpdateHook = (delegate* unmanaged[Cdecl]<nint, delegate* unmanaged[Cdecl]<nint, int, byte*, byte*, long, void>, nint, nint>)Export(
            library,
            "sqlite3_update_hook"
        );
        RollbackHook = (delegate* unmanaged[Cdecl]<nint, delegate* unmanaged[Cdecl]<nint, void>, nint, nint>)Export(
            library,
            "sqlite3_rollback_hook"
        );
        Trace = (delegate* unmanaged[Cdecl]<nint, uint, delegate* unmanaged[Cdecl]<uint, nint, nint, nint, int>, nint, int>)Export(
            library,
            "sqlite3_trace_v2"
        );
        FitsGlob = (delegate* unmanaged[Cdecl]<byte*, byte*, int>)Export(library, "sqlite3_strglob");
        NextStatement = (delegate* unmanaged[Cdecl]<nint, nint, nint>)Export(library, "sqlite3_next_stmt");
        IsBusy = (delegate* unmanaged[Cdecl, SuppressGCTransition]<nint, int>)Export(library, "sqlite3_stmt_busy");
    }

    private static nint Export(nint library, string name) => NativeLibrary.GetExport(library, name);
}
