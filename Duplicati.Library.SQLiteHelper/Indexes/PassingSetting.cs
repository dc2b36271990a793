// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>A setting of a connection that is another one until this is disposed; the default value has set nothing.</summary>
/// <remarks>Same thread rules as the connection. After an interrupt, all statements have to be reset before it is disposed.</remarks>
internal readonly struct PassingSetting : IDisposable
{
    private readonly StatementCache? m_statements;
    private readonly string? m_back;

    private PassingSetting(StatementCache statements, string back)
    {
        m_statements = statements;
        m_back = back;
    }

    /// <summary>From now on.</summary>
    /// <param name="statements">The connection's statements.</param>
    /// <param name="sql">Sets it.</param>
    /// <param name="back">Sets it as it was before.</param>
    internal static PassingSetting Begin(StatementCache statements, string sql, string back)
    {
        var setting = new PassingSetting(statements, back);
        try
        {
            statements.Execute(sql);
            return setting;
        }
        catch (SqliteException)
        {
            // The engine sets it when the statement is prepared, and may be interrupted when it is run.
            setting.Dispose();
            throw;
        }
    }

    /// <summary>As it was before.</summary>
    public void Dispose() => m_statements?.Execute(m_back!);
}

/// <summary>
/// How long the runs are in which SQLite sorts the rows of an index when it sorts in files: as long as its page cache is large. Runs
/// that fit into the processor's caches are sorted in half the processor time of runs of 64 MiB, and take less memory. More than sixteen,
/// which is what SQLite merges at once, are merged in several levels (https://www.sqlite.org/src/file/src/vdbesort.c), of which all but
/// the last go through pieces of half a run that are written and read again at once: that costs less than long runs do at any size.
/// </summary>
/// <remarks>Same thread rules as the connection.</remarks>
internal static class SortRuns
{
    private const long RunBytes = 2L << 20;

    /// <summary>Until disposed, runs are of 2 MiB, and never longer than they were. No effect on sorts in memory.</summary>
    public static PassingSetting Shorten(StatementCache statements) =>
        TemporaryStorage.IsInMemory(statements) ? default : PageCacheSize.AtMost(statements, RunBytes);
}

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
