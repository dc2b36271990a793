// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.History;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Connections;
using Microsoft.Data.Sqlite;

[assembly: InternalsVisibleTo("Duplicati.UnitTest")]

namespace Duplicati.Library.Main.Database.Local;

/// <summary>
/// One operation's access to the local database: volume registry, filesets, options, logging, consistency checks, dlist output
/// and index data. This file holds construction and disposal; most members are in the partial files beside it, one a domain.
/// </summary>
/// <remarks>Nothing is durable before a commit; see <see cref="Transaction"/>. One call chain at a time.</remarks>
internal partial class LocalDatabase : IDisposable, IAsyncDisposable, IBackendManagerDatabase
{
    /// <summary>Lists of at most this many values are bound as parameters; longer ones go through a temporary table.</summary>
    public const int CHUNK_SIZE = 128;

    /// <summary>The value of FileLookup.BlocksetID that marks a folder.</summary>
    public const long FOLDER_BLOCKSET_ID = SpecialBlocksets.Folder;

    /// <summary>The value of FileLookup.BlocksetID that marks a symbolic link.</summary>
    public const long SYMLINK_BLOCKSET_ID = SpecialBlocksets.Symlink;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalDatabase>();

#pragma warning disable CA1051 // The contract fixes these as protected fields.
    protected SqliteConnection m_connection = null!;
    protected long m_operationid = -1;
    protected long m_pagecachesize;
    protected ReusableTransaction m_rtr = null!;
#pragma warning restore CA1051

    private OperationRow? m_operation;
    private bool m_hasExecutedVacuum;
    private bool m_ownsSession;

    /// <summary>For the factories of this and of derived types.</summary>
    protected LocalDatabase() { }

    /// <summary>The transaction shared with the parent or the children of this object.</summary>
    public ReusableTransaction Transaction => m_rtr;

    /// <summary>When this operation began (UTC).</summary>
    public DateTime OperationTimestamp { get; private set; }

    /// <summary>True after <see cref="Dispose"/>.</summary>
    public bool IsDisposed { get; private set; }

    /// <summary>True if disposing this object ends the transaction and closes the connection.</summary>
    public bool ShouldCloseConnection { get; set; }

    /// <summary>The connection, for the caller's own statements.</summary>
    internal SqliteConnection Connection => m_rtr is null ? m_connection : Session.HandOut();

    /// <summary>What all database objects on the connection share.</summary>
    internal DatabaseSession Session => m_rtr.Session;

    /// <summary>Id of this operation in table Operation; what a derived type has put into <see cref="m_operationid"/> counts.</summary>
    private protected long OperationId => m_operationid >= 0 || m_operation is null ? m_operationid : m_operation.Id;

