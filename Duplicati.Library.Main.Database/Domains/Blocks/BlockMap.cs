// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Linq;
using System.Threading;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// The row id of a live block by (hash, size) during a backup: <see cref="BlockIds"/> as far as the memory allowed by
/// <see cref="BlockOptions"/> goes, kept equal to the table.
/// </summary>
/// <remarks>
/// Filled from the table (about 2 million rows/s) once as many look-ups have gone by statement as filling costs; at once when the table
/// is empty. Notices by itself: rollbacks, rows changed on this connection by anyone (<see cref="TableWatch"/>), whatever else the caller's
/// own statements can do, commits by other connections. One instance a session; use with the connection lock held.
/// </remarks>
internal sealed class BlockMap : ITransactionCache, IDisposable
{
    // A look-up by statement costs about eight times what filling costs a row.
    private const int RowsFilledPerLookup = 8;
    private const int FewestLookups = 64;
    private const int RowsBetweenChecks = 4096;

    private readonly DatabaseSession m_session;
    private readonly BlockOptions m_options;
    private readonly TableChanges m_changes;
    private readonly BlockAppender m_appender;
    private readonly BlockIds m_ids;
    private readonly KeyHasher m_keys = new();

    private long m_lookupsLeft = -1;
    private long m_seen;
    private long m_seenAtBoundary;
    private long m_transactions = -1;
    private long m_externalWrites;
    private long m_dataVersion = -1;

    private BlockMap(DatabaseSession session)
    {
        m_session = session;
        m_options = BlockOptions.Of(session);
        m_changes = TableWatch.Of(session.Connection).Table("Block");
        m_appender = new BlockAppender(session);
        m_ids = new BlockIds(session, m_appender);
        m_seen = m_changes.Count;
        m_externalWrites = session.ExternalWriteCount;
        // Rows may have changed in this transaction before anyone counted.
        m_seenAtBoundary = m_seen - 1;
    }

    /// <summary>The map of a connection.</summary>
    internal static BlockMap Of(DatabaseSession session) => session.Service(static s => new BlockMap(s));

    /// <summary>True if every answer comes from memory, or from memory with a verification by row id.</summary>
    internal bool IsComplete => m_ids.IsComplete;

    private bool IsOff => m_options.MapBytes <= 0;

    /// <summary>Number of blocks in memory; 0 if the answers are not complete.</summary>
    internal long Count => m_ids.Count;

    /// <summary>Bytes of what is in memory.</summary>
    internal long Bytes => m_ids.Bytes;

    /// <summary>Name of the structure in use, for tests.</summary>
    internal string Tier => IsOff ? "off" : m_ids.Tier;

    /// <summary>The key of a block in this map.</summary>
    internal UInt128 KeyOf(string hash, long size) => m_keys.OfText(hash, size);

    /// <summary>The key of the live block with this id; 0 if there is none.</summary>
    internal UInt128 KeyOfRow(long id)
    {
        using var row = m_session.Take(BlockSql.KeyOfId);
        return row.Bind(1, id).Read() ? m_keys.OfUtf8(row.GetUtf8(0), row.GetInt64(1)) : 0;
    }

    /// <summary>The id of a live block, or -1.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="token">Stops filling the map, which the next look-up then begins anew.</param>
    internal long Find(string hash, long size, CancellationToken token = default) => Find(KeyOf(hash, size), hash, size, token);

    /// <summary>The same, with its <see cref="KeyOf">key</see>.</summary>
    internal long Find(UInt128 key, string hash, long size, CancellationToken token = default)
    {
        Refresh();
        if (!m_ids.IsStarted && !IsOff && CountLookup())
            Fill(token);
        return m_ids.Find(key, hash, size);
    }

    /// <summary>
    /// Reads the table now, unless that has been done. Linear in its rows; cancelled within a few thousand rows, it has read nothing.
    /// </summary>
    internal void Fill(CancellationToken token = default)
    {
        Refresh();
        if (m_ids.IsStarted || IsOff)
            return;

        ForgetOnError(() =>
        {
            m_ids.Start(m_options.MapBytes, MaxId());
            AddAll(token);
            if (!IsComplete)
                FillFilter(token);
        });
    }

    private void ForgetOnError(Action fill)
    {
        try
        {
            fill();
        }
        catch
        {
            // Half a map would deny blocks that are there.
            Forget();
            throw;
        }
    }

    private void FillFilter(CancellationToken token = default)
    {
        m_ids.StartFilter(m_options.MapBytes, Math.Max(1024, MaxId() * 5 / 4));
        AddAll(token);
    }

