// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Metadata;

/// <summary>Finds a blockset that can stand in for lost metadata.</summary>
internal static class EmptyMetadataReads
{
    // The lost volumes are in the temporary table MissingVolume.

    // Row id of the temporary table.
    private const string InsertMissing = """INSERT OR IGNORE INTO temp."MissingVolume" ("ID") VALUES (?1)""";

    // BlocksetFullHash; as IsWhole.
    internal const string ByHash =
        """
            SELECT "Blockset"."ID" FROM "Blockset"
            WHERE "Blockset"."FullHash" = ?1 AND "Blockset"."Length" = ?2
              AND (?2 = 0 OR EXISTS (SELECT 1 FROM "BlocksetEntry" WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID"))
            """
        + IsWhole
        + " LIMIT 1";

    // Reads Blockset through BlocksetFullHash once a repair: there is no index on Length. As IsWhole.
    internal const string ByZeroLength =
        """
            SELECT "Blockset"."ID" FROM "Blockset"
            WHERE "Blockset"."Length" = 0
            """
        + IsWhole
        + " LIMIT 1";

    // Reads Metadataset once a repair; row id of Blockset; as IsWhole.
    internal const string Shortest =
        """
            SELECT "Blockset"."ID"
            FROM "Metadataset" CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
            WHERE "Blockset"."Length" > 0
              AND EXISTS (SELECT 1 FROM "BlocksetEntry" WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID")
            """
        + IsWhole
        + """ ORDER BY "Blockset"."Length", "Blockset"."ID" LIMIT 1""";

    // Primary key of BlocksetEntry, row ids of Block and Remotevolume. The rows of blocks may have gone with the lost volumes.
    internal const string IsWhole = """
         AND NOT EXISTS (
            SELECT 1 FROM "BlocksetEntry"
            LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            LEFT JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID"
              AND ("Remotevolume"."ID" IS NULL OR "Remotevolume"."Type" <> 'Blocks'
                OR "Remotevolume"."State" IN ('Deleted', 'Deleting', 'Temporary')
                OR "Remotevolume"."ID" IN (SELECT "ID" FROM temp."MissingVolume")))
        """;

    /// <summary>
    /// A blockset with the hash and length of empty metadata, else one of length 0, else the shortest metadata. Each of its blocks is in
    /// a block volume that is neither missing nor going nor only begun. -1 if there is none.
    /// </summary>
    internal static long Find(DatabaseSession session, IEnumerable<long> missingVolumeIds, string emptyHash, long emptyLength)
    {
        SelectMissing(session, missingVolumeIds);
        using var byHash = session.Take(ByHash);
        var id = byHash.Bind(1, emptyHash).Bind(2, emptyLength).ExecuteInt64();
        if (id < 0 && emptyLength != 0)
            id = Find(session, ByZeroLength);
        return id < 0 ? Find(session, Shortest) : id;
    }

    /// <summary>Puts the lost volumes into the temporary table.</summary>
    internal static void SelectMissing(DatabaseSession session, IEnumerable<long> volumeIds)
    {
        MetadataTables.MissingVolume.Reset(session);
        using var insert = session.Take(InsertMissing);
        foreach (var id in volumeIds)
            insert.Bind(1, id).ExecuteNonQuery();
    }

    private static long Find(DatabaseSession session, string sql) => session.ReadNumber(sql, ifNone: -1);
}

/// <summary>
/// The temporary tables of questions about metadata. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class MetadataTables
{
    // Volumes that are missing at the remote end, by id.
    private const string CreateMissingVolume = """CREATE TEMP TABLE IF NOT EXISTS "MissingVolume" ("ID" INTEGER PRIMARY KEY)""";

    internal static readonly TempTable MissingVolume = new("MissingVolume", CreateMissingVolume);
}
