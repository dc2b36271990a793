// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Metadata;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>Content that can take the place of lost metadata: what there is, and what is added for it. Nothing here commits.</summary>
/// <remarks>
/// Usable is content with a length, whose blocks are all in block volumes that are neither among those given nor in state Deleted,
/// Deleting or Temporary, that has the length of its blocks together, and whose blocklists are there. Must be called with the connection
/// lock held.
/// </remarks>
internal static class ReplacementMetadata
{
    // The volumes that cannot be used are in the temporary table MissingVolume.

    // BlocksetFullHash; as Usable.
    internal const string Exact =
        """SELECT "Blockset"."ID" FROM "Blockset" WHERE "Blockset"."FullHash" = ?1 AND "Blockset"."Length" = ?2 AND """
        + Usable
        + """ ORDER BY "Blockset"."ID" LIMIT 1""";

    // Reads Metadataset once an operation; row id of Blockset; as Usable.
    internal const string Smallest =
        """SELECT "Blockset"."ID" FROM "Metadataset" CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID" WHERE """
        + Usable
        + """ ORDER BY "Blockset"."Length", "Blockset"."ID" LIMIT 1""";

    // BlockHashSize, row id of Remotevolume.
    internal const string AvailableBlock = """
        SELECT "Block"."ID"
        FROM "Block" CROSS JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID"
        WHERE "Block"."Hash" = ?1 AND "Block"."Size" = ?2
          AND "Remotevolume"."Type" = 'Blocks' AND "Remotevolume"."State" NOT IN ('Deleted', 'Deleting', 'Temporary')
          AND "Remotevolume"."ID" NOT IN (SELECT "ID" FROM temp."MissingVolume")
        LIMIT 1
        """;

    // As EmptyMetadataReads.IsWhole; BlocklistHashBlocksetIDIndex, BlockHashSize.
    private const string Usable =
        """
            "Blockset"."Length" > 0
            AND "Blockset"."Length" = (
                SELECT SUM("Block"."Size") FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
                WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID")
            """
        + EmptyMetadataReads.IsWhole
        + """
             AND NOT EXISTS (
                SELECT 1 FROM "BlocklistHash"
                WHERE "BlocklistHash"."BlocksetID" = "Blockset"."ID" AND NOT EXISTS (
                    SELECT 1 FROM "Block" CROSS JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID"
                    WHERE "Block"."Hash" = "BlocklistHash"."Hash" AND "Remotevolume"."Type" = 'Blocks'
                      AND "Remotevolume"."State" NOT IN ('Deleted', 'Deleting', 'Temporary')
                      AND "Remotevolume"."ID" NOT IN (SELECT "ID" FROM temp."MissingVolume")))
            """;

    // Row id.
    private const string SizeOfBlock = """SELECT "Size" FROM "Block" WHERE "ID" = ?1""";

    // Primary key.
    private const string InsertEntry = """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?1, 0, ?2)""";

    // MetadatasetBlocksetID.
    private const string MetadataOf = """SELECT "ID" FROM "Metadataset" WHERE "BlocksetID" = ?1 ORDER BY "ID" LIMIT 1""";

    /// <summary>Usable content with this hash and length, or -1.</summary>
    internal static long FindExact(DatabaseSession session, IEnumerable<long> missingVolumeIds, string fullHash, long size)
    {
        EmptyMetadataReads.SelectMissing(session, missingVolumeIds);
        using var find = session.Take(Exact);
        return find.Bind(1, fullHash).Bind(2, size).ExecuteInt64();
    }

    /// <summary>The shortest usable content of metadata, or -1. Reads all metadata.</summary>
    internal static long FindSmallest(DatabaseSession session, IEnumerable<long> missingVolumeIds)
    {
        EmptyMetadataReads.SelectMissing(session, missingVolumeIds);
        return session.ReadNumber(Smallest, ifNone: -1);
    }

