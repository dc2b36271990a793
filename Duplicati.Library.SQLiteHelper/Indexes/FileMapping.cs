// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// The engine's mapping of the file into memory. With it, a transaction that writes looks each page that it reads up in the log, also one
/// that is in the page cache; without it, only what is not. A look-up asks for each 4,096 pages of the log, so that it takes long in a
/// transaction that changes millions of pages. Source: https://www.sqlite.org/mmap.html and https://www.sqlite.org/walformat.html, 2.2.
/// </summary>
/// <remarks>Same thread rules as the connection. Works within a transaction.</remarks>
internal readonly struct FileMapping : IDisposable
{
    private readonly StatementCache? m_statements;
    private readonly long m_bytes;

    private FileMapping(StatementCache statements, long bytes)
    {
        m_statements = statements;
        m_bytes = bytes;
    }

    /// <summary>Without it until disposed: for changes of much of a file. No effect where there is none.</summary>
    public static FileMapping Off(StatementCache statements)
    {
        ArgumentNullException.ThrowIfNull(statements);
        var bytes = statements.ReadNumber(FileMappingSql.ReadSize);
        if (bytes <= 0)
            return default;

        var mapping = new FileMapping(statements, bytes);
        try
        {
            statements.Execute(FileMappingSql.SetSize(0));
            return mapping;
        }
        catch (SqliteException)
        {
            // The engine sets it when the statement is prepared, and may be interrupted when it is run.
            mapping.Dispose();
            throw;
        }
    }

    /// <summary>As it was before.</summary>
    public void Dispose() => m_statements?.Execute(FileMappingSql.SetSize(m_bytes));
}

internal static class FileMappingSql
{
    // No table; bytes of the main database.
    internal const string ReadSize = "PRAGMA main.mmap_size";

    /// <summary>Sets it. A pragma cannot be bound; this is a number.</summary>
    internal static string SetSize(long bytes) => string.Create(CultureInfo.InvariantCulture, $"PRAGMA main.mmap_size = {bytes}");
}
