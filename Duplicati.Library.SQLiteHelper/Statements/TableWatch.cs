// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper.Statements;

/// <summary>
/// Counts the rows inserted, updated and deleted in named tables of one connection, whoever runs the statements, so that
/// something remembered about a table can be known to be out of date. Source: https://www.sqlite.org/c3ref/update_hook.html.
/// </summary>
/// <remarks>
/// Not counted, by SQLite's rules: a DELETE of a whole table without WHERE (see <see cref="Emptied"/>), rows replaced by ON CONFLICT
/// REPLACE, tables without row ids, what a rollback undoes, and changes by other connections. Uses the connection's only update hook.
/// Costs about 10 ns a changed row. Not thread-safe, like the connection.
/// </remarks>
internal sealed unsafe class TableWatch
{
    // The engine keeps one hook a connection, so all users of a connection must find the same instance.
    private static readonly ConditionalWeakTable<SqliteConnection, TableWatch> s_watches = [];

    private readonly Dictionary<string, TableChanges> m_tables = new(StringComparer.OrdinalIgnoreCase);
    private nint m_database;
    private Node* m_list;

    private TableWatch(SqliteConnection connection)
    {
        var handle =
            connection.Handle ?? throw new InvalidOperationException("The connection must be open before its tables can be watched.");
        m_database = handle.DangerousGetHandle();
        connection.StateChange += OnStateChange;
    }

    /// <summary>The watch of an open connection.</summary>
    /// <exception cref="InvalidOperationException">The connection is not open.</exception>
    public static TableWatch Of(SqliteConnection connection)
    {
        ArgumentNullException.ThrowIfNull(connection);
        lock (s_watches)
        {
            if (!s_watches.TryGetValue(connection, out var watch))
                s_watches.Add(connection, watch = new TableWatch(connection));
            return watch;
        }
    }

    /// <summary>The counter of a table; counting begins with the first call for its name.</summary>
    public TableChanges Table(string name)
    {
        ArgumentException.ThrowIfNullOrEmpty(name);
        if (m_tables.TryGetValue(name, out var changes))
            return changes;

        var node = Node.Create(name, m_list);
        m_list = node;
        NativeSqlite.UpdateHook(m_database, &OnRowChanged, (nint)node);
        m_tables.Add(name, changes = new TableChanges(&node->Count));
        return changes;
    }

    /// <summary>
    /// To be called by who empties a table by a DELETE without WHERE, of which the engine does not tell. No effect on a table that nobody
    /// counts.
    /// </summary>
    public void Emptied(string name, long rows)
    {
        for (var node = m_tables.ContainsKey(name) ? m_list : null; node is not null; node = node->Next)
        {
            if (Encoding.UTF8.GetString(node->Name, node->NameLength).Equals(name, StringComparison.OrdinalIgnoreCase))
                node->Count += rows;
        }
    }

    // Nothing in it can throw, which would end the process: it reads and counts in native memory that is only ever added to.
    [UnmanagedCallersOnly(CallConvs = [typeof(CallConvCdecl)])]
    private static void OnRowChanged(nint list, int operation, byte* database, byte* table, long rowId)
    {
        var name = MemoryMarshal.CreateReadOnlySpanFromNullTerminated(table);
        for (var node = (Node*)list; node is not null; node = node->Next)
        {
            if (name.SequenceEqual(new ReadOnlySpan<byte>(node->Name, node->NameLength)))
                node->Count++;
        }
    }

    private void OnStateChange(object sender, StateChangeEventArgs e)
    {
        if (e.CurrentState != ConnectionState.Closed)
            return;

        var connection = (SqliteConnection)sender;
        connection.StateChange -= OnStateChange;
        s_watches.Remove(connection);
        m_database = 0;
        foreach (var changes in m_tables.Values)
            changes.Close();
        m_tables.Clear();
        // Mostly the engine has dropped the hook with the connection; now the memory it pointed to may go.
        if (!EngineControl.MayOutliveClosing(connection))
            Node.Free(m_list);
        m_list = null;
    }

    private struct Node
    {
        internal Node* Next;
        internal long Count;
        internal byte* Name;
        internal int NameLength;

        internal static Node* Create(string name, Node* next)
        {
            var length = Encoding.UTF8.GetByteCount(name);
            var node = (Node*)NativeMemory.AllocZeroed((nuint)(sizeof(Node) + length));
            node->Next = next;
            node->Name = (byte*)(node + 1);
            node->NameLength = Encoding.UTF8.GetBytes(name, new Span<byte>(node->Name, length));
            return node;
        }

        internal static void Free(Node* list)
        {
            while (list is not null)
            {
                var next = list->Next;
                NativeMemory.Free(list);
                list = next;
            }
        }
    }
}

/// <summary>How many rows of one table have changed on a connection; see <see cref="TableWatch"/>.</summary>
internal sealed unsafe class TableChanges
{
    private long* m_count;
    private long m_last;

    internal TableChanges(long* count) => m_count = count;

    /// <summary>Rows changed since counting began. Keeps its last value when the connection is closed.</summary>
    public long Count => m_count is null ? m_last : *m_count;

    internal void Close()
    {
        m_last = Count;
        m_count = null;
    }
}
