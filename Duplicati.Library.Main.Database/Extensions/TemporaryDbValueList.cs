// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database;

/// <summary>
/// A list of values for <c>IN ( )</c> of any length: short ones are bound as parameters, long ones go through a temporary table.
/// </summary>
/// <remarks>
/// The table belongs to the connection and to the transaction it was made in: it survives a commit and vanishes with a rollback.
/// </remarks>
internal class TemporaryDbValueList : IDisposable, IAsyncDisposable
{
    // {0} is the name of the table.

    // No index: read once, as the inner side of an IN, which SQLite sorts by itself.
    private const string CREATE_NUMBERS = """
        CREATE TEMPORARY TABLE "{0}" ("Value" INTEGER)
        """;

    // As above, for text.
    private const string CREATE_TEXTS = """
        CREATE TEMPORARY TABLE "{0}" ("Value" TEXT)
        """;

    // Appends to the table's own tree.
    private const string INSERT = """
        INSERT INTO "{0}" ("Value") VALUES (?1)
        """;

    // A full scan of the list, which is the point.
    private const string SELECT = """
        SELECT "Value" FROM "{0}"
        """;

    // The table is gone already when its transaction was rolled back.
    private const string DROP = """
        DROP TABLE IF EXISTS "{0}"
        """;

    private const string PREFIX = "TemporaryList-";

    private static readonly string s_logTag = Log.LogTagFromType<TemporaryDbValueList>();

    private readonly DatabaseSession m_session;
    private readonly long[]? m_numbers;
    private readonly string[]? m_texts;
    private readonly string m_table = PREFIX + Library.Utility.Utility.GetHexGuid();
    private bool m_created;
    private bool m_disposed;

    private TemporaryDbValueList(DatabaseSession session, long[]? numbers, string[]? texts)
    {
        m_session = session;
        m_numbers = numbers;
        m_texts = texts;
    }

    /// <summary>Makes a list of numbers.</summary>
    /// <param name="db">The database it is for.</param>
    /// <param name="values">The numbers; read once.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The list; its table exists if it has more than <see cref="LocalDatabase.CHUNK_SIZE"/> values.</returns>
    internal static Task<TemporaryDbValueList> CreateAsync(LocalDatabase db, IEnumerable<long> values, CancellationToken token) =>
        CreateAsync(db.Session, Copy(values), null, token);

    /// <summary>Makes a list of texts.</summary>
    /// <param name="db">The database it is for.</param>
    /// <param name="values">The texts; read once.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The list; its table exists if it has more than <see cref="LocalDatabase.CHUNK_SIZE"/> values.</returns>
    internal static Task<TemporaryDbValueList> CreateAsync(LocalDatabase db, IEnumerable<string> values, CancellationToken token) =>
        CreateAsync(db.Session, null, Copy(values), token);

    /// <summary>Makes a list of numbers.</summary>
    /// <param name="con">The connection it is for.</param>
    /// <param name="rtr">The transaction of that connection.</param>
    /// <param name="values">The numbers; read once.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The list; its table exists if it has more than <see cref="LocalDatabase.CHUNK_SIZE"/> values.</returns>
    internal static Task<TemporaryDbValueList> CreateAsync(
        SqliteConnection con,
        ReusableTransaction rtr,
        IEnumerable<long> values,
        CancellationToken token
    ) => CreateAsync(SessionOf(con, rtr), Copy(values), null, token);

    /// <summary>Makes a list of texts.</summary>
    /// <param name="con">The connection it is for.</param>
    /// <param name="rtr">The transaction of that connection.</param>
    /// <param name="values">The texts; read once.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>The list; its table exists if it has more than <see cref="LocalDatabase.CHUNK_SIZE"/> values.</returns>
    internal static Task<TemporaryDbValueList> CreateAsync(
        SqliteConnection con,
        ReusableTransaction rtr,
        IEnumerable<string> values,
        CancellationToken token
    ) => CreateAsync(SessionOf(con, rtr), null, Copy(values), token);

    /// <summary>The values.</summary>
    public IEnumerable<object> Values
    {
        get
        {
            ObjectDisposedException.ThrowIf(m_disposed, this);
            return m_texts ?? m_numbers!.Cast<object>();
        }
    }

    /// <summary>Whether the values are in the table <see cref="TableName"/>.</summary>
    public bool IsTableCreated
    {
        get
        {
            ObjectDisposedException.ThrowIf(m_disposed, this);
            return m_created;
        }
    }

    /// <summary>The name of the table, without quotes; there is none before <see cref="IsTableCreated"/>.</summary>
    public string TableName
    {
        get
        {
            ObjectDisposedException.ThrowIf(m_disposed, this);
            return m_table;
        }
    }

    /// <summary>Makes sure that there is a table.</summary>
    /// <param name="token">Cancels.</param>
    /// <returns>A SELECT of the values, to be put inside <c>IN ( )</c>.</returns>
    public async Task<string> GetInClauseAsync(CancellationToken token)
    {
        await ForceToTableAsync(token).ConfigureAwait(false);
        return Sql(SELECT);
    }

    /// <summary>Writes the values to a table, also if they are few; a second call does nothing.</summary>
    /// <param name="token">Cancels.</param>
    public Task ForceToTableAsync(CancellationToken token)
    {
        ObjectDisposedException.ThrowIf(m_disposed, this);
        return m_created ? Task.CompletedTask : m_session.ShortAsync(CreateTable, token);
    }

    /// <summary>Drops the table, if there is one. A failure is only logged.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;
        m_disposed = true;
        if (!m_created)
            return;
        try
        {
            lock (m_session.ConnectionLock)
                m_session.Statements.Execute(Sql(DROP));
        }
        catch (Exception ex)
        {
            Log.WriteErrorMessage(s_logTag, "DropTableFailed", ex, "Failed to drop the temporary table {0}: {1}", m_table, ex.Message);
        }
    }

    /// <inheritdoc cref="Dispose"/>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private static async Task<TemporaryDbValueList> CreateAsync(
        DatabaseSession session,
        long[]? numbers,
        string[]? texts,
        CancellationToken token
    )
    {
        var list = new TemporaryDbValueList(session, numbers, texts);
        if ((numbers?.Length ?? texts!.Length) > LocalDatabase.CHUNK_SIZE)
            await list.ForceToTableAsync(token).ConfigureAwait(false);
        return list;
    }

    private static T[] Copy<T>(IEnumerable<T> values)
    {
        ArgumentNullException.ThrowIfNull(values);
        return [.. values];
    }

    private static DatabaseSession SessionOf(SqliteConnection con, ReusableTransaction rtr) =>
        ReferenceEquals(con, rtr.Session.Connection)
            ? rtr.Session
            : throw new ArgumentException("The transaction belongs to another connection", nameof(rtr));

    private void CreateTable(DatabaseSession session)
    {
        session.Statements.Execute(Sql(m_texts == null ? CREATE_NUMBERS : CREATE_TEXTS));
        try
        {
            using var insert = session.Statements.Prepare(Sql(INSERT));
            foreach (var number in m_numbers ?? [])
                insert.Bind(1, number).ExecuteNonQuery();
            foreach (var text in m_texts ?? [])
                insert.Bind(1, text).ExecuteNonQuery();
            m_created = true;
        }
        catch
        {
            session.Statements.Execute(Sql(DROP));
            throw;
        }
    }

    private string Sql(string statement) => string.Format(CultureInfo.InvariantCulture, statement, m_table);
}
