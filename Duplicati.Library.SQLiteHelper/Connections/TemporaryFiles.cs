// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Runtime.InteropServices;
using System.Text;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.Utility;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Sends SQLite's temporary files to Duplicati's folder for them. The environment variables do that on Windows, and tell
/// child processes; elsewhere the runtime keeps its changes of the environment to itself, so the engine is told directly.
/// </summary>
/// <remarks>Thread-safe. Process-wide, as the engine's setting is.</remarks>
internal static unsafe class TemporaryFiles
{
    private const string EngineVariable = "SQLITE_TMPDIR";

    private static readonly string[] Variables = ["TMPDIR", "TMP", "TEMP"];
    private static readonly Lock s_lock = new();
    private static string? s_told;

    /// <summary>Sets the variables and tells the engine. Costs next to nothing when nothing changes.</summary>
    internal static void UseTempFolder()
    {
        var folder = TempFolder.SystemTempPath;
        if (string.IsNullOrWhiteSpace(Environment.GetEnvironmentVariable(EngineVariable)))
            Environment.SetEnvironmentVariable(EngineVariable, folder);
        foreach (var variable in Variables)
            Environment.SetEnvironmentVariable(variable, folder);

        if (!OperatingSystem.IsWindows())
            TellEngine(Environment.GetEnvironmentVariable(EngineVariable) ?? folder);
    }

    // The engine reads the pointer whenever it makes a temporary file, from any thread. It is replaced in one write, and the
    // old text is never freed (some bytes for each change of the folder), so there is no moment at which it is not valid.
    private static void TellEngine(string folder)
    {
        lock (s_lock)
        {
            if (s_told == folder)
                return;
            s_told = folder;

            if (
                NativeLibrary.TryGetExport(SqliteEngine.Library, "sqlite3_temp_directory", out var variable)
                && NativeLibrary.TryGetExport(SqliteEngine.Library, "sqlite3_malloc", out var malloc)
            )
                Volatile.Write(ref *(nint*)variable, Copy(folder, (delegate* unmanaged[Cdecl]<int, nint>)malloc));
        }
    }

    // Made by the engine's own allocator: a user's PRAGMA temp_store_directory would free it.
    private static nint Copy(string text, delegate* unmanaged[Cdecl]<int, nint> malloc)
    {
        var length = Encoding.UTF8.GetByteCount(text);
        var copy = malloc(length + 1);
        if (copy == 0)
            return 0;

        var bytes = new Span<byte>((void*)copy, length + 1);
        Encoding.UTF8.GetBytes(text, bytes);
        bytes[length] = 0;
        return copy;
    }
}
