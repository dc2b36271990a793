// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using SQLitePCL;

namespace Duplicati.UnitTest.Support;

/// <summary>
/// Writes what SQLite logs to the standard output, a line each: code, a space, text. For a child process, before its first connection.
/// </summary>
internal static unsafe class EngineLog
{
    private const int ConfigLog = 16;

    /// <summary>Sets it up.</summary>
    /// <exception cref="InvalidOperationException">The library is in use already.</exception>
    internal static void Install()
    {
        Batteries_V2.Init();
        // Before the library is initialised, which the first connection does. The provider's own call keeps its delegate alive for
        // too short a time, so the function is passed directly.
        var library = NativeLibrary.Load(
            raw.GetNativeLibraryName(),
            Assembly.Load("SQLitePCLRaw.provider." + raw.GetNativeLibraryName()),
            null
        );
        var configure = (delegate* unmanaged[Cdecl]<int, nint, nint, int>)NativeLibrary.GetExport(library, "sqlite3_config");
        if (configure(ConfigLog, (nint)(delegate* unmanaged[Cdecl]<nint, int, byte*, void>)&Log, 0) != raw.SQLITE_OK)
            throw new InvalidOperationException("SQLite is in use already.");
    }

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void Log(nint context, int code, byte* message) =>
        Console.Out.WriteLine($"{code} {Marshal.PtrToStringUTF8((nint)message)}");
}
