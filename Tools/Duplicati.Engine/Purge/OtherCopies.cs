// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Purge;

/// <summary>
/// Further copies of blocks (DuplicateBlock), which an interrupted compact leaves: what it has copied is not lost with the volume that is
/// recorded for it.
/// </summary>
internal static class OtherCopies
{
    /// <summary>
    /// The blocks of a volume move to the newest other one that is there and has a copy. Block_IndexByVolumeId, the key of DuplicateBlock,
    /// Remotevolume by id.
    /// </summary>
    private const string MOVE = """
        UPDATE "Block"
        SET "VolumeID" = IFNULL(
            (
                SELECT MAX("v"."ID")
                FROM "DuplicateBlock" "d"
                CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "d"."VolumeID"
                WHERE "d"."BlockID" = "Block"."ID" AND "v"."Type" = 'Blocks' AND "v"."State" IN ('Uploaded', 'Verified')),
            "VolumeID")
        WHERE "VolumeID" = $volume
        """;

    /// <summary>
    /// The volume that a block is in is not listed among those that have a copy of it, too. Reads all rows of DuplicateBlock; Block by id.
    /// </summary>
    private const string SETTLE = """
        DELETE FROM "DuplicateBlock"
        WHERE "VolumeID" = (SELECT "b"."VolumeID" FROM "Block" "b" WHERE "b"."ID" = "DuplicateBlock"."BlockID")
        """;

    /// <summary>
    /// Moves the blocks of lost volumes to others that are complete by their states, which the lost ones must not be any more. Does not
    /// commit.
    /// </summary>
    internal static void Use(LocalDatabase database, IEnumerable<long> lost)
    {
        var moved = 0;
        foreach (var volume in lost)
            moved += DumpQuery.Execute(database.Connection, MOVE, ("$volume", volume));
        if (moved > 0)
            DumpQuery.Execute(database.Connection, SETTLE);
    }
}
