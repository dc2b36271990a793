// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// What a connection that keeps sorts, and the copy that a VACUUM makes, in memory puts into files until this is disposed: a file of
/// the size of the database would be memory of that size.
/// </summary>
/// <remarks>Same thread rules as the connection.</remarks>
internal readonly struct TemporaryStorage : IDisposable
{
    private const string ReadTempStore = "PRAGMA temp_store";

    // The schema table of what is temporary is small and in memory.
    private const string AnyTemporaryTable = """SELECT 1 FROM "sqlite_temp_master" LIMIT 1""";

    private const string PageCount = "PRAGMA page_count";

    private const string SortOnDisk = "PRAGMA temp_store = FILE";

    private const string SortInMemory = "PRAGMA temp_store = MEMORY";

    private const int InMemory = 2;
    private const long BytesInMemory = 64L << 20;
    private const long VacuumCacheBytes = 4L << 20;

    private readonly PassingSetting m_storage;
    private readonly PassingSetting m_cache;

    private TemporaryStorage(PassingSetting storage, PassingSetting cache)
    {
        m_storage = storage;
        m_cache = cache;
    }

    /// <summary>
    /// For a VACUUM: in files if the database is larger than 64 MiB, and with page caches of 4 MiB, as each page is read and written once
    /// (the copy has a cache of the same size). No effect with temporary tables, which would be dropped.
    /// </summary>
    public static TemporaryStorage ForVacuum(StatementCache statements)
    {
        ArgumentNullException.ThrowIfNull(statements);
        var isLarge = statements.ReadNumber(PageCount) * statements.ReadNumber(PragmaSql.ReadPageBytes) > BytesInMemory;
        if (!isLarge || statements.ReadNumber(AnyTemporaryTable) != 0)
            return default;

        var storage = InFiles(statements);
        try
        {
            return new TemporaryStorage(storage, PageCacheSize.AtMost(statements, VacuumCacheBytes));
        }
        catch (SqliteException)
        {
            storage.Dispose();
            throw;
        }
    }

    /// <summary>
    /// True if it is in files, or can be for a while, so that the rows of an index that is sorted may be any number: else each takes
    /// about 100 bytes of memory.
    /// </summary>
    public static bool CanBeInFiles(StatementCache statements)
    {
        ArgumentNullException.ThrowIfNull(statements);
        return !IsInMemory(statements) || statements.ReadNumber(DroppedIndexes.HasTemporaryTables) == 0;
    }

    /// <summary>
    /// In files, for a sort in a transaction. No effect if it is there already, or with temporary tables, which do not allow it there.
    /// </summary>
    internal static PassingSetting InFiles(StatementCache statements)
    {
        if (!IsInMemory(statements))
            return default;

        try
        {
            return PassingSetting.Begin(statements, SortOnDisk, SortInMemory);
        }
        catch (SqliteException ex) when (ex.SqliteErrorCode == ResultCode.Error)
        {
            return default;
        }
    }

    /// <summary>As it was before.</summary>
    public void Dispose()
    {
        m_cache.Dispose();
        m_storage.Dispose();
    }

    /// <summary>Whether it is in memory now.</summary>
    internal static bool IsInMemory(StatementCache statements) => statements.ReadNumber(ReadTempStore) == InMemory;
}
