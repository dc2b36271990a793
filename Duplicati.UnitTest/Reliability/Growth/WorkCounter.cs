// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.UnitTest.Reliability.Growth;

/// <summary>
/// Counts the steps of the engine's virtual machine on all connections that are opened in this process while it lives, whoever opens
/// them. A step is at most one search in a tree; sorting and counting a whole table are one. One counter at a time.
/// </summary>
internal sealed unsafe class WorkCounter : IDisposable
{
    private const int StepsACall = 1;

    private static long s_steps;

    private readonly long m_before = Interlocked.Read(ref s_steps);

    internal WorkCounter() => Call("sqlite3_auto_extension");

    /// <summary>Steps since it was made.</summary>
    internal long Steps => Interlocked.Read(ref s_steps) - m_before;

    public void Dispose() => Call("sqlite3_cancel_auto_extension");

    private static void Call(string function) =>
        ((delegate* unmanaged[Cdecl]<delegate* unmanaged[Cdecl]<nint, nint, nint, int>, int>)Export(function))(&OnOpen);

    private static nint Export(string function) => NativeLibrary.GetExport(SqliteEngine.Library, function);

    // Connections that outlive the counter go on calling.
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnOpen(nint database, nint error, nint api)
    {
        ((delegate* unmanaged[Cdecl]<nint, int, delegate* unmanaged[Cdecl]<nint, int>, nint, void>)Export("sqlite3_progress_handler"))(
            database,
            StepsACall,
            &OnStep,
            0
        );
        return 0;
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnStep(nint context)
    {
        Interlocked.Increment(ref s_steps);
        return 0;
    }
}
