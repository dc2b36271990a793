// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;
using SQLitePCL;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Sets the pragmas of a connection and reads each back. SQLite ignores a pragma it does not know and cuts a value it
/// cannot take, both without a word; what did not take is named in one warning, and the rest goes on. No warning is what nothing can be
/// done about and what costs no more than time: a database in memory, and a preset's limit above the one compiled into the engine.
/// </summary>
/// <remarks>One instance for one connection and one call.</remarks>
internal sealed class PragmaApplier
{
    private const string LogId = "CustomSQLiteOption";
    private const int PauseMilliseconds = 10;

    private static readonly string LogTag = Log.LogTagFromType(typeof(SQLiteLoader));

    private readonly SqliteConnection m_connection;
    private readonly List<string> m_failures = [];
    private SqliteException? m_cause;
    private string? m_busyTimeout;

    private PragmaApplier(SqliteConnection connection) => m_connection = connection;

    /// <summary>Sets the pragmas in the order given.</summary>
    /// <returns>What did not take, in words; empty when all is well.</returns>
    internal static IReadOnlyList<string> Apply(SqliteConnection connection, IEnumerable<Pragma> pragmas) =>
        Apply(connection, pragmas, out _);

    /// <summary>
    /// <see cref="Apply(SqliteConnection, IEnumerable{Pragma})"/>, and the first error of the engine among the reasons, if there is one.
    /// </summary>
    internal static IReadOnlyList<string> Apply(SqliteConnection connection, IEnumerable<Pragma> pragmas, out SqliteException? cause)
    {
        var applier = new PragmaApplier(connection);
        foreach (var pragma in pragmas)
        {
            if (applier.Set(pragma) is { } failure)
                applier.m_failures.Add($"{pragma} ({failure})");
        }

        applier.RestoreBusyTimeout();
        if (applier.m_failures.Count > 0)
            Log.WriteWarningMessage(
                LogTag,
                LogId,
                applier.m_cause,
                "These SQLite options did not take effect: {0}",
                string.Join("; ", applier.m_failures)
            );
        cause = applier.m_cause;
        return applier.m_failures;
    }

    // What is wrong with it, or null.
    private string? Set(Pragma pragma)
    {
        Log.WriteVerboseMessage(LogTag, LogId, "Setting the SQLite option {0}: {1}", pragma, pragma.Reason);
        if (!PragmaSql.IsName(pragma.Name) || !PragmaSql.IsValue(pragma.Value))
            return "not a pragma";

        var definition = PragmaCatalogue.Find(pragma.Name);
        return definition is null ? SetUnlisted(pragma) : SetListed(pragma, definition);
    }

    private string? SetListed(Pragma pragma, PragmaDefinition definition)
    {
        // SQLite takes a word it does not know for some default, for synchronous the unsafe one; so it is not let through.
        if (definition.Canonical(pragma.Value) is not { } wanted)
            return $"takes {definition.Accepts}";

        if (Failed(RunWaiting(PragmaSql.Set(pragma.Name, pragma.Value), out _)) is { } refused)
            return refused;
        if (Failed(RunWaiting(PragmaSql.Read(pragma.Name), out var actual)) is { } unreadable)
            return unreadable;
        if (actual == wanted)
            return null;
        if (pragma.Reason == CustomPragmas.Reason || !(IsLimit(pragma) || IsInMemory()))
            return $"it is {actual ?? "not known"}";

        Log.WriteVerboseMessage(LogTag, LogId, "The SQLite option {0} has no effect here, it is {1}", pragma, actual ?? "not known");
        return null;
    }

    private static bool IsLimit(Pragma pragma) => pragma.Name is PragmaCatalogue.Threads or PragmaCatalogue.MmapSize;

    private bool IsInMemory() =>
        m_connection.DataSource is "" or ":memory:"
        || new SqliteConnectionStringBuilder(m_connection.ConnectionString).Mode == SqliteOpenMode.Memory;

    // A pragma outside the catalogue may act when it is read (optimize, wal_checkpoint), so only its name is looked up.
    private string? SetUnlisted(Pragma pragma)
    {
        if (Failed(RawSql.Run(m_connection, PragmaSql.IsKnown, out var known, pragma.Name)) is { } failure)
            return failure;
        return known is null ? "not known to SQLite" : Failed(RunWaiting(PragmaSql.Set(pragma.Name, pragma.Value), out _));
    }

    private bool IsOver(long start) =>
        m_connection.DefaultTimeout != 0 && Stopwatch.GetElapsedTime(start).TotalSeconds >= m_connection.DefaultTimeout;

    // The engine's own wait may be shorter than what the provider's commands would wait.
    private int RunWaiting(string sql, out string? first)
    {
        var start = Stopwatch.GetTimestamp();
        while (true)
        {
            var code = RawSql.Run(m_connection, sql, out first);
            if ((code & 0xff) != raw.SQLITE_BUSY || m_busyTimeout is not null || IsOver(start))
                return code;
            // Another process does not say when it has ended.
            _ = CancellationToken.None.WaitHandle.WaitOne(PauseMilliseconds);
        }
    }

    private string? Failed(int code)
    {
        if (RawSql.ExceptionFor(m_connection, code) is not { } exception)
            return null;

        m_cause ??= exception;
        if (RawSql.IsLocked(code))
            GiveUpWaiting();
        return exception.Message;
    }

    // The lock that outlasted the busy timeout once would do so again for every pragma that follows.
    private void GiveUpWaiting()
    {
        if (m_busyTimeout is not null)
            return;
        RawSql.Run(m_connection, PragmaSql.ReadBusyTimeout, out m_busyTimeout);
        RawSql.Run(m_connection, PragmaSql.NoBusyTimeout, out _);
    }

    private void RestoreBusyTimeout()
    {
        if (m_busyTimeout is not null)
            RawSql.Run(m_connection, PragmaSql.Set(PragmaCatalogue.BusyTimeout, m_busyTimeout), out _);
    }
}
