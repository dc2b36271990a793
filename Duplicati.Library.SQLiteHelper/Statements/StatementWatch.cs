#nullable enable

using System;
using System.Data;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
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
public sealed unsafe class StatementWatch
{
    private const uint StartOfStatement = 1;

    // The engine keeps one callback a connection, so all users of a connection must find the same instance.
    private static readonly ConditionalWeakTable<SqliteConnection, StatementWatch> s_watches = [];

    // Weak: a connection that everybody has forgotten must not live on through its own callback.
    private GCHandle m_self;

    private StatementWatch(SqliteConnection connection)
    {
        var handle = connection.Handle ?? throw new InvalidOperationException("The connection must be open before its statements can be watched.");
        m_self = GCHandle.Alloc(this, GCHandleType.Weak);
        _ = NativeSqlite.Trace(handle.DangerousGetHandle(), StartOfStatement, &OnStart, GCHandle.ToIntPtr(m_self));
        connection.StateChange += OnStateChange;
    }

    /// <summary>Statements run by a thread that holds this lock are not told.</summary>
    public object? OwnersLock { get; set; }

    /// <summary>Statements prepared by this cache are not told.</summary>
    public StatementCache? OwnersStatements { get; set; }

    /// <summary>Called before a statement runs; must not throw.</summary>
    public Action<StatementKind>? Starting { get; set; }

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

    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static int OnStart(uint occasion, nint self, nint statement, nint text)
    {
        if (GCHandle.FromIntPtr(self).Target is StatementWatch { Starting: { } starting } watch && !watch.IsOwners(statement))
            starting(KindOf(statement, (byte*)text));
        return 0;
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

        var words = Encoding.UTF8.GetString(MemoryMarshal.CreateReadOnlySpanFromNullTerminated(text)).Split([' ', ';', '\t', '\r', '\n'], StringSplitOptions.RemoveEmptyEntries);
        return words.FirstOrDefault("").Equals("ROLLBACK", StringComparison.OrdinalIgnoreCase) && !words.Contains("TO", StringComparer.OrdinalIgnoreCase)
            ? StatementKind.RollsBack
            : StatementKind.Changes;
    }

    private void OnStateChange(object sender, StateChangeEventArgs e)
    {
        if (e.CurrentState != ConnectionState.Closed)
            return;

        var connection = (SqliteConnection)sender;
        connection.StateChange -= OnStateChange;
        s_watches.Remove(connection);
        Starting = null;
        // Mostly the engine has dropped the callback with the connection; now what it pointed to may go.
        if (!EngineControl.MayOutliveClosing(connection))
            m_self.Free();
    }
}
