// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Buffers;
using System.Buffers.Text;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>Questions about what is physically in a volume.</summary>
internal static class VolumeBlocksReads
{
    // Block_IndexByVolumeId; reads DeletedBlock and DuplicateBlock, which have no index on VolumeID.
    private const string InVolume = """
        SELECT "Hash", "Size" FROM "Block" WHERE "VolumeID" = ?1
        UNION
        SELECT "Hash", "Size" FROM "DeletedBlock" WHERE "VolumeID" = ?1
        UNION
        SELECT "Block"."Hash", "Block"."Size" FROM "DuplicateBlock" CROSS JOIN "Block" ON "Block"."ID" = "DuplicateBlock"."BlockID"
        WHERE "DuplicateBlock"."VolumeID" = ?1
        """;

    // Reads BlocklistHash, which has no index on Hash, in the order of BlocklistHashBlocksetIDIndex; Block_IndexByVolumeId; reads
    // DuplicateBlock, which has no index on VolumeID.
    private const string BlocklistsInVolume = """
        SELECT "Hash", "BlocksetID", "Index" FROM "BlocklistHash"
        WHERE "Hash" IN (
            SELECT "Hash" FROM "Block" WHERE "VolumeID" = ?1
            UNION
            SELECT "Block"."Hash" FROM "DuplicateBlock" CROSS JOIN "Block" ON "Block"."ID" = "DuplicateBlock"."BlockID"
            WHERE "DuplicateBlock"."VolumeID" = ?1)
        ORDER BY "BlocksetID", "Index"
        """;

    // Primary key of BlocksetEntry, row id of Block.
    private const string BlocklistItems = """
        SELECT "Block"."Hash" FROM "BlocksetEntry" LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        WHERE "BlocksetEntry"."BlocksetID" = ?1 AND "BlocksetEntry"."Index" >= ?2 AND "BlocksetEntry"."Index" < ?3
        ORDER BY "BlocksetEntry"."Index"
        """;

    // Index BlockSize.
    private const string CountLargerSql = """SELECT COUNT(*) FROM "Block" WHERE "Size" > ?1""";

    /// <summary>The distinct blocks of a volume: live, deleted and duplicate ones.</summary>
    internal static List<LocalDatabase.IBlock> Blocks(DatabaseSession session, long volumeId)
    {
        using var select = session.Take(InVolume);
        return select
            .Bind(1, volumeId)
            .ReadAll<LocalDatabase.IBlock>(static row => new LocalDatabase.Block(row.GetString(0)!, row.GetInt64(1)));
    }

    /// <summary>
    /// The blocklists among the live and duplicate blocks of a volume, rebuilt from the entries of a blockset that uses them; each
    /// hash once, in the order of blocksets and entries. Linear in the blocklists of the database and in the entries of those found.
    /// </summary>
    /// <exception cref="Exception">An entry has no block, or its hash is not a digest of that length.</exception>
    internal static List<BlocklistContent> Blocklists(DatabaseSession session, long volumeId, long blocksize, int hashsize)
    {
        var result = new List<BlocklistContent>();
        var seen = new HashSet<string>(StringComparer.Ordinal);
        var buffer = new byte[blocksize];
        using var select = session.Take(BlocklistsInVolume);
        using var items = session.Take(BlocklistItems);
        select.Bind(1, volumeId);
        while (select.Read())
        {
            var hash = select.GetString(0)!;
            if (!seen.Add(hash))
                continue;

            var first = select.GetInt64(2) * (blocksize / hashsize);
            items.Bind(1, select.GetInt64(1)).Bind(2, first).Bind(3, first + (blocksize / hashsize));
            result.Add(new BlocklistContent(hash, buffer.AsSpan(0, ReadDigests(items, buffer, hashsize)).ToArray()));
        }

        return result;
    }

    /// <summary>Number of blocks larger than a size in bytes.</summary>
    internal static long CountLarger(DatabaseSession session, long size)
    {
        using var count = session.Take(CountLargerSql);
        return count.Bind(1, size).ExecuteInt64(0);
    }

    private static int ReadDigests(Statement items, byte[] buffer, int hashsize)
    {
        var length = 0;
        while (items.Read())
        {
            var hash = items.GetUtf8(0);
            if (hash.IsEmpty)
                throw new Exception("An entry of a blockset has no block.");

            var status = Base64.DecodeFromUtf8(hash, buffer.AsSpan(length), out _, out var written);
            if (status != OperationStatus.Done || written != hashsize)
                throw new Exception($"The hash {items.GetString(0)} of a block is not a digest of {hashsize} bytes.");
            length += written;
        }

        return length;
    }
}

/// <summary>A blocklist as it is stored in a volume.</summary>
/// <param name="Hash">The Base64 block hash of the content.</param>
/// <param name="Digests">The content: raw digests, one after the other, without padding.</param>
internal readonly record struct BlocklistContent(string Hash, byte[] Digests);
