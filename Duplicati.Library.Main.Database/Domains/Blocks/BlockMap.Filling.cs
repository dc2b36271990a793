// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>Filling the map, and changing to a smaller structure when the memory allowed is used up.</summary>
internal sealed partial class BlockMap
{
    private const int FullBytesPerEntry = 66;
    private const int RowsBetweenChecks = 4096;

    /// <summary>
    /// Reads the table now, unless that has been done. Linear in its rows; cancelled within a few thousand rows, it has read nothing.
    /// </summary>
    internal void Fill(CancellationToken token = default)
    {
        Refresh();
        if (IsComplete || m_filter is not null || IsOff)
            return;

        try
        {
            FillFromTable(token);
        }
        catch
        {
            // Half a map would deny blocks that are there.
            Forget();
            throw;
        }
    }

    private void FillFromTable(CancellationToken token)
    {
        if (MaxId() * FullBytesPerEntry <= m_options.KeyBytes)
            m_full = new BlockKeyTable(m_options.KeyBytes);
        else
            m_fingerprints = new FingerprintTable(m_options.MapBytes);

        using var all = m_session.Take(BlockSql.All);
        for (var rows = 0L; IsComplete && all.Read(); rows++)
        {
            if (rows % RowsBetweenChecks == 0)
                token.ThrowIfCancellationRequested();
            if (BlockKey.TryParse(all.GetUtf8(1), all.GetInt64(2), out var key))
                Fill(key, all.GetInt64(0));
        }

        if (!IsComplete)
            FillFilter(token);
    }

    private void Fill(in BlockKey key, long id)
    {
        // Other ids occur where hundreds of millions of blocks have come and gone; the filter needs none.
        if (id is <= 0 or > FingerprintTable.MaxId)
        {
            DropTables();
            return;
        }

        if (!AddToTables(key, id))
            DropTables();
    }

    // Full keys past their bound become fingerprints; false once these are past theirs.
    private bool AddToTables(in BlockKey key, long id)
    {
        m_full?.Add(key, id);
        m_fingerprints?.Add(key.Hash, id);
        if (m_full is { } full && (full.IsFull || full.Bytes > m_options.KeyBytes))
            ShrinkToFingerprints();
        return m_fingerprints is not { } fingerprints || (!fingerprints.IsFull && fingerprints.Bytes <= m_options.MapBytes);
    }

    private void FillFilter(CancellationToken token = default)
    {
        DropTables();
        var entries = Math.Max(1024, MaxId() * 5 / 4);
        var filter = new BlockFilter(entries, m_options.MapBytes);
        using var all = m_session.Take(BlockSql.All);
        for (var rows = 0L; all.Read(); rows++)
        {
            if (rows % RowsBetweenChecks == 0)
                token.ThrowIfCancellationRequested();
            if (BlockKey.TryParse(all.GetUtf8(1), all.GetInt64(2), out var key))
                filter.Add(key.Hash);
        }

        m_filter = filter;
    }

    private void ShrinkToFingerprints()
    {
        var target = new FingerprintTable(m_options.MapBytes);
        m_full!.MoveTo(target);
        m_full = null;
        m_fingerprints = target;
    }
}
