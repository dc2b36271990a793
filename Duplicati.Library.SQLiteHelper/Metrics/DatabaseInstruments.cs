// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.IO;
using System.Reflection;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Metrics;

/// <summary>
/// What the data layer tells whoever listens: one source of activities and one meter, both of the name <see cref="SourceName"/>. Names
/// and units are those of OpenTelemetry's conventions for database clients, and <c>duplicati.db.*</c> where these have none.
/// </summary>
/// <remarks>
/// Without a listener an instrument costs one or two nanoseconds a call and allocates nothing. What happens for every row or block is
/// counted in plain fields, and handed on at the end of a transaction. Thread-safe.
/// </remarks>
internal static class DatabaseInstruments
{
    /// <summary>The name to listen for.</summary>
    public const string SourceName = "Duplicati.Database";

    /// <summary>Attribute: the name of the operation.</summary>
    public const string OperationName = "db.operation.name";

    /// <summary>Attribute: the type of the exception that an operation ended with.</summary>
    public const string ErrorType = "error.type";

    private const string CacheName = "duplicati.db.cache.name";
    private const string CacheResult = "duplicati.db.cache.result";
    private const string InMemory = ":memory:";

    private static readonly KeyValuePair<string, object?> s_hit = new(CacheResult, "hit");
    private static readonly KeyValuePair<string, object?> s_miss = new(CacheResult, "miss");

    /// <summary>Attribute: which database system it is.</summary>
    internal static readonly KeyValuePair<string, object?> System = new("db.system.name", "sqlite");

    private static readonly string? s_version = VersionOf(typeof(DatabaseInstruments).Assembly);

    /// <summary>Activities: operations that may run for long, commits, waits for locks, the building of indexes.</summary>
    public static ActivitySource Activities { get; } = new(SourceName, s_version);

    /// <summary>The meter of all instruments.</summary>
    public static Meter Meter { get; } = new(SourceName, s_version);

    /// <summary>How long operations took, in seconds.</summary>
    internal static readonly Histogram<double> OperationDuration = Meter.CreateHistogram(
        "db.client.operation.duration",
        "s",
        "Duration of database client operations.",
        advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] }
    );

    /// <summary>How many rows an operation's statements returned.</summary>
    internal static readonly Histogram<long> ReturnedRows = Meter.CreateHistogram(
        "db.client.response.returned_rows",
        "{row}",
        "Rows returned by the statements of an operation.",
        advice: new InstrumentAdvice<long> { HistogramBucketBoundaries = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000] }
    );

    /// <summary>Operations that a cancelled token ended.</summary>
    internal static readonly Counter<long> Cancellations = Meter.CreateCounter<long>(
        "duplicati.db.cancellations",
        "{operation}",
        "Operations that were cancelled while they ran."
    );

    /// <summary>How long another connection's lock was waited for, in seconds.</summary>
    internal static readonly Histogram<double> LockWait = Meter.CreateHistogram(
        "duplicati.db.lock_wait.duration",
        "s",
        "Time that a statement waited for a lock of another connection.",
        advice: new InstrumentAdvice<double> { HistogramBucketBoundaries = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10] }
    );

    /// <summary>Transactions committed.</summary>
    internal static readonly Counter<long> Commits = Meter.CreateCounter<long>(
        "duplicati.db.commits",
        "{transaction}",
        "Transactions that were committed."
    );

    /// <summary>Transactions rolled back.</summary>
    internal static readonly Counter<long> Rollbacks = Meter.CreateCounter<long>(
        "duplicati.db.rollbacks",
        "{transaction}",
        "Transactions that were rolled back, by a caller or by the engine after an error."
    );

    /// <summary>Rows that statements returned.</summary>
    internal static readonly Counter<long> RowsRead = Meter.CreateCounter<long>(
        "duplicati.db.rows.read",
        "{row}",
        "Rows returned by statements."
    );

    /// <summary>Rows that statements changed.</summary>
    internal static readonly Counter<long> RowsChanged = Meter.CreateCounter<long>(
        "duplicati.db.rows.changed",
        "{row}",
        "Rows inserted, updated or deleted, those of temporary tables included."
    );

    /// <summary>Bytes written to the write-ahead log.</summary>
    internal static readonly Counter<long> LogBytes = Meter.CreateCounter<long>(
        "duplicati.db.wal.written",
        "By",
        "Bytes written to the write-ahead log."
    );

    private static readonly Counter<long> s_cacheRequests = Meter.CreateCounter<long>(
        "duplicati.db.cache.requests",
        "{request}",
        "What was asked of a cache, and whether it was there."
    );

    /// <summary>True if somebody wants to know how long locks are waited for.</summary>
    internal static bool IsLockWaitWanted => LockWait.Enabled || Activities.HasListeners();

    /// <summary>
    /// Attribute: which database it is, by the name of its file. Without the folder, which may be what a user keeps for himself.
    /// </summary>
    public static KeyValuePair<string, object?> NamespaceOf(SqliteConnection connection) =>
        new("db.namespace", Path.GetFileName(connection.DataSource) is { Length: > 0 } name ? name : InMemory);

    /// <summary>The version that a source of activities and a meter are of.</summary>
    public static string? VersionOf(Assembly assembly) =>
        assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()?.InformationalVersion;

    /// <summary>Hands on what was asked of a cache since the last time.</summary>
    /// <param name="database">Whose it is.</param>
    /// <param name="cache">Its name.</param>
    /// <param name="hits">How often the answer was there.</param>
    /// <param name="misses">How often it was not.</param>
    public static void CountCache(KeyValuePair<string, object?> database, string cache, long hits, long misses)
    {
        if (hits > 0)
            s_cacheRequests.Add(hits, database, new KeyValuePair<string, object?>(CacheName, cache), s_hit);
        if (misses > 0)
            s_cacheRequests.Add(misses, database, new KeyValuePair<string, object?>(CacheName, cache), s_miss);
    }
}

/// <summary>
/// What the statements of one connection have done so far. Plain fields, because they are counted for every row; written by one call chain
/// at a time.
/// </summary>
internal sealed class StatementFigures(SqliteConnection connection)
{
    /// <summary>Attribute: which database the connection is to.</summary>
    public KeyValuePair<string, object?> Database { get; } = DatabaseInstruments.NamespaceOf(connection);

    /// <summary>Rows that statements have returned.</summary>
    public long RowsRead { get; internal set; }

    /// <summary>Statements taken out of the cache that were prepared already.</summary>
    public long Reused { get; internal set; }

    /// <summary>Statements that had to be prepared.</summary>
    public long Prepared { get; internal set; }
}
