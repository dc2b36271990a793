// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Linq;
using System.Threading;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// The row id of a live block by (hash, size), from memory as far as the memory allowed by <see cref="BlockOptions"/> goes: full keys,
/// then fingerprints that are verified against the row, then a filter that answers "not there", then the table itself.
/// All give the same answers.
/// </summary>
/// <remarks>
/// Filled from the table (about 2 million rows/s) once as many look-ups have gone by statement as filling costs; at once when the table
/// is empty. Notices by itself: rollbacks, rows changed on this connection by anyone (<see cref="TableWatch"/>), whatever else the caller's
/// own statements can do, commits by other connections. One instance a session; use with the connection lock held.
/// </remarks>
internal sealed partial class BlockMap : ITransactionCache, IDisposable
{
    // A look-up by statement costs about eight times what filling costs a row.
    private const int RowsFilledPerLookup = 8;
    private const int FewestLookups = 64;

    private readonly DatabaseSession m_session;
    private readonly BlockOptions m_options;
    private readonly TableChanges m_changes;
    private readonly BlockAppender m_appender;
    private readonly LookUpFigures m_lookUps;

    private BlockKeyTable? m_full;
    private FingerprintTable? m_fingerprints;
    private BlockFilter? m_filter;

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
        m_lookUps = session.BlockLookUps;
        m_seen = m_changes.Count;
        m_externalWrites = session.ExternalWriteCount;
        // Rows may have changed in this transaction before anyone counted.
        m_seenAtBoundary = m_seen - 1;
    }

    /// <summary>The map of a connection.</summary>
    internal static BlockMap Of(DatabaseSession session) => session.Service(static s => new BlockMap(s));

    /// <summary>True if every answer comes from memory, or from memory with a verification by row id.</summary>
    internal bool IsComplete => m_full is not null || m_fingerprints is not null;

    // Memory outside the garbage collector's heap is given back at once, not when somebody collects it.
    private void DropTables()
    {
        m_full?.Dispose();
        m_fingerprints?.Dispose();
        (m_full, m_fingerprints) = (null, null);
    }

    private bool IsOff => m_options.MapBytes <= 0;

    /// <summary>Number of entries in memory; 0 if the answers are not complete.</summary>
    internal long Count => m_full?.Count ?? m_fingerprints?.Count ?? 0;

    /// <summary>Bytes of the structures in memory.</summary>
    internal long Bytes => (m_full?.Bytes ?? 0) + (m_fingerprints?.Bytes ?? 0) + (m_filter?.Bytes ?? 0);

    /// <summary>Name of the structure in use, for reports and tests.</summary>
    internal string Tier =>
        m_full is not null ? "keys"
        : m_fingerprints is not null ? "fingerprints"
        : m_filter is not null ? "filter"
        : IsOff ? "off"
        : "unloaded";

    /// <summary>The id of a live block, or -1.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="token">Stops filling the map, which the next look-up then begins anew.</param>
    internal long Find(string hash, long size, CancellationToken token = default)
    {
        Span<byte> text = stackalloc byte[BlockKey.MaxTextLength];
        return BlockKey.TryParse(hash, size, text, out var length, out var key) ? Find(key, text[..length], token) : FindText(hash, size);
    }

    /// <summary>The id of a live block, or -1.</summary>
    /// <param name="key">The block.</param>
    /// <param name="text">Its hash as UTF-8 Base64.</param>
    /// <param name="token">Stops filling the map, which the next look-up then begins anew.</param>
    internal long Find(in BlockKey key, ReadOnlySpan<byte> text, CancellationToken token = default)
    {
        Refresh();
        if (!IsComplete && m_filter is null && !IsOff && CountLookup())
        {
            Fill(token);
            return Find(key, text, token);
        }

        m_lookUps.Requests++;
        if (m_full is not null)
            return m_full.Find(key);
        if (m_fingerprints is not null)
            return FindByFingerprint(key, text);
        return m_filter is null || m_filter.MayContain(key.Hash) ? FindInTable(key, text) : -1;
    }

    /// <summary>The id of a live block whose hash or size has no <see cref="BlockKey"/>, or -1.</summary>
    internal long FindText(string hash, long size)
    {
        m_lookUps.Requests++;
        m_lookUps.Misses++;
        BlockIndexes.Of(m_session).Complete();
        using var find = m_session.Take(BlockSql.FindId);
        return find.Bind(1, hash).Bind(2, size).ExecuteInt64();
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
    /// <param name="key">The block.</param>
    /// <param name="text">Its hash as UTF-8 Base64.</param>
    /// <param name="volumeId">The volume it is stored in.</param>
    /// <returns>Its row id.</returns>
    internal long Add(in BlockKey key, ReadOnlySpan<byte> text, long volumeId)
    {
        Refresh();
        var id = m_appender.Add(text, key.Size, volumeId);
        m_seen++;
        Remember(key, id);
        return id;
    }

    /// <summary>Inserts a block that is not there and whose hash or size has no <see cref="BlockKey"/>.</summary>
    internal long AddText(string hash, long size, long volumeId)
    {
        Refresh();
        var id = m_appender.Add(hash, size, volumeId);
        m_seen++;
        return id;
    }

    private void Remember(in BlockKey key, long id)
    {
        if (IsComplete && id > FingerprintTable.MaxId)
            FillFilter();
        m_filter?.Add(key.Hash);
        if (!AddToTables(key, id))
            FillFilter();
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
    public void Dispose() => DropTables();

    private void Forget()
    {
        DropTables();
        m_filter = null;
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

    private long FindByFingerprint(in BlockKey key, ReadOnlySpan<byte> text)
    {
        var position = -1;
        while (m_fingerprints!.TryNext(key.Hash, ref position, out var id))
        {
            if (IsRow(id, text, key.Size))
                return id;
        }

        return -1;
    }

    private bool IsRow(long id, ReadOnlySpan<byte> text, int size)
    {
        using var row = m_session.Take(BlockSql.KeyOfId);
        return row.Bind(1, id).Read() && row.GetInt64(1) == size && row.GetUtf8(0).SequenceEqual(text);
    }

    private long FindInTable(in BlockKey key, ReadOnlySpan<byte> text)
    {
        m_lookUps.Misses++;
        BlockIndexes.Of(m_session).Complete();
        using var find = m_session.Take(BlockSql.FindId);
        return find.BindUtf8(1, text).Bind(2, (long)key.Size).ExecuteInt64();
    }
}
