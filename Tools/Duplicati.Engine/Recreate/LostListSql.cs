// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Engine.Recreate;

/// <summary>The statements of <see cref="LostList"/>.</summary>
internal static class LostListSql
{
    /// <summary>Lists whose first block is not at its place in a file. BlocklistHash in full, the key of BlocksetEntry.</summary>
    internal const string UNKNOWN = """
        SELECT DISTINCT l."Hash" FROM "BlocklistHash" l
        WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * $hashes)
        """;

    /// <summary>Another volume has a copy. BlockHashSize, the key of DuplicateBlock.</summary>
    internal const string MOVE = """
        UPDATE "Block"
        SET "VolumeID" = (SELECT "VolumeID" FROM "DuplicateBlock" WHERE "BlockID" = "Block"."ID" AND "VolumeID" <> $volume)
        WHERE "Hash" = $hash AND "VolumeID" = $volume
          AND EXISTS (SELECT 1 FROM "DuplicateBlock" WHERE "BlockID" = "Block"."ID" AND "VolumeID" <> $volume)
        """;

    /// <summary>
    /// The volume that a block is in is not listed among those that have a copy of it, too. BlockHashSize, the key of DuplicateBlock.
    /// </summary>
    internal const string SETTLE = """
        DELETE FROM "DuplicateBlock"
        WHERE ("BlockID", "VolumeID") IN (SELECT "ID", "VolumeID" FROM "Block" WHERE "Hash" = $hash)
        """;

    /// <summary>No other volume has one. BlockHashSize.</summary>
    internal const string FORGET = """DELETE FROM "Block" WHERE "Hash" = $hash AND "VolumeID" = $volume""";
}
