// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>Which block volumes must be fetched to complete the picture, and which blocklists such a volume holds.</summary>
/// <remarks>
/// Call with the connection lock held. The passes are linear in the blocklists, and in the blocks where something is missing.
/// </remarks>
internal sealed class VolumeQuestions
{
    // BlocklistHash in full, one probe of BlocksetEntry's primary key each. ?1 = entries in a full blocklist.
    internal const string AnyMissingBlocklist = """
        SELECT 1 FROM "BlocklistHash" l
        WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * ?1)
        LIMIT 1
        """;

    // As above for the inner set, then BlockHashSize for each hash of it; Block in full while that index is deferred.
    internal const string HoldingMissingBlocklists = """
        SELECT "ID", "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "State" <> 'Temporary' AND "ID" IN (
            SELECT b."VolumeID" FROM "Block" b WHERE b."Hash" IN (
                SELECT l."Hash" FROM "BlocklistHash" l
                WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * ?1)))
        ORDER BY "ID"
        """;

    // Block_IndexByVolumeId.
    private const string AnyBlockWithoutVolume = """SELECT 1 FROM "Block" WHERE "VolumeID" < 0 AND "Size" > 0 LIMIT 1""";

    // Block_IndexByVolumeId, or Block in full while that is deferred; only where a volume is missing.
    private const string AnyBlockOfMissingVolume = """
        SELECT 1 FROM "Block" WHERE "VolumeID" IN (SELECT "ID" FROM "Remotevolume" WHERE "State" = 'Temporary') AND "Size" > 0 LIMIT 1
        """;

    // As the inner set above, then BlockHashSize.
    internal const string AnyMissingBlocklistWithBlock = """
        SELECT 1 FROM "Block" b WHERE b."Hash" IN (
            SELECT l."Hash" FROM "BlocklistHash" l
            WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * ?1))
        LIMIT 1
        """;

    // Remotevolume in full, a look-up in Block_IndexByVolumeId each (in a set made of Block while that is deferred).
    private const string WithoutBlocks = """
        SELECT "ID", "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "Type" = 'Blocks' AND "State" <> 'Temporary' AND "ID" NOT IN (SELECT "VolumeID" FROM "Block")
        ORDER BY "ID"
        """;

    // Remotevolume in full.
    private const string All = """
        SELECT "ID", "Name", "Hash", "Size" FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" <> 'Temporary' ORDER BY "ID"
        """;

    // Row id range; each row once over the life of an object.
    private const string NewBlocklistHashes = """SELECT rowid, "Hash" FROM "BlocklistHash" WHERE rowid > ?1""";

    // Block_IndexByVolumeId.
    private const string HashesOfVolume = """SELECT "Hash" FROM "Block" WHERE "VolumeID" = ?1""";

    // Row id range.
    private const string HashesOfRange = """SELECT "Hash" FROM "Block" WHERE "ID" BETWEEN ?2 AND ?3 AND "VolumeID" = ?1""";

    private readonly DatabaseSession m_session;
    private readonly KeyHasher m_keys;
    private readonly RecreateBlocks m_blocks;
    private readonly HashSet<long> m_offered = [];
    private readonly KeyMap m_blocklists = new();
    private long m_lastBlocklistRow;

    internal VolumeQuestions(DatabaseSession session, KeyHasher keys, RecreateBlocks blocks)
    {
        m_session = session;
        m_keys = keys;
        m_blocks = blocks;
    }

    /// <summary>
    /// The volumes of a pass that no pass has offered since the last pass 0, in order of registration; never one that is not there (state
    /// Temporary).
    /// </summary>
    /// <param name="pass">0: those known to hold a missing blocklist; 1: those of which nothing is known; 2 and more: all.</param>
    /// <param name="entriesInList">Number of digests in a full blocklist.</param>
    /// <param name="force">Passes 1 and more: also if nothing is missing.</param>
    /// <param name="countUnknown">
    /// Whether a blocklist that no known block volume holds counts as missing, which the contract says it does not (B, Q11), and in pass 1
    /// also a block of
    /// a volume that is not there.
    /// </param>
    internal List<IRemoteVolume> Pass(int pass, long entriesInList, bool force, bool countUnknown)
    {
        if (pass == 0)
            m_offered.Clear();

        var result = new List<IRemoteVolume>();
        if (IsNeeded(pass, entriesInList, force, countUnknown))
            Collect(pass, entriesInList, result);
        return result;
    }

