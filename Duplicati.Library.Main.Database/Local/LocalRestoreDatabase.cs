// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Concurrent;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// Chooses the files of one fileset that a restore writes, maps their target paths, and serves the blocks they need. This
/// file holds construction, state and disposal; the members are in the partial files beside it.
/// </summary>
/// <remarks>
/// Lists are built when they are first asked for. Streams are copies: the consumer may write and commit while it reads.
/// Members that read the prepared list take turns on the main connection and may be called concurrently; those that read
/// block lists and volumes use readers of their own, which see committed rows only.
/// </remarks>
internal partial class LocalRestoreDatabase : LocalDatabase
{
    private const string OperationName = "Restore";

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRestoreDatabase>();

#pragma warning disable CA1051 // The contract fixes these as protected fields.
    protected readonly string m_temptabsetguid = Library.Utility.Utility.GetHexGuid();
    protected string? m_tempfiletable;
    protected string? m_tempblocktable;
    protected string? m_latestblocktable;
    protected string? m_fileprogtable;
    protected string? m_totalprogtable;
    protected string? m_filesnewlydonetable;
    protected ConcurrentBag<(SqliteConnection, ReusableTransaction)> m_connection_pool = [];
    protected DateTime m_restoreTime;
#pragma warning restore CA1051

    private RestoreFileList? m_list;
    private ReadConnectionPool? m_readers;

    /// <summary>UTC time of the fileset that was chosen last.</summary>
    public DateTime RestoreTime => m_restoreTime;

    private RestoreFileList List => m_list ??= new RestoreFileList(Session);

    private ReadConnectionPool Readers => m_readers ?? MakeReaders();

    /// <summary>Opens, creates or upgrades the database at a path and begins a restore; disposing closes the connection.</summary>
    /// <param name="path">The database file; an empty one becomes a database.</param>
    /// <param name="dbnew">An instance to initialise, or null for a new one.</param>
    /// <param name="token">Cancels the opening.</param>
    public static Task<LocalRestoreDatabase> CreateAsync(string path, LocalRestoreDatabase? dbnew, CancellationToken token) =>
        OpenAsync(path, OperationName, dbnew ?? new LocalRestoreDatabase(), token);

    /// <summary>A child of another database object: same connection, transaction and operation.</summary>
    public static Task<LocalRestoreDatabase> CreateAsync(LocalDatabase dbparent, LocalRestoreDatabase? dbnew, CancellationToken token) =>
        ChildAsync(dbparent, dbnew ?? new LocalRestoreDatabase(), token);

    /// <summary>
    /// Takes a connection that sees committed rows only, or opens one. Its transaction keeps the view of its first read. The
    /// caller puts the pair back into <see cref="m_connection_pool"/>.
    /// </summary>
    public async Task<(SqliteConnection, ReusableTransaction)> GetConnectionFromPoolAsync(CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        if (m_connection_pool.TryTake(out var pair))
            return pair;

        var connection = await SQLiteLoader.LoadConnectionAsync().ConfigureAwait(false);
        try
        {
            connection.ConnectionString = m_connection.ConnectionString;
            await connection.OpenAsync(token).ConfigureAwait(false);
            await SQLiteLoader.ApplyCustomPragmasAsync(connection).ConfigureAwait(false);
            return (connection, new ReusableTransaction(connection));
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }

    /// <summary>Closes the idle connections beside the main one. The pool may be used again.</summary>
    public Task DisposePoolAsync()
    {
        try
        {
            DisposePool();
            return Task.CompletedTask;
        }
        catch (Exception ex)
        {
            return Task.FromException(ex);
        }
    }

    /// <summary>
    /// Closes the pool, drops the lists, commits (also a transaction shared with a parent), and ends this object's use of the
    /// database. May be called more than once. Derived types that have something to end override this one.
    /// </summary>
    public override void Dispose()
    {
        if (IsDisposed)
            return;

        try
        {
            DisposePool();
            if (m_connection?.State == System.Data.ConnectionState.Open && !m_rtr.HasEnded)
                DropLists();
        }
        finally
        {
            base.Dispose();
        }
    }

    /// <summary>As <see cref="Dispose"/>.</summary>
    public override ValueTask DisposeAsync() => base.DisposeAsync();

    /// <summary>Drops the lists, if there are any, and commits.</summary>
    public Task DropRestoreTableAsync(CancellationToken token) => Session.ShortAsync(_ => DropLists(), token);

    private void DropLists()
    {
        lock (Session.ConnectionLock)
        {
            DropList(m_tempfiletable, () => m_list?.Drop());
            DropList(m_tempblocktable, () => m_list?.Blocks.Forget());
            m_tempfiletable = m_tempblocktable = m_latestblocktable = m_fileprogtable = m_totalprogtable = m_filesnewlydonetable = null;
            // A commit of what the engine has rolled back would fail and hide the error that led here.
            Session.RecoverTransaction();
            m_rtr.Commit("DropRestoreTable");
        }
    }

    private static void DropList(string? name, Action drop)
    {
        if (name is null)
            return;

        try
        {
            drop();
        }
        catch (SqliteException ex)
        {
            Log.WriteWarningMessage(LOGTAG, "CleanupError", ex, "Failed to drop the list {0}: {1}", name, ex.Message);
        }
    }

    private void DisposePool()
    {
        Interlocked.Exchange(ref m_readers, null)?.Dispose();
        while (m_connection_pool.TryTake(out var pair))
        {
            using (pair.Item1)
            using (pair.Item2.Session)
                pair.Item2.Dispose();
        }
    }

    private ReadConnectionPool MakeReaders()
    {
        var made = new ReadConnectionPool(m_connection.ConnectionString);
        return Interlocked.CompareExchange(ref m_readers, made, null) ?? made;
    }
}
