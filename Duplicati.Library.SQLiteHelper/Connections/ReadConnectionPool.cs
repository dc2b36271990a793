// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Microsoft.Extensions.ObjectPool;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Readers of one database file, kept open between uses together with their prepared statements. Rent one for the length of
/// one read, read to the end, dispose the lease.
/// </summary>
/// <remarks>
/// Thread-safe. Opens at most as many connections as there are leases at one time, keeps at most twice the number of processors.
/// </remarks>
public sealed class ReadConnectionPool : IDisposable
{
    private readonly Policy m_policy;
    private ObjectPool<ReadConnection>? m_pool;

    /// <summary>A pool that opens nothing yet.</summary>
    /// <param name="connectionString">The connection string of the connection that writes.</param>
    public ReadConnectionPool(string connectionString) => m_policy = new Policy(connectionString);

    /// <summary>Takes an idle reader, or opens one.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">The file cannot be opened.</exception>
    public Lease Rent()
    {
        var pool = Volatile.Read(ref m_pool) ?? Make();
        return new Lease(pool, pool.Get());
    }

    /// <summary>Closes the idle readers; those in use are closed when their lease ends. The pool may be used again.</summary>
    public void Clear() => (Interlocked.Exchange(ref m_pool, null) as IDisposable)?.Dispose();

    /// <summary>As <see cref="Clear"/>.</summary>
    public void Dispose() => Clear();

    private ObjectPool<ReadConnection> Make()
    {
        var made = new DefaultObjectPoolProvider().Create(m_policy);
        var winner = Interlocked.CompareExchange(ref m_pool, made, null);
        if (winner is null)
            return made;

        ((IDisposable)made).Dispose();
        return winner;
    }

    /// <summary>One use of a reader, the holder's alone until it is disposed.</summary>
    public readonly struct Lease : IDisposable
    {
        private readonly ObjectPool<ReadConnection> m_owner;

        internal Lease(ObjectPool<ReadConnection> owner, ReadConnection reader)
        {
            m_owner = owner;
            Reader = reader;
        }

        /// <summary>The reader.</summary>
        public ReadConnection Reader { get; }

        /// <summary>Gives the reader back. To be called once.</summary>
        public void Dispose() => m_owner.Return(Reader);
    }

    private sealed class Policy(string connectionString) : PooledObjectPolicy<ReadConnection>
    {
        public override ReadConnection Create() => ReadConnection.Open(connectionString);

        public override bool Return(ReadConnection obj) => true;
    }
}
