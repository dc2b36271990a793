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

/// <summary>
/// The result codes of SQLite that the data layer tells apart, as <c>SqliteException.SqliteErrorCode</c> holds them. Source:
/// https://www.sqlite.org/rescode.html.
/// </summary>
internal static class ResultCode
{
    /// <summary>The statement is wrong, or not allowed at this moment.</summary>
    public const int Error = 1;

    /// <summary>Another connection holds the lock.</summary>
    public const int Busy = 5;

    /// <summary>Another statement of this connection is in the way.</summary>
    public const int Locked = 6;

    /// <summary>The database cannot be written.</summary>
    public const int ReadOnly = 8;

    /// <summary>The statement was interrupted.</summary>
    public const int Interrupt = 9;

    /// <summary>Pages do not hold together.</summary>
    public const int Corrupt = 11;

    /// <summary>The disk is full.</summary>
    public const int Full = 13;

    /// <summary>The file, or its log, cannot be opened.</summary>
    public const int CannotOpen = 14;

    /// <summary>The log and its index do not agree, for as long as SQLite waits for that.</summary>
    public const int Protocol = 15;

    /// <summary>A unique key, a NOT NULL or another constraint refuses the row.</summary>
    public const int Constraint = 19;
}
