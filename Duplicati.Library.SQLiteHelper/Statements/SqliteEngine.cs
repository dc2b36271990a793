// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>The SQLite library of this process.</summary>
internal static class SqliteEngine
{
    /// <summary>Its version as text, such as <c>3.53.3</c>.</summary>
    internal static string VersionText { get; } = ReadVersion();

    /// <summary>Its version.</summary>
    internal static Version Version { get; } = new(VersionText);

    /// <summary>Its handle; where the provider is linked into the program, the program's.</summary>
    internal static nint Library { get; } = Find();

    private static string ReadVersion()
    {
        using var connection = new SqliteConnection();
        return connection.ServerVersion;
    }

    // The search that the provider's own imports go through finds the library that they have loaded. Where the provider renames it or
    // is linked into the program, the modules of the process are asked; the file name is never assumed.
    private static nint Find()
    {
        // The provider chooses and loads the library when it is first used; the packages that bring it differ between its versions.
        RuntimeHelpers.RunClassConstructor(typeof(SqliteConnection).TypeHandle);
        if (TryFindThroughProvider(out var handle))
            return handle;

        using var process = Process.GetCurrentProcess();
        foreach (ProcessModule module in process.Modules)
        {
            if (NativeLibrary.TryLoad(module.FileName, out handle) && IsTheLoadedEngine(handle))
                return handle;
        }

        return NativeLibrary.GetMainProgramHandle();
    }

    private static bool TryFindThroughProvider(out nint handle)
    {
        handle = 0;
        try
        {
            var name = raw.GetNativeLibraryName();
            return NativeLibrary.TryLoad(name, Assembly.Load($"SQLitePCLRaw.provider.{name}"), null, out handle)
                && IsTheLoadedEngine(handle);
        }
        catch (FileNotFoundException)
        {
            return false;
        }
    }

    private static unsafe bool IsTheLoadedEngine(nint handle) =>
        NativeLibrary.TryGetExport(handle, "sqlite3_libversion_number", out var version)
        && ((delegate* unmanaged[Cdecl]<int>)version)() == raw.sqlite3_libversion_number();
}
