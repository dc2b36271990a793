#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>
/// What was found in one remote volume, in a temporary table of its own, to be compared with what the database says of it.
/// Comparing is of the order n log n in both sides, may be repeated, and reads the answer before handing it out.
/// </summary>
internal abstract class ComparisonList : IDisposable, IAsyncDisposable
{
    private readonly TempTableTemplate m_table;
    private readonly string m_insertText;
    private readonly string m_digits;
    private Statement? m_insert;
    private bool m_disposed;

    private protected ComparisonList(DatabaseSession session, string volume, TempTableTemplate table, string insert)
    {
        Session = session;
        Volume = volume;
        m_table = table;
        m_digits = table.Make(session);
        m_insertText = TempTableTemplate.Text(insert, m_digits);
    }

    private protected DatabaseSession Session { get; }

    /// <summary>Name of the remote volume that the content belongs to.</summary>
    private protected string Volume { get; }

    /// <summary>Number of rows added so far; tells rows of the same key apart.</summary>
    private protected long Serial { get; private set; }

    /// <summary>Removes the table; errors are ignored, since a rollback or the end of the connection may have removed it. May be called more than once.</summary>
    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        try
        {
            Session.Do(
                session =>
                {
                    m_insert?.Dispose();
                    m_table.Remove(session, m_digits);
                },
                CancellationToken.None);
        }
        catch (Exception ex) when (ex is SqliteException or ObjectDisposedException or InvalidOperationException)
        {
            // Gone already, with everything in it.
        }

        GC.SuppressFinalize(this);
    }

    /// <summary>As <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Adds one row. Completes synchronously, without allocating when it succeeds.</summary>
    private protected Task Add<T>(T row, Action<Statement, T> bind, CancellationToken token)
    {
        try
        {
            token.ThrowIfCancellationRequested();
            lock (Session.Gate)
            {
                ObjectDisposedException.ThrowIf(m_disposed, this);
                m_insert ??= Session.Statements.Prepare(m_insertText);
                Serial++;
                bind(m_insert, row);
                m_insert.Execute();
            }

            return Task.CompletedTask;
        }
        catch (OperationCanceledException) when (token.IsCancellationRequested)
        {
            return Task.FromCanceled(token);
        }
        catch (Exception ex)
        {
            return Task.FromException(ex);
        }
    }

    /// <summary>Reads the keys a statement about this list yields, and appends them with a status.</summary>
    private protected void Collect(List<KeyValuePair<TestEntryStatus, string>> differences, TestEntryStatus status, string sql, bool aboutVolume = false)
    {
        using var rows = Session.Statements.Prepare(TempTableTemplate.Text(sql, m_digits));
        if (aboutVolume)
            rows.Bind(1, Volume);
        while (rows.Step())
            differences.Add(KeyValuePair.Create(status, rows.GetString(0)!));
    }
}
