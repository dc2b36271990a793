// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.IO;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Duplicati.Library.SQLiteHelper.Migrations;
using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.SQLiteHelper.WriterQueue;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.SQLiteHelper;

/// <summary>
/// A database file for many callers: reads run beside each other and beside the only writer, which commits what waits in groups.
/// Composed of a <see cref="CommitQueue"/> and a <see cref="ReadConnectionPool"/>.
/// </summary>
/// <remarks>
/// Thread-safe. Reads and writes are synchronous functions that get the prepared statements of a connection for the time of their call
/// alone. Presets with a write-ahead log (all but <c>stock</c>) let readers and the writer not wait for each other; on a network file
/// system they do wait, for the busy timeout or that of commands at most.
/// </remarks>
public sealed class ConcurrentDatabase : IAsyncDisposable
{
    // None reads a table.
    private const string Begin = "BEGIN";
    private const string Rollback = "ROLLBACK";

    /// <summary>Reads the header, with which the snapshot of a transaction begins.</summary>
    private const string TakeSnapshot = "PRAGMA schema_version";

    private readonly string m_path;
    private readonly ConnectionOptions m_options;
    private readonly CommitQueue m_writer;
    private readonly ReadConnectionPool m_readers;

    // The database itself is one, until it is disposed of.
    private readonly Lock m_lock = new();
    private readonly TaskCompletionSource m_unused = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private int m_users = 1;
    private bool m_isClosed;

    private ConcurrentDatabase(string path, ConnectionOptions options)
    {
        m_path = path;
        m_options = options;
        m_writer = CommitQueue.Open(path, new CommitQueueOptions { Connection = options });
        m_readers = new ReadConnectionPool(SafetyCopy.ConnectionString(path, SqliteOpenMode.ReadWrite));
    }

    /// <summary>Whether what was acknowledged survives a power loss; see <see cref="CommitQueue.IsDurable"/>.</summary>
    public bool IsDurable => m_writer.IsDurable;

    /// <summary>Opens a database, or makes an empty one in a folder that exists.</summary>
    /// <param name="path">The database file.</param>
    /// <param name="preset">The settings of all its connections, such as <see cref="ConnectionPreset.Durable"/>.</param>
    /// <param name="cancellationToken">Cancels before the file is opened.</param>
    /// <exception cref="SqliteException">The file cannot be opened, or is no database.</exception>
    public static Task<ConcurrentDatabase> OpenAsync(string path, ConnectionPreset preset, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(path);
        ArgumentNullException.ThrowIfNull(preset);
        return Task.Run(() => new ConcurrentDatabase(Path.GetFullPath(path), preset.ToOptions()), cancellationToken);
    }

    /// <summary>
    /// Reads in one snapshot, which begins with the first statement: what was acknowledged before is there, what is committed meanwhile
    /// is not.
    /// </summary>
    /// <param name="read">What to read. It must read to the end, neither write nor end the transaction, nor dispose of the
    /// database.</param>
    /// <param name="cancellationToken">Also stops the statement that runs.</param>
    /// <exception cref="SqliteException">The engine's error, also of a statement that would write.</exception>
    /// <exception cref="ArgumentException">The result is a task: a read is synchronous.</exception>
    /// <exception cref="ObjectDisposedException">The database takes no more reads.</exception>
    public Task<T> ReadAsync<T>(Func<StatementCache, T> read, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(read);
        CommitQueue.RefuseAsynchronous<T>(nameof(read));
        return RunAsync(() => Read(read, cancellationToken), cancellationToken);
    }

    /// <inheritdoc cref="CommitQueue.RunAsync(Action{StatementCache}, CancellationToken)"/>
    public Task WriteAsync(Action<StatementCache> work, CancellationToken cancellationToken = default) =>
        m_writer.RunAsync(work, cancellationToken);

    /// <inheritdoc cref="CommitQueue.RunAsync{T}(Func{StatementCache, T}, CancellationToken)"/>
    public Task<T> WriteAsync<T>(Func<StatementCache, T> work, CancellationToken cancellationToken = default) =>
        m_writer.RunAsync(work, cancellationToken);

