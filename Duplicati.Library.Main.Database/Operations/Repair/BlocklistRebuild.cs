// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Security.Cryptography;
using Duplicati.Library.Interface;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>
/// Makes the blocklists of a blockset from its blocks: the digests in index order, as many as fit into a block, hashed. A blocklist
/// is a block itself, and must be stored in some volume.
/// </summary>
/// <remarks>Holds one blocklist, at most the size of a block, in memory.</remarks>
internal sealed class BlocklistRebuild
{
    // One pass over BlocksetEntry_BlocksetID; BlocklistHashBlocksetIDIndex for the blocksets of several blocks.
    internal const string IncompleteSql = """
        SELECT c."BlocksetID", c."Blocks"
        FROM (SELECT "BlocksetID", COUNT(*) AS "Blocks" FROM "BlocksetEntry" GROUP BY "BlocksetID" HAVING COUNT(*) > 1) c
        WHERE (c."Blocks" + ?1 - 1) / ?1 <> (SELECT COUNT(*) FROM "BlocklistHash" h WHERE h."BlocksetID" = c."BlocksetID")
        ORDER BY c."BlocksetID"
        """;

    // Key of BlocksetEntry, Block by id.
    private const string BlocksOfBlockset = """
        SELECT e."Index", b."Hash"
        FROM "BlocksetEntry" e CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1
        ORDER BY e."Index"
        """;

    // DeletedBlockHashSize, Remotevolume by id; the newest first.
    private const string FindDeletedBlock = """
        SELECT d."ID", d."VolumeID"
        FROM "DeletedBlock" d CROSS JOIN "Remotevolume" v ON v."ID" = d."VolumeID"
        WHERE d."Hash" = ?1 AND d."Size" = ?2 AND v."Type" = 'Blocks' AND v."State" IN ('Uploaded', 'Verified')
        ORDER BY d."ID" DESC LIMIT 1
        """;

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRepairDatabase>();

    private readonly DatabaseSession m_session;
    private readonly HashAlgorithm m_hasher;
    private readonly byte[] m_blocklist;
    private int m_length;

    private BlocklistRebuild(DatabaseSession session, HashAlgorithm hasher, long blocksize)
    {
        m_session = session;
        m_hasher = hasher;
        m_blocklist = new byte[blocksize / DigestBytes * DigestBytes];
    }

    private int DigestBytes => m_hasher.HashSize / 8;

    /// <summary>Returns whether there was anything to do.</summary>
    internal static bool Fix(DatabaseSession session, string algorithm, long blocksize)
    {
        using var hasher = Digest.Create(algorithm);
        var hashesPerBlock = blocksize / (hasher.HashSize / 8);
        var incomplete = session.AskBeforeWriting(hashesPerBlock, Incomplete, static x => x.Count > 0);
        if (incomplete.Count == 0)
            return false;

        Log.WriteInformationMessage(
            LOGTAG,
            "MissingBlocklistHashes",
            "Found {0} blocksets with missing blocklist hashes, repairing",
            incomplete.Count
        );
        var maker = new BlocklistRebuild(session, hasher, blocksize);
        foreach (var (blocksetId, blocks) in incomplete)
            maker.Rebuild(blocksetId, blocks);

        var left = Incomplete(session, hashesPerBlock).Count;
        if (left != 0)
            throw new UserInformationException(
                $"The repair failed, {left} blocksets still lack blocklist hashes.",
                "MissingBlocklistHashesRepairFailed"
            );

        Log.WriteInformationMessage(LOGTAG, "MissingBlocklisthashesRepaired", "Missing blocklist hashes repaired successfully");
        return true;
    }

    private static List<(long BlocksetId, long Blocks)> Incomplete(DatabaseSession session, long hashesPerBlock)
    {
        var result = new List<(long, long)>();
        using var rows = session.Take(IncompleteSql);
        for (rows.Bind(1, hashesPerBlock); rows.Read(); )
            result.Add((rows.GetInt64(0), rows.GetInt64(1)));
        return result;
    }

    private void Rebuild(long blocksetId, long blocks)
    {
        using (var delete = m_session.Take(BlocksetWrites.DeleteBlocklists))
            delete.Bind(1, blocksetId).ExecuteNonQuery();

        m_length = 0;
        var (next, position) = (0L, 0L);
        using var rows = m_session.Take(BlocksOfBlockset);
        for (rows.Bind(1, blocksetId); rows.Read(); next++)
        {
            if (rows.GetInt64(0) != next)
                throw new Exception($"Blockset {blocksetId} has no block at position {next}.");

            Append(blocksetId, rows.GetString(1)!);
            if (m_length == m_blocklist.Length)
                Write(blocksetId, position++);
        }

        if (next != blocks)
            throw new Exception($"Blockset {blocksetId} has {blocks} entries, but only {next} of their blocks are known.");
        if (m_length > 0)
            Write(blocksetId, position);
    }

    private void Append(long blocksetId, string hash)
    {
        if (!Convert.TryFromBase64String(hash, m_blocklist.AsSpan(m_length), out var written) || written != DigestBytes)
            throw new Exception($"A block of blockset {blocksetId} has the hash {hash}, which is no digest of {DigestBytes} bytes.");
        m_length += written;
    }

    private void Write(long blocksetId, long position)
    {
        var hash = Convert.ToBase64String(m_hasher.ComputeHash(m_blocklist, 0, m_length));
        EnsureBlock(blocksetId, hash, m_length);
        using var insert = m_session.Take(BlocksetWrites.InsertBlocklist);
        insert.Bind(1, blocksetId).Bind(2, position).Bind(3, hash).ExecuteNonQuery();
        m_length = 0;
    }

    private void EnsureBlock(long blocksetId, string hash, long size)
    {
        using (var find = m_session.Take(BlockSql.FindId))
        {
            if (find.Bind(1, hash).Bind(2, size).ExecuteInt64() >= 0)
                return;
        }

        using var deleted = m_session.Take(FindDeletedBlock);
        if (!deleted.Bind(1, hash).Bind(2, size).Read())
            throw new Exception($"The blocklist {hash} ({size} bytes) of blockset {blocksetId} is stored in no volume.");

        var (deletedId, volumeId) = (deleted.GetInt64(0), deleted.GetInt64(1));
        deleted.Reset();
        var id = m_session.ReadNumber(BlockSql.LastId) + 1;
        using var add = m_session.Take(BlockSql.Insert);
        add.Bind(1, id).Bind(2, hash).Bind(3, size).Bind(4, volumeId).ExecuteNonQuery();
        using var delete = m_session.Take(DeletedBlockSql.Delete);
        delete.Bind(1, deletedId).ExecuteNonQuery();
    }
}
