// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Concurrent;
using System.Data;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// Tells that a statement of one connection is about to run, whoever made it and however it is run, so that what it reads can be
/// made complete first. Source: https://www.sqlite.org/c3ref/trace_v2.html.
/// </summary>
/// <remarks>
/// The engine calls before the first instruction of a statement, on the statement's thread: other statements may run on the
/// connection meanwhile, and the one that waits sees what they did. Not told: reading a value through a blob handle, and
/// copying the file by the engine's backup. Uses the connection's only trace callback. Costs about 20 ns a statement.
/// </remarks>
internal sealed unsafe partial class StatementWatch
{
    private const uint StartOfStatement = 1;

    // The engine keeps one callback a connection, so all users of a connection must find the same instance.
    private static readonly ConditionalWeakTable<SqliteConnection, StatementWatch> s_watches = [];

    // What the engine holds is a number and no pointer: it may call long after the connection is closed, for a statement that was left
    // open or a connection that the provider keeps. Weak: a connection that everybody has forgotten must not live on through its callback.
    private static readonly ConcurrentDictionary<nint, WeakReference<StatementWatch>> s_told = [];
    private static long s_lastNumber;

    private readonly nint m_number = (nint)Interlocked.Increment(ref s_lastNumber);

    private StatementWatch(SqliteConnection connection)
    {
        var handle =
            connection.Handle ?? throw new InvalidOperationException("The connection must be open before its statements can be watched.");
        s_told[m_number] = new WeakReference<StatementWatch>(this);
        _ = NativeSqlite.Trace(handle.DangerousGetHandle(), StartOfStatement, &OnStart, m_number);
        connection.StateChange += OnStateChange;
    }

    /// <summary>Of a connection that nobody has closed.</summary>
    ~StatementWatch() => s_told.TryRemove(m_number, out _);

    /// <summary>Statements run by a thread that holds this lock are not told.</summary>
    public object? OwnersLock { get; set; }

    /// <summary>Statements prepared by this cache are not told.</summary>
    public StatementCache? OwnersStatements { get; set; }

    /// <summary>Called before a statement runs. If it throws, the statement fails as interrupted.</summary>
    public Action<StatementKind>? Starting { get; set; }

    /// <summary>Told what <see cref="Starting"/> has thrown, on the statement's thread; must not throw itself.</summary>
    public Action<Exception>? Failed { get; set; }

    /// <summary>The watch of an open connection.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public static StatementWatch Of(SqliteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        lock (s_watches)
        {
            if (!s_watches.TryGetValue(connection, out var watch))
                s_watches.Add(connection, watch = new StatementWatch(connection));
            return watch;
        }
    }

    // An exception that left this would end the process.
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnStart(uint occasion, nint number, nint statement, nint text)
    {
        try
        {
            Tell(number, statement, (byte*)text);
        }
        catch (Exception)
        {
            // Even the way to report it has failed; the statement must not run on what is not prepared for it.
            NativeSqlite.Interrupt(NativeSqlite.DatabaseOf(statement));
        }

        return 0;
    }

    private static void Tell(nint number, nint statement, byte* text)
    {
        if (!s_told.TryGetValue(number, out var reference) || !reference.TryGetTarget(out var watch) || watch.Starting is not { } starting)
            return;

        try
        {
            if (!watch.IsOwners(statement))
                starting(KindOf(statement, text));
        }
        catch (Exception ex)
        {
            NativeSqlite.Interrupt(NativeSqlite.DatabaseOf(statement));
            watch.Failed?.Invoke(ex);
        }
    }

    private bool IsOwners(nint statement) =>
        (OwnersLock is not null && Monitor.IsEntered(OwnersLock)) || OwnersStatements?.Owns(statement) == true;

    // COMMIT, ROLLBACK TO and their like count as reading for the engine, but have no columns.
    private static StatementKind KindOf(nint statement, byte* text)
    {
        if (NativeSqlite.IsReadOnly(statement) == 0)
            return StatementKind.Changes;
        if (NativeSqlite.ColumnCount(statement) > 0)
            return StatementKind.Asks;

        var words = Comments()
            .Replace(Encoding.UTF8.GetString(MemoryMarshal.CreateReadOnlySpanFromNullTerminated(text)), " ")
            .Split([' ', ';', '\t', '\f', '\r', '\n'], StringSplitOptions.RemoveEmptyEntries);
        return words.FirstOrDefault("").ToUpperInvariant() switch
        {
            "COMMIT" or "END" => StatementKind.Commits,
            "ROLLBACK" when !words.Contains("TO", StringComparer.OrdinalIgnoreCase) => StatementKind.RollsBack,
            _ => StatementKind.Changes,
        };
    }

    // Also inside quotes, which do not tell the kind of a statement.
    [GeneratedRegex(@"--[^\n]*|/\*.*?(\*/|$)", RegexOptions.Singleline)]
    private static partial Regex Comments();

    private void OnStateChange(object sender, StateChangeEventArgs e)
    {
        if (e.CurrentState != ConnectionState.Closed)
            return;

        var connection = (SqliteConnection)sender;
        connection.StateChange -= OnStateChange;
        s_watches.Remove(connection);
        Starting = null;
        s_told.TryRemove(m_number, out _);
        GC.SuppressFinalize(this);
    }
}

/// <summary>What a statement that is about to run can do; see <see cref="StatementWatch"/>.</summary>
internal enum StatementKind
{
    /// <summary>It changes nothing.</summary>
    Asks,

    /// <summary>It may change rows or tables, or set, release or go back to a savepoint.</summary>
    Changes,

    /// <summary>It commits the transaction.</summary>
    Commits,

    /// <summary>It rolls the whole transaction back.</summary>
    RollsBack,
}
