// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// Another size of SQLite's page cache, until this is disposed; pages that are too many then go one by one as others are read.
/// </summary>
/// <remarks>
/// Same thread rules as the connection. Works within a transaction; a statement that sorts takes the size of the moment it begins at.
/// </remarks>
internal readonly struct PageCacheSize : IDisposable
{
    // No table; pages, or kibibytes if negative.
    private const string ReadCacheSize = "PRAGMA cache_size";

    /// <summary>Sets the size of the page cache: pages, or kibibytes if negative. A pragma cannot be bound; this is a number.</summary>
    private static string SetCacheSize(long size) => string.Create(CultureInfo.InvariantCulture, $"PRAGMA cache_size = {size}");

    private const long KilobyteBytes = 1024;
    private const long LeastGrowing = 64L << 20;

    private readonly StatementCache? m_statements;
    private readonly long m_before;
    private readonly long m_bytes;

    private PageCacheSize(StatementCache statements, long before, long bytes)
    {
        m_statements = statements;
        m_before = before;
        m_bytes = bytes;
    }

    /// <summary>
    /// For changes of rows all over a table. No effect where the cache is as large already, or below 64 MiB, as somebody wants it so: with
    /// the presets <c>small</c> and <c>stock</c>, too.
    /// </summary>
    /// <param name="statements">The connection's statements.</param>
    /// <param name="bytes">The size from <see cref="Begin"/> on, in bytes.</param>
    public static PageCacheSize AtLeast(StatementCache statements, long bytes)
    {
        ArgumentNullException.ThrowIfNull(statements);
        var before = statements.ReadNumber(ReadCacheSize);
        var present = BytesOf(statements, before);
        return present >= LeastGrowing && present < bytes ? new PageCacheSize(statements, before, bytes) : default;
    }

    /// <summary>From now on, until disposed. No effect where it is as small already.</summary>
    internal static PassingSetting AtMost(StatementCache statements, long bytes)
    {
        var before = statements.ReadNumber(ReadCacheSize);
        return BytesOf(statements, before) <= bytes
            ? default
            : PassingSetting.Begin(statements, SetCacheSize(-bytes / KilobyteBytes), SetCacheSize(before));
    }

    /// <summary>
    /// Sets it. The engine does so when the statement is prepared, and may be interrupted when it is run: then it is set all the same.
    /// </summary>
    public void Begin() => m_statements?.Execute(SetCacheSize(-m_bytes / KilobyteBytes));

    /// <summary>Gives it back the size that it had. After an interrupt, all statements have to be reset before.</summary>
    public void Dispose() => m_statements?.Execute(SetCacheSize(m_before));

    private static long BytesOf(StatementCache statements, long size) =>
        size < 0 ? -size * KilobyteBytes : size * statements.ReadNumber(PragmaSql.ReadPageBytes);
}
