// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>
/// Tells whether a blocklist has been stored by an earlier fileset or has been asked about before. The table has no index on the
/// hash, so its rows are read once into fingerprints (6.8 to 7.7 bytes each); what these find is verified. 21 to 25 bytes a blocklist asked
/// about.
/// Of equal blocklists, of which long runs of zeros make any number, only the first few rows are kept.
/// </summary>
/// <remarks>Rows added later belong to the current fileset and need not be known. Use with the connection lock held.</remarks>
internal sealed class KnownBlocklists(DatabaseSession session)
{
    // Whole table, once an instance that asks for blocklists.
    internal const string AllBlocklists = """SELECT rowid, "Hash" FROM "BlocklistHash" """;

    // By row id.
    private const string BlocksetOfBlocklist = """SELECT "BlocksetID" FROM "BlocklistHash" WHERE rowid = ?1 AND "Hash" = ?2""";

    // nn_FileLookup_BlockMeta, FilesetentryFileIdIndex.
    private const string FirstFilesetSql = """
        SELECT MIN("FilesetEntry"."FilesetID")
        FROM "FileLookup" CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "FileLookup"."BlocksetID" = ?1
        """;

    // Reads BlocklistHash, which has no index on the hash; only for hashes that many rows have.
    private const string FirstFilesetOfHash = """
        SELECT MIN("FilesetEntry"."FilesetID")
        FROM "BlocklistHash"
        CROSS JOIN "FileLookup" ON "FileLookup"."BlocksetID" = "BlocklistHash"."BlocksetID"
        CROSS JOIN "FilesetEntry" ON "FilesetEntry"."FileID" = "FileLookup"."ID"
        WHERE "BlocklistHash"."Hash" = ?1
        """;

    private const int MostRowsOfList = 8;

    // A hash taken for another one, with a chance of about 10^-18, would be left out of an index volume.
    private readonly KeyHasher m_hasher = new();
    private readonly KeyMap m_asked = new();

    // Known blocklists of many rows, for which a scan is made once.
    private KeyMap m_scanned = new();

    // Hashes of blocklists that have more rows than are kept.
    private readonly HashSet<ulong> m_many = [];
    private FingerprintTable? m_rows;
    private (long, long, long) m_seen;

    /// <summary>True if another fileset uses a blockset with this blocklist, or if it has been asked before.</summary>
    internal bool IsKnown(string hash, long currentFilesetId)
    {
        var key = m_hasher.OfText(hash, 0);
        if (m_asked.Contains(key))
            return true;
        ReadRows();
        if (m_scanned.Contains(key))
            return true;

        var first = FirstFileset(KeyMap.HashOf(key), hash, currentFilesetId, out var isScan);
        var isKnown = first >= 0 && first != currentFilesetId;
        if (!isKnown)
            m_asked.Set(key, 0);
        else if (isScan)
            m_scanned.Set(key, 0);
        return isKnown;
    }

    // The smallest id, or any that is smaller than the current one: then the smallest is another one, too.
    private long FirstFileset(ulong key, string hash, long currentFilesetId, out bool isScan)
    {
        long first = -1;
        var position = -1;
        while (!IsSmaller(first, currentFilesetId) && m_rows!.TryNext(key, ref position, out var row))
        {
            var fileset = FirstFileset(row, hash);
            if (first < 0 || IsSmaller(fileset, first))
                first = fileset;
        }

        isScan = m_many.Contains(key) && !IsSmaller(first, currentFilesetId);
        return isScan ? FirstFilesetOfText(hash) : first;
    }

    private static bool IsSmaller(long fileset, long other) => fileset >= 0 && fileset < other;

    private long FirstFileset(long row, string hash)
    {
        using var blockset = session.Take(BlocksetOfBlocklist);
        var id = blockset.Bind(1, row).Bind(2, hash).ExecuteInt64();
        if (id < 0)
            return -1;

        using var fileset = session.Take(FirstFilesetSql);
        return fileset.Bind(1, id).ExecuteInt64();
    }

    private long FirstFilesetOfText(string hash)
    {
        using var fileset = session.Take(FirstFilesetOfHash);
        return fileset.Bind(1, hash).ExecuteInt64();
    }

    // Once, and again after commands of others, removals and rollbacks: rows of other filesets may have come or gone.
    private void ReadRows()
    {
        var now = (session.ExternalWriteCount, session.RemovalCount, session.RollbackCount);
        if (m_rows is not null && m_seen == now)
            return;

        m_seen = now;
        m_scanned = new KeyMap();
        m_many.Clear();
        m_rows = new FingerprintTable();
        using var all = session.Take(AllBlocklists);
        while (all.Read())
            Add(m_rows, KeyMap.HashOf(m_hasher.OfUtf8(all.GetUtf8(1), 0)), all.GetInt64(0));
    }

    private void Add(FingerprintTable rows, ulong hash, long row)
    {
        var position = -1;
        var present = 0;
        while (present < MostRowsOfList && rows.TryNext(hash, ref position, out _))
            present++;
        if (present < MostRowsOfList)
            rows.Add(hash, row);
        else
            m_many.Add(hash);
    }
}
