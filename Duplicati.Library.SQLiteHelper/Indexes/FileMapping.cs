// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// The engine's mapping of the file into memory. With it, a transaction that writes looks each page that it reads up in the log, also one
/// that is in the page cache; without it, only what is not. A look-up asks for each 4,096 pages of the log, so that it takes long in a
/// transaction that changes millions of pages. Source: https://www.sqlite.org/mmap.html and https://www.sqlite.org/walformat.html, 2.2.
/// </summary>
/// <remarks>Same thread rules as the connection. Works within a transaction.</remarks>
internal static class FileMapping
{
    /// <summary>Without it until disposed: for changes of much of a file. No effect where there is none.</summary>
    public static PassingSetting Off(StatementCache statements)
    {
        ArgumentNullException.ThrowIfNull(statements);
        var bytes = statements.ReadNumber(FileMappingSql.ReadSize);
        return bytes <= 0 ? default : PassingSetting.Begin(statements, FileMappingSql.SetSize(0), FileMappingSql.SetSize(bytes));
    }
}

internal static class FileMappingSql
{
    // No table; bytes of the main database.
    internal const string ReadSize = "PRAGMA main.mmap_size";

    /// <summary>Sets it. A pragma cannot be bound; this is a number.</summary>
    internal static string SetSize(long bytes) => string.Create(CultureInfo.InvariantCulture, $"PRAGMA main.mmap_size = {bytes}");
}
