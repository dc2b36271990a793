#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>
/// How long the runs are in which SQLite sorts the rows of an index when it sorts in files: as long as its page cache is large. Runs
/// that fit into the processor's caches are sorted in a fifth less processor time than runs of 64 MiB, and take less memory; but more
/// than sixteen, which is what SQLite merges at once (https://www.sqlite.org/src/file/src/vdbesort.c), would be written twice.
/// </summary>
/// <remarks>Same thread rules as the connection.</remarks>
internal readonly struct SortRuns : IDisposable
{
    private const long LeastKilobytes = 2048;
    private const long KilobyteBytes = 1024;

    // Fewer than sixteen, because a sorted row takes more room in memory than in the file.
    private const long RunsInFile = 12;
    private const long TempStoreInMemory = 2;

    private readonly StatementCache m_statements;
    private readonly long m_before;

    private SortRuns(StatementCache statements, long before)
    {
        m_statements = statements;
        m_before = before;
    }

    /// <summary>Until disposed, runs are as short as the size of the database allows, and never longer than they were. No effect on sorts in memory.</summary>
    internal static SortRuns Shorten(StatementCache statements)
    {
        if (Read(statements, DeferredIndexSql.ReadTempStore) == TempStoreInMemory)
            return default;

        var before = Read(statements, SortRunsSql.ReadCacheSize);
        var pageBytes = Read(statements, HousekeepingSql.ReadPageBytes);
        var present = before < 0 ? -before : before * pageBytes / KilobyteBytes;
        var wanted = Math.Max(LeastKilobytes, Read(statements, SortRunsSql.ReadPages) * pageBytes / KilobyteBytes / RunsInFile);
        if (wanted >= present)
            return default;

        statements.Execute(SortRunsSql.SetCacheSize(-wanted));
        return new SortRuns(statements, before);
    }

    /// <summary>Gives the page cache its size back.</summary>
    public void Dispose() => m_statements?.Execute(SortRunsSql.SetCacheSize(m_before));

    private static long Read(StatementCache statements, string sql)
    {
        using var query = statements.Take(sql);
        return query.ExecuteInt64(0);
    }
}
