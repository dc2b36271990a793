// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Purge;

/// <summary>
/// Further copies of blocks (DuplicateBlock), which an interrupted compact leaves: what a missing volume held is not lost where another one
/// has a copy.
/// </summary>
internal static class FurtherCopies
{
    /// <summary>Block_IndexByVolumeId, the key of DuplicateBlock, Remotevolume by id. A copy in a whole volume goes first.</summary>
    private const string TAKE_OVER = """
        UPDATE "Block"
        SET "VolumeID" = COALESCE(
            (
                SELECT "d"."VolumeID"
                FROM "DuplicateBlock" "d"
                CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "d"."VolumeID"
                WHERE "d"."BlockID" = "Block"."ID"
                    AND "v"."Type" = 'Blocks'
                    AND "v"."State" IN ('Uploaded', 'Verified')
                    AND "v"."ID" NOT IN (SELECT "value" FROM json_each($missing))
                ORDER BY "v"."ID" IN (SELECT "value" FROM json_each($resized)), "v"."ID"
                LIMIT 1),
            "VolumeID")
        WHERE "VolumeID" IN (SELECT "value" FROM json_each($missing))
            AND EXISTS (SELECT 1 FROM "DuplicateBlock" "d" WHERE "d"."BlockID" = "Block"."ID")
        """;

    /// <summary>
    /// The volume that a block is in is not listed among those that have a copy of it, too. DuplicateBlock in full, Block by id.
    /// </summary>
    private const string SETTLE = """
        DELETE FROM "DuplicateBlock"
        WHERE "VolumeID" = (SELECT "b"."VolumeID" FROM "Block" "b" WHERE "b"."ID" = "DuplicateBlock"."BlockID")
        """;

    /// <summary>Gives blocks of missing volumes to one that has a copy, where there is one. Does not commit.</summary>
    /// <param name="database">The database.</param>
    /// <param name="missing">Ids of the volumes that are missing.</param>
    /// <param name="resized">Ids of volumes of another size than recorded, which may not hold all that is recorded.</param>
    internal static void TakeOver(LocalDatabase database, IEnumerable<long> missing, IEnumerable<long> resized)
    {
        var (gone, doubtful) = ($"[{string.Join(',', missing)}]", $"[{string.Join(',', resized)}]");
        if (DumpQuery.Execute(database.Connection, TAKE_OVER, ("$missing", gone), ("$resized", doubtful)) > 0)
            DumpQuery.Execute(database.Connection, SETTLE);
    }
}