    /// <summary>
    /// Copies the database as it is at one moment, by SQLite's online backup; reads and writes go on. The copy is verified and on the disk
    /// before it has its name, and stands for itself, without a log beside it.
    /// </summary>
    /// <param name="target">The copy's path, in a folder that exists.</param>
    /// <param name="cancellationToken">Stops copying; nothing is left behind.</param>
    /// <exception cref="IOException">The target exists (it is not overwritten), cannot be written, or does not verify. Nothing is left
    /// behind.</exception>
    /// <exception cref="SqliteException">As above, seen by SQLite.</exception>
    /// <exception cref="ObjectDisposedException">The database makes no more copies.</exception>
    public Task BackupToAsync(string target, CancellationToken cancellationToken = default)
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(target);
        return RunAsync(() => BackUp(Path.GetFullPath(target), cancellationToken), cancellationToken);
    }

    /// <summary>
    /// Takes nothing new, commits the writes that were handed in, waits for reads and copies that have begun, and closes the file. May be
    /// called more than once.
    /// </summary>
    /// <exception cref="InvalidOperationException">Called by a write, which would wait for itself.</exception>
    public async ValueTask DisposeAsync()
    {
        var written = m_writer.DisposeAsync();
        if (Close())
            Leave();
        await m_unused.Task.ConfigureAwait(false);
        m_readers.Dispose();
        await written.ConfigureAwait(false);
    }

    private async Task<T> RunAsync<T>(Func<T> call, CancellationToken token)
    {
        Enter();
        try
        {
            return await Task.Run(call, token).ConfigureAwait(false);
        }
        finally
        {
            Leave();
        }
    }

    private T Read<T>(Func<StatementCache, T> read, CancellationToken token)
    {
        using var lease = Rent();
        var statements = lease.Reader.Statements;
        var before = statements.CancelWaitsBy(token);
        try
        {
            return Interruptible(
                lease.Reader.Connection,
                statements,
                () =>
                {
                    statements.Run(Begin);
                    return read(statements);
                },
                token
            );
        }
        finally
        {
            statements.CancelWaitsBy(before);
            statements.ReturnAll();
            if (!statements.IsAutoCommit)
                statements.Run(Rollback);
        }
    }

    // Whoever reads first opens the connection, and may have a preset of its own.
    private ReadConnectionPool.Lease Rent()
    {
        using var scope = m_options.Use();
        return m_readers.Rent();
    }

    private bool BackUp(string target, CancellationToken token)
    {
        if (Path.Exists(target))
            throw new IOException($"'{target}' exists and is not overwritten; remove it, or choose another name for the copy.");

        var incomplete = $"{target}.{Guid.NewGuid():N}{SafetyCopy.INCOMPLETE}";
        var made = incomplete;
        try
        {
            SafetyCopy.CreatePrivate(incomplete, m_path);
            Fill(incomplete, token);
            DurableFiles.Standard.FlushFile(incomplete);
            token.ThrowIfCancellationRequested();
            DurableFiles.Standard.Move(incomplete, target, overwrite: false);
            made = target;
            DurableFiles.Standard.FlushFolder(Path.GetDirectoryName(target)!);
            return true;
        }
        catch
        {
            SafetyCopy.Remove(made);
            throw;
        }
    }

    private void Fill(string incomplete, CancellationToken token)
    {
        using var copy = new SqliteConnection(SafetyCopy.ConnectionString(incomplete, SqliteOpenMode.ReadWrite));
        copy.Open();
        Read(
            statements =>
            {
                statements.Run(TakeSnapshot);
                EngineControl.Copy(statements.Connection, copy, token);
                return true;
            },
            token
        );
        Interruptible(
            copy,
            null,
            () =>
            {
                SafetyCopy.Verify(copy, m_path);
                return true;
            },
            token
        );
    }

    private static T Interruptible<T>(SqliteConnection connection, StatementCache? statements, Func<T> call, CancellationToken token)
    {
        using var interrupt = CommandInterrupt.Start(connection, token, statements);
        try
        {
            return call();
        }
        catch (SqliteException ex) when (CommandInterrupt.EndsCall(interrupt, ex, token))
        {
            throw new OperationCanceledException(ex.Message, ex, token);
        }
        catch (Exception) when (CommandInterrupt.EndsCall(interrupt))
        {
            throw;
        }
    }

    private void Enter()
    {
        lock (m_lock)
        {
            ObjectDisposedException.ThrowIf(m_isClosed, this);
            m_users++;
        }
    }

    private void Leave()
    {
        lock (m_lock)
        {
            if (--m_users == 0)
                m_unused.SetResult();
        }
    }

    // False: somebody else did.
    private bool Close()
    {
        lock (m_lock)
            return !m_isClosed && (m_isClosed = true);
    }
}
