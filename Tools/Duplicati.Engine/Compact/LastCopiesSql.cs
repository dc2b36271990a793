// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Compact;

/// <summary>The statements about further copies of blocks.</summary>
internal static class LastCopiesSql
{
    /// <summary>Volumes with further copies of blocks. Reads all rows of UniqueBlockVolumeDuplicateBlock.</summary>
    internal const string HOLDERS = """SELECT DISTINCT "VolumeID" FROM "DuplicateBlock" """;

    /// <summary>
    /// Each further copy in a volume that is there, with the volume that is recorded for the block. Reads all rows of
    /// UniqueBlockVolumeDuplicateBlock in its order; Block and Remotevolume by id.
    /// </summary>
    internal const string COPIES = """
        SELECT "d"."BlockID", "b"."VolumeID", "d"."VolumeID"
        FROM "DuplicateBlock" "d"
        CROSS JOIN "Block" "b" ON "b"."ID" = "d"."BlockID"
        CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "d"."VolumeID"
        WHERE "v"."State" IN ('Uploaded', 'Verified')
        ORDER BY "d"."BlockID", "d"."VolumeID"
        """;
}
