#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Indexes;

/// <summary>
/// How long the runs are in which SQLite sorts the rows of an index when it sorts in files: as long as its page cache is large. Runs
/// that fit into the processor's caches are sorted in half the processor time of runs of 64 MiB, and take less memory. More than sixteen,
/// which is what SQLite merges at once, are merged in several levels (https://www.sqlite.org/src/file/src/vdbesort.c), of which all but
/// the last go through pieces of half a run that are written and read again at once: that costs less than long runs do at any size.
/// </summary>
/// <remarks>Same thread rules as the connection.</remarks>
public readonly struct SortRuns : IDisposable
{
    private const long Kilobytes = 2048;
    private const long KilobyteBytes = 1024;

    private readonly StatementCache m_statements;
    private readonly long m_before;

    private SortRuns(StatementCache statements, long before)
    {
        m_statements = statements;
        m_before = before;
    }

    /// <summary>Until disposed, runs are of 2 MiB, and never longer than they were. No effect on sorts in memory.</summary>
    public static SortRuns Shorten(StatementCache statements)
    {
        if (TemporaryStorage.IsInMemory(statements))
            return default;

        var before = Read(statements, SortRunsSql.ReadCacheSize);
        var present = before < 0 ? -before : before * Read(statements, SortRunsSql.ReadPageBytes) / KilobyteBytes;
        if (Kilobytes >= present)
            return default;

        statements.Execute(SortRunsSql.SetCacheSize(-Kilobytes));
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
