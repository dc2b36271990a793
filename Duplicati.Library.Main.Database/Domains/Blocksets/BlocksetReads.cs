// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>Questions about blocksets and their blocklists.</summary>
internal static class BlocksetReads
{
    // Covering: BlocksetFullHash.
    internal const string FindSql = """SELECT "ID" FROM "Blockset" WHERE "FullHash" = ?1 AND "Length" = ?2""";

    // Primary key of BlocksetEntry, row id of Block; for one blockset. Rows of blocks go with lost volumes.
    internal const string AnyLostEntry = """
        SELECT 1 FROM "BlocksetEntry"
        WHERE "BlocksetEntry"."BlocksetID" = ?1
          AND NOT EXISTS (SELECT 1 FROM "Block" WHERE "Block"."ID" = "BlocksetEntry"."BlockID")
        LIMIT 1
        """;

    // Reads BlocklistHash; RemotevolumeName, BlockHashSize.
    internal const string BlocklistsInVolumeSql = """
        SELECT DISTINCT "BlocklistHash"."Hash" FROM "BlocklistHash"
        WHERE EXISTS (
            SELECT 1 FROM "Block"
            WHERE "Block"."Hash" = "BlocklistHash"."Hash"
              AND "Block"."VolumeID" = (SELECT "Remotevolume"."ID" FROM "Remotevolume" WHERE "Remotevolume"."Name" = ?1))
        ORDER BY "BlocklistHash"."Hash"
        """;

    /// <summary>The id of the blockset with this content, or -1.</summary>
    internal static long Find(DatabaseSession session, string fullHash, long length)
    {
        using var find = session.Take(FindSql);
        return find.Bind(1, fullHash).Bind(2, length).ExecuteInt64();
    }

    /// <summary>Whether an entry of a blockset names a block that is not there. Linear in its entries.</summary>
    internal static bool HasLostEntries(DatabaseSession session, long id)
    {
        using var any = session.Take(AnyLostEntry);
        return any.Bind(1, id).ExecuteInt64() == 1;
    }

    /// <summary>
    /// Distinct hashes of the blocklists that are live blocks of a volume, sorted. Linear in the blocklists of the database.
    /// </summary>
    internal static string[] BlocklistsInVolume(DatabaseSession session, string volumeName)
    {
        var hashes = new List<string>();
        using var select = session.Take(BlocklistsInVolumeSql);
        for (select.Bind(1, volumeName); select.Read(); )
            hashes.Add(select.GetString(0)!);
        return [.. hashes];
    }
}