    /// <summary>Whether a pass has anything to look for. The parameters are those of <see cref="Pass"/>.</summary>
    internal bool IsNeeded(int pass, long entriesInList, bool force, bool countUnknown) =>
        pass == 0
            ? Any(AnyMissingBlocklist, entriesInList)
            : force || IsAnythingMissing(entriesInList, countUnknown) || (pass == 1 && countUnknown && IsAnyInMissingVolume());

    /// <summary>The distinct hashes of the blocks of a volume that filelists name as blocklists.</summary>
    internal List<string> BlocklistsIn(long volumeId)
    {
        ReadNewBlocklistHashes();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var result = new List<string>();
        if (!DeferredIndexes.Of(m_session).IsDeferred("Block"))
        {
            using var hashes = m_session.Take(HashesOfVolume);
            Collect(hashes.Bind(1, volumeId), seen, result);
            return result;
        }

        m_blocks.Prepare();
        foreach (var (first, last) in m_blocks.Ranges.Of(volumeId))
        {
            using var hashes = m_session.Take(HashesOfRange);
            Collect(hashes.Bind(1, volumeId).Bind(2, first).Bind(3, last), seen, result);
        }

        return result;
    }

    /// <summary>Forgets the blocklist hashes that have been read; they are read again at the next question.</summary>
    internal void Forget()
    {
        m_blocklists.Dispose();
        m_lastBlocklistRow = 0;
    }

    private void Collect(int pass, long entriesInList, List<IRemoteVolume> result)
    {
        using var volumes = m_session.Take(
            pass switch
            {
                0 => HoldingMissingBlocklists,
                1 => WithoutBlocks,
                _ => All,
            }
        );
        if (pass == 0)
            volumes.Bind(1, entriesInList);
        while (volumes.Read())
        {
            if (m_offered.Add(volumes.GetInt64(0)))
                result.Add(new RemoteVolume(volumes.GetString(1)!, volumes.GetString(2)!, volumes.GetInt64(3, -1)));
        }
    }

    private bool IsAnythingMissing(long entriesInList, bool countUnknown)
    {
        if (m_session.ReadNumber(AnyBlockWithoutVolume) != 0)
            return true;

        return Any(AnyMissingBlocklist, entriesInList) && (countUnknown || Any(AnyMissingBlocklistWithBlock, entriesInList));
    }

    private bool IsAnyInMissingVolume()
    {
        if (m_session.ReadNumber(RecreateCleanup.CountVolumes) == 0)
            return false;
        return m_session.ReadNumber(AnyBlockOfMissingVolume) != 0;
    }

    private bool Any(string sql, long entriesInList)
    {
        using var any = m_session.Take(sql);
        return any.Bind(1, entriesInList).ExecuteInt64(0) != 0;
    }

    private void Collect(SQLiteHelper.Statements.Statement hashes, HashSet<string> seen, List<string> result)
    {
        while (hashes.Read())
        {
            var hash = hashes.GetString(0)!;
            if (m_blocklists.Contains(m_keys.OfText(hash, 0)) && seen.Add(hash))
                result.Add(hash);
        }
    }

    private void ReadNewBlocklistHashes()
    {
        using var rows = m_session.Take(NewBlocklistHashes);
        rows.Bind(1, m_lastBlocklistRow);
        while (rows.Read())
        {
            m_blocklists.Set(m_keys.OfText(rows.GetString(1)!, 0), 0);
            m_lastBlocklistRow = Math.Max(m_lastBlocklistRow, rows.GetInt64(0));
        }
    }
}
