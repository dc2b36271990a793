// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>
/// Compares what an index file says with the database. Where each blocklist belongs is read once (about 150 bytes a blocklist),
/// because the table has no index on the hash, and kept as long as the connection has changed no row.
/// </summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class IndexChecks : ITransactionCache
{
    // BlockHashSize, Block by id.
    private const string VolumeOfBlock = """SELECT "VolumeID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    // Whole table, once while it does not change.
    internal const string AllBlocklists = """SELECT "Hash", "BlocksetID", "Index" FROM "BlocklistHash" ORDER BY "BlocksetID", "Index" """;

    // Key of BlocksetEntry, Block by id.
    private const string HashesInRange = """
        SELECT b."Hash"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1 AND e."Index" >= ?2 AND e."Index" < ?3
        ORDER BY e."Index"
        """;

    private readonly DatabaseSession m_session;
    private Dictionary<string, (long BlocksetId, long Index)>? m_places;
    private (long, long, long)? m_seen;

    private IndexChecks(DatabaseSession session) => m_session = session;

    /// <summary>The one instance of a session.</summary>
    internal static IndexChecks Of(DatabaseSession session) => session.Service(static x => new IndexChecks(x));

    /// <summary>Checks that every known block of a list is registered in a volume.</summary>
    /// <exception cref="Exception">One is registered elsewhere, or there is no such volume and any is known.</exception>
    internal static void BlocksAreIn(DatabaseSession session, string volumeName, List<KeyValuePair<string, long>> blocks)
    {
        var volumeId = VolumeReads.Id(session, volumeName);
        using var volumeOfBlock = session.Take(VolumeOfBlock);
        var elsewhere = new HashSet<KeyValuePair<string, long>>();
        foreach (var block in blocks)
        {
            var registered = volumeOfBlock.Bind(1, block.Key).Bind(2, block.Value).ExecuteInt64(long.MinValue);
            if (registered != long.MinValue && registered != volumeId)
                elsewhere.Add(block);
        }

        if (elsewhere.Count != 0)
            throw new Exception(
                $"Not all blocks are in the volume {volumeName}: {elsewhere.Count} of {blocks.Count} are registered elsewhere."
            );
    }

    /// <summary>Compares the hashes of a blocklist with the blocks of the first blockset that has it.</summary>
    /// <exception cref="Exception">They differ, or one side has more.</exception>
    internal void BlocklistIsRight(string hash, long length, List<string> hashes, long hashesPerBlock)
    {
        var known =
            IsBlock(hash, length) && Places().TryGetValue(hash, out var place)
                ? HashesAt(place.BlocksetId, place.Index * hashesPerBlock, hashesPerBlock)
                : [];
        for (var i = 0; i < Math.Min(known.Count, hashes.Count); i++)
        {
            if (!string.Equals(known[i], hashes[i], StringComparison.Ordinal))
                throw new Exception(
                    $"Mismatch in blocklist {hash} at position {i}: the database has {known[i]}, the index file {hashes[i]}."
                );
        }

        if (known.Count > hashes.Count)
            throw new Exception($"Too few hashes in blocklist {hash}: the database has {known.Count}, the index file {hashes.Count}.");
        if (known.Count < hashes.Count)
            throw new Exception($"Too many hashes in blocklist {hash}: the database has {known.Count}, the index file {hashes.Count}.");
    }

    /// <inheritdoc/>
    public void Discard() => m_places = null;

    private bool IsBlock(string hash, long size)
    {
        using var find = m_session.Take(VolumeOfBlock);
        return find.Bind(1, hash).Bind(2, size).ExecuteInt64(long.MinValue) != long.MinValue;
    }

    private List<string> HashesAt(long blocksetId, long first, long count)
    {
        using var select = m_session.Take(HashesInRange);
        return select.Bind(1, blocksetId).Bind(2, first).Bind(3, first + count).ReadAll(static row => row.GetString(0)!);
    }

    private Dictionary<string, (long BlocksetId, long Index)> Places()
    {
        if (m_places is not null && m_seen == m_session.Stamp)
            return m_places;

        var places = new Dictionary<string, (long, long)>(StringComparer.Ordinal);
        using var all = m_session.Take(AllBlocklists);
        while (all.Read())
            places.TryAdd(all.GetString(0)!, (all.GetInt64(1), all.GetInt64(2)));
        m_seen = m_session.Stamp;
        return m_places = places;
    }
}
