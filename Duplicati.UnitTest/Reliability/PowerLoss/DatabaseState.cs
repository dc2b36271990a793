// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.InteropServices;
using System.Security.Cryptography;
using Duplicati.Engine.Common;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Reliability.PowerLoss;

/// <summary>What SQLite makes of the files that a loss of power left.</summary>
internal static class DatabaseState
{
    /// <summary>There is no database, or one that nothing was ever written to.</summary>
    internal const string None = "";

    /// <summary>Writes files into an empty folder.</summary>
    internal static void Write(string folder, Dictionary<string, byte[]> files)
    {
        foreach (var path in Directory.GetFiles(folder))
            File.Delete(path);
        foreach (var (name, content) in files)
            File.WriteAllBytes(Path.Combine(folder, name), content);
    }

    /// <summary>Opens a database as SQLite does, with its journal or log, and checks it.</summary>
    /// <returns>What tells its content from any other.</returns>
    internal static string Open(string path)
    {
        if (!File.Exists(path))
            return None;
        using var connection = PlainConnection.Open(path, SqliteOpenMode.ReadWrite);
        return connection.Pragma("integrity_check") is "ok"
            ? Digest(connection)
            : throw new SqliteException("The file is damaged", SQLitePCL.raw.SQLITE_CORRUPT);
    }

    // All pages as they are after recovery.
    private static unsafe string Digest(SqliteConnection connection)
    {
        var serialize = (delegate* unmanaged[Cdecl]<nint, byte*, long*, uint, byte*>)
            NativeLibrary.GetExport(SqliteEngine.Library, "sqlite3_serialize");
        var free = (delegate* unmanaged[Cdecl]<byte*, void>)NativeLibrary.GetExport(SqliteEngine.Library, "sqlite3_free");
        long length = 0;
        byte* pages;
        fixed (byte* main = "main\0"u8)
            pages = serialize(connection.Handle!.DangerousGetHandle(), main, &length, 0);
        try
        {
            return pages is null || length == 0
                ? None
                : Convert.ToHexString(SHA256.HashData(new ReadOnlySpan<byte>(pages, checked((int)length))));
        }
        finally
        {
            free(pages);
        }
    }
}