    /// <summary>A block in a volume that can be used, or -1.</summary>
    internal static long FindBlock(DatabaseSession session, IEnumerable<long> missingVolumeIds, string hash, long size)
    {
        EmptyMetadataReads.SelectMissing(session, missingVolumeIds);
        using var find = session.Take(AvailableBlock);
        return find.Bind(1, hash).Bind(2, size).ExecuteInt64();
    }

    /// <summary>Says that a volume holds a block: a known one moves there, another one is added.</summary>
    internal static LocalListBrokenFilesDatabase.BlockRegistration Register(DatabaseSession session, string hash, long size, long volumeId)
    {
        session.BeginWriting();
        long id;
        using (var find = session.Take(BlockSql.FindId))
            id = find.Bind(1, hash).Bind(2, size).ExecuteInt64();
        if (id < 0)
        {
            id = new BlockAppender(session).Add(hash, size, volumeId);
            return new(id, hash, size, volumeId, null, true);
        }

        long previous;
        using (var volume = session.Take(BlockSql.VolumeOf))
            previous = volume.Bind(1, id).ExecuteInt64();
        Move(session, id, volumeId);
        return new(id, hash, size, volumeId, previous, false);
    }

    /// <summary>Takes a registration back.</summary>
    /// <exception cref="InvalidOperationException">The block is not where the registration has put it.</exception>
    internal static void RollBack(DatabaseSession session, LocalListBrokenFilesDatabase.BlockRegistration registration)
    {
        session.BeginWriting();
        using (var volume = session.Take(BlockSql.VolumeOf))
        {
            if (volume.Bind(1, registration.BlockId).ExecuteInt64(long.MinValue) != registration.VolumeId)
                throw new InvalidOperationException($"The block {registration.Hash} is not in the volume that it was registered for.");
        }

        if (registration.PreviousVolumeId is { } previous)
        {
            Move(session, registration.BlockId, previous);
            return;
        }

        using var delete = session.Take(BlockSql.DeleteBlock);
        delete.Bind(1, registration.BlockId).ExecuteNonQuery();
    }

    /// <summary>Adds content of one block. What is left of the same content, whose blocks were lost, is made of the block again.</summary>
    /// <exception cref="ArgumentException">There is not exactly one block, or it has another size.</exception>
    internal static long Create(DatabaseSession session, string fullHash, long size, IReadOnlyList<long> blockIds)
    {
        if (blockIds.Count != 1)
            throw new ArgumentException($"Metadata of one block were to be added, {blockIds.Count} blocks were given.", nameof(blockIds));
        session.BeginWriting();
        using (var block = session.Take(SizeOfBlock))
        {
            if (block.Bind(1, blockIds[0]).ExecuteInt64() is var found && (found != size || size <= 0))
                throw new ArgumentException($"Metadata of {size} bytes cannot be a block of {found} bytes.", nameof(blockIds));
        }

        var id = BlocksetReads.Find(session, fullHash, size);
        if (id < 0)
            id = BlocksetWrites.Insert(session, fullHash, size);
        else
            foreach (var sql in (string[])[BlocksetWrites.DeleteEntries, BlocksetWrites.DeleteBlocklists])
            {
                using var delete = session.Take(sql);
                delete.Bind(1, id).ExecuteNonQuery();
            }

        using var entry = session.Take(InsertEntry);
        entry.Bind(1, id).Bind(2, blockIds[0]).ExecuteNonQuery();
        return id;
    }

    /// <summary>The metadata with this content, which are added if there are none.</summary>
    internal static long GetOrCreate(DatabaseSession session, long blocksetId)
    {
        var id = session.FindBeforeInserting(blocksetId, Find);
        return id < 0 ? MetadatasetWrites.Add(session, blocksetId, null) : id;

        static long Find(DatabaseSession session, long blocksetId)
        {
            using var find = session.Take(MetadataOf);
            return find.Bind(1, blocksetId).ExecuteInt64();
        }
    }

    private static void Move(DatabaseSession session, long blockId, long volumeId)
    {
        using var update = session.Take(BlockSql.SetVolume);
        update.Bind(1, blockId).Bind(2, volumeId).ExecuteNonQuery();
    }
}