    private void AddAll(CancellationToken token)
    {
        using var all = m_session.Take(BlockSql.All);
        for (var rows = 0L; m_ids.IsStarted && all.Read(); rows++)
        {
            if (rows % RowsBetweenChecks == 0)
                token.ThrowIfCancellationRequested();
            m_ids.Add(m_keys.OfUtf8(all.GetUtf8(1), all.GetInt64(2)), all.GetInt64(0));
        }
    }

    /// <summary>Learns what has happened to the table since the last call.</summary>
    private void Refresh()
    {
        if (m_transactions != m_session.TransactionCount || m_externalWrites != m_session.ExternalWriteCount)
            CheckBoundary();
        if (m_changes.Count != m_seen)
            Invalidate();
    }

    /// <summary>Inserts a block that is not there.</summary>
    /// <param name="key">Its key.</param>
    /// <param name="hash">Its hash.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="volumeId">The volume it is stored in.</param>
    /// <returns>Its row id.</returns>
    internal long Add(UInt128 key, string hash, long size, long volumeId)
    {
        Refresh();
        var id = m_appender.Add(hash, size, volumeId);
        m_seen++;
        var wasComplete = IsComplete;
        m_ids.Add(key, id);
        if (wasComplete && !IsComplete)
            ForgetOnError(() => FillFilter());
        return id;
    }

    /// <summary>So many row changes of table Block are known to the map and need not make it start again.</summary>
    internal void AcceptOwn(long rows) => m_seen += rows;

    /// <summary>Forgets everything; the table is asked again.</summary>
    internal void Invalidate()
    {
        m_appender.Forget();
        Forget();
    }

    /// <summary>After a rollback: everything is forgotten, unless no block has changed since the last commit.</summary>
    public void Discard()
    {
        m_appender.Forget();
        if (m_changes.Count != m_seenAtBoundary)
            Forget();
    }

    /// <summary>Gives the memory back; at the end of the session.</summary>
    public void Dispose() => m_ids.Dispose();

    private void Forget()
    {
        m_ids.Dispose();
        m_lookupsLeft = -1;
        m_seen = m_changes.Count;
    }

    // Everything is noted last, so that a statement that fails is asked again.
    private void CheckBoundary()
    {
        var version = m_session.ReadNumber(HousekeepingSql.DataVersion);
        if (m_transactions >= 0 && m_transactions != m_session.TransactionCount)
        {
            // What had not been noticed before the commit must count as changed at a later rollback.
            m_seenAtBoundary = m_seen;
        }

        if (m_externalWrites != m_session.ExternalWriteCount)
        {
            // The watch does not see all that others can do: emptying a table, dropping it, going back to a savepoint. Nor does it see
            // that a rollback undoes it, so the map must not be kept then.
            Invalidate();
            m_seenAtBoundary = m_seen - 1;
        }
        else if (version != m_dataVersion && m_dataVersion >= 0)
        {
            Invalidate();
        }

        m_dataVersion = version;
        m_transactions = m_session.TransactionCount;
        m_externalWrites = m_session.ExternalWriteCount;
    }

    // True once filling the map has become the cheaper way.
    private bool CountLookup()
    {
        if (m_lookupsLeft < 0)
        {
            var rows = MaxId();
            m_lookupsLeft = rows == 0 ? 0 : Math.Max(FewestLookups, rows / RowsFilledPerLookup);
        }

        return m_lookupsLeft-- <= 0;
    }

    private long MaxId() => m_session.ReadNumber(BlockSql.MaxId);
}

/// <summary>How much memory a connection's block structures may take. Changed, if at all, before the first block is looked up.</summary>
internal sealed class BlockOptions
{
    /// <summary>Enough for ten million blocks with keys, and for fifty-four million with fingerprints.</summary>
    internal const long DefaultMapBytes = 384L << 20;

    /// <summary>For machines with little memory: 2.6 million blocks with keys, thirteen million with fingerprints.</summary>
    internal const long SmallMapBytes = 96L << 20;

    private BlockOptions(bool small)
    {
        // What the runtime may use, so that the limit of a container counts.
        var share = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4;
        MapBytes = Math.Min(small ? SmallMapBytes : DefaultMapBytes, share);
    }

    /// <summary>
    /// Most bytes of the slots of <see cref="BlockMap"/>; 0 keeps nothing in memory and asks the table each time. To begin with
    /// the preset's size, at most a quarter of the memory there is.
    /// </summary>
    internal long MapBytes { get; set; }

    /// <summary>The options of a connection, at first those of the preset that is in force when they are first asked for.</summary>
    internal static BlockOptions Of(DatabaseSession session) =>
        session.Service(static _ => new BlockOptions(ConnectionOptions.Current.IsSmall));
}