    /// <summary>
    /// Opens, creates or upgrades the database at a path and begins an operation on it. One that writes waits for the write lock, and holds
    /// it until its first commit.
    /// </summary>
    /// <param name="path">The database file; its folder is created if missing.</param>
    /// <param name="operation">Text for table Operation, which tells what the operation does; null attaches to the latest
    /// operation.</param>
    /// <param name="shouldclose">Whether disposing closes the connection.</param>
    /// <param name="db">An instance to initialise, or null for a new one.</param>
    /// <param name="token">Cancels the opening.</param>
    /// <exception cref="Interface.UserInformationException"><c>DatabaseFormatError</c>: the file cannot be read;
    /// <c>DatabaseVersionNotSupportedError</c>: made by a newer release.</exception>
    public static async Task<LocalDatabase> CreateLocalDatabaseAsync(
        string path,
        string? operation,
        bool shouldclose,
        LocalDatabase? db,
        CancellationToken token
    )
    {
        var connection = await ConnectAsync(path, token).ConfigureAwait(false);
        try
        {
            db = await CreateLocalDatabaseAsync(connection, operation, db, token).ConfigureAwait(false);
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        db.ShouldCloseConnection = shouldclose;
        return db;
    }

    /// <summary>The same for a derived type, which closes the connection.</summary>
    private protected static async Task<T> OpenAsync<T>(string path, string operation, T db, CancellationToken token)
        where T : LocalDatabase => (T)await CreateLocalDatabaseAsync(path, operation, true, db, token).ConfigureAwait(false);

    /// <summary>A child of another database object: same connection, transaction and operation; closes nothing.</summary>
    private protected static async Task<T> ChildAsync<T>(LocalDatabase dbparent, T db, CancellationToken token)
        where T : LocalDatabase => (T)await CreateLocalDatabaseAsync(dbparent, db, token).ConfigureAwait(false);

    /// <summary>A child of another database object: same connection, transaction and operation; closes nothing.</summary>
    public static Task<LocalDatabase> CreateLocalDatabaseAsync(LocalDatabase dbparent, LocalDatabase? dbnew, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(dbparent);
        dbparent.Session.AnnounceExternalUse();
        dbnew ??= new LocalDatabase();
        dbnew.m_connection = dbparent.m_connection;
        dbnew.m_rtr = dbparent.m_rtr;
        dbnew.m_operation = dbparent.m_operation;
        dbnew.m_operationid = dbparent.m_operationid;
        dbnew.m_pagecachesize = dbparent.m_pagecachesize;
        dbnew.OperationTimestamp = dbparent.OperationTimestamp;
        return Task.FromResult(dbnew);
    }

    /// <summary>Begins an operation on a connection that the caller owns; opens it if necessary.</summary>
    /// <exception cref="Exception">There is no operation to attach to.</exception>
    public static async Task<LocalDatabase> CreateLocalDatabaseAsync(
        SqliteConnection connection,
        string? operation,
        LocalDatabase? dbnew,
        CancellationToken token
    )
    {
        ArgumentNullException.ThrowIfNull(connection);
        dbnew ??= new LocalDatabase();
        if (connection.State != System.Data.ConnectionState.Open)
            await connection.OpenAsync(token).ConfigureAwait(false);

        dbnew.m_connection = connection;
        dbnew.m_rtr = new ReusableTransaction(connection);
        dbnew.m_ownsSession = true;
        try
        {
            await dbnew.BeginOperationAsync(operation, token).ConfigureAwait(false);
        }
        catch
        {
            await dbnew.m_rtr.DisposeAsync().ConfigureAwait(false);
            dbnew.Session.Dispose();
            throw;
        }

        return dbnew;
    }

    /// <summary>Opens the connection to a database file, creating folder and file, and brings its schema up to date.</summary>
    protected static Task<SqliteConnection> CreateConnectionAsync(string path) => ConnectAsync(path, CancellationToken.None);

    private static async Task<SqliteConnection> ConnectAsync(string path, CancellationToken token)
    {
        path = Path.GetFullPath(path);
        var folder =
            Path.GetDirectoryName(path) ?? throw new DirectoryNotFoundException($"The database path {path} is the root of a file system.");
        Directory.CreateDirectory(folder);

        var connection = await SQLiteLoader.LoadConnectionAsync(path).ConfigureAwait(false);
        // Nothing can be brought up to date; whoever reads so has looked at the version before.
        if (OnlyReads(connection))
            return connection;

        try
        {
            PlannerStatistics.RefreshAtOpen(connection);
            DeferredIndexes.RestoreAndUpgrade(connection, path, token);
            SortMemory.BoundIfEmpty(connection, BlockSql.Any);
        }
        catch
        {
            await connection.DisposeAsync().ConfigureAwait(false);
            throw;
        }

        return connection;
    }

    private static bool OnlyReads(SqliteConnection connection) =>
        new SqliteConnectionStringBuilder(connection.ConnectionString).Mode == SqliteOpenMode.ReadOnly;

    private Task BeginOperationAsync(string? operation, CancellationToken token)
    {
        if (operation is null)
        {
            AttachToLatest(token);
            return Task.CompletedTask;
        }

        OperationTimestamp = DateTime.UtcNow;
        if (OnlyReads(m_connection))
            return Task.CompletedTask;

        m_operation = new OperationRow(Session, operation, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(OperationTimestamp));
        Session.Operation = m_operation;
        // The wait for the write lock may be long.
        return ReadingOperations.Contains(operation) ? Task.CompletedTask : Session.LongAsync(_ => m_operation.Flush(), token);
    }

    private void AttachToLatest(CancellationToken token) =>
        Session.Do(
            session =>
            {
                using var latest = session.Take(OperationSql.Latest);
                if (!latest.Read())
                    throw new Exception("The database holds no earlier operation to attach to.");
                m_operation = new OperationRow(session, latest.GetInt64(0), latest.GetInt64(1));
                session.Operation = m_operation;
                m_operationid = m_operation.Id;
                OperationTimestamp = ParseFromEpochSeconds(latest.GetInt64(1));
            },
            token
        );

    /// <summary>Seconds since 1970 as a UTC time.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is out of the calendar's range.</exception>
    public static DateTime ParseFromEpochSeconds(long seconds) => EpochTime.FromSeconds(seconds);

    /// <summary>Commits the shared transaction and begins the next one.</summary>
    public Task CommitAsync(CancellationToken cancellationToken) => m_rtr.CommitAsync(cancellationToken);

    /// <summary>
    /// Ends this object's use of the database; rolls back and closes if it owns the connection. May be called more than once.
    /// </summary>
    public virtual void Dispose()
    {
        if (IsDisposed)
            return;

        IsDisposed = true;
        if (ShouldCloseConnection && m_connection is not null)
            CloseConnection();
        else if (m_ownsSession)
            Session.ReleaseStatements();
        GC.SuppressFinalize(this);
    }

    /// <summary>
    /// Ends this object's use of the database; rolls back and closes if it owns the connection. May be called more than once.
    /// </summary>
    public virtual ValueTask DisposeAsync()
    {
        try
        {
            Dispose();
            return ValueTask.CompletedTask;
        }
        catch (Exception ex)
        {
            return ValueTask.FromException(ex);
        }
    }

    private void CloseConnection()
    {
        if (m_rtr is null)
        {
            m_connection.Dispose();
            return;
        }

        // In one piece: a member of another call chain that waits meanwhile must find all of it closed, and no connection without a
        // transaction.
        lock (Session.ConnectionLock)
        {
            try
            {
                m_rtr.Dispose();
                if (m_connection.State == System.Data.ConnectionState.Open && !OnlyReads(m_connection))
                    LeaveComplete();
            }
            finally
            {
                Session.Dispose();
                m_connection.Dispose();
            }
        }
    }

    // With the connection lock, so that its statements are not taken for somebody else's, before which the session itself would build the
    // indexes.
    private void LeaveComplete()
    {
        DeferredIndexes.Of(Session).Abandon();
        if (!m_hasExecutedVacuum)
            Optimize();
    }

    // The planner's statistics are kept for the next operation; a busy or read-only database keeps its old ones.
    private void Optimize()
    {
        try
        {
            PlannerStatistics.Keep(m_connection);
        }
        catch (SqliteException ex)
        {
            Log.WriteVerboseMessage(LOGTAG, "FailedToCommitTransaction", ex, "Failed to update the planner statistics");
        }
    }

    /// <summary>
    /// The id of a path prefix (ordinal, case-sensitive), which is inserted if it is new. Completes synchronously; does not commit.
    /// </summary>
    public Task<long> GetOrCreatePathPrefixAsync(string prefix, CancellationToken token)
    {
        if (token.IsCancellationRequested)
            return Task.FromCanceled<long>(token);

        try
        {
            var session = Session;
            lock (session.ConnectionLock)
                return session.Service(static owner => new PathPrefixCache(owner)).GetOrCreate(prefix);
        }
        catch (Exception ex)
        {
            return Session.Failed<long>(ex);
        }
    }

    /// <summary>Splits a path into folder (with its separator) and name (with trailing separators).</summary>
    /// <exception cref="ArgumentException">The path is null or empty.</exception>
    public static KeyValuePair<string, string> SplitIntoPrefixAndName(string path) => PathSplitter.Split(path);
}
