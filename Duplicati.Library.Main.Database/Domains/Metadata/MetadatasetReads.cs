// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Metadata;

/// <summary>Questions about stored metadata.</summary>
internal static class MetadatasetReads
{
    // BlocksetFullHash, MetadatasetBlocksetID, primary key of BlocksetEntry, row id of Block.
    private const string FindSql = """
        SELECT "Metadataset"."ID"
        FROM "Blockset" CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "Blockset"."ID"
        WHERE "Blockset"."FullHash" = ?1 AND "Blockset"."Length" = ?2
          AND NOT EXISTS (
            SELECT 1 FROM "BlocksetEntry" LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "Block"."ID" IS NULL)
        LIMIT 1
        """;

    /// <summary>Returned for metadata without content, which is never stored.</summary>
    internal const long NoContent = -2;

    /// <summary>
    /// The id of the metadata with this content; -1 if there is none, or a block of it was lost, <see cref="NoContent"/> for a size of 0 or
    /// less.
    /// </summary>
    internal static long Find(DatabaseSession session, string hash, long size)
    {
        if (size <= 0)
            return NoContent;

        using var find = session.Take(FindSql);
        return find.Bind(1, hash).Bind(2, size).ExecuteInt64();
    }
}
