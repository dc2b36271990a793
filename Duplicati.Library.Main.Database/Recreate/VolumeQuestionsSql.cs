// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

internal static class VolumeQuestionsSql
{
    // BlocklistHash in full, one probe of BlocksetEntry's primary key each. ?1 = entries in a full blocklist.
    internal const string AnyMissingBlocklist = """
        SELECT 1 FROM "BlocklistHash" l
        WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * ?1)
        LIMIT 1
        """;

    // As above for the inner set, then BlockHashSize for each hash of it; Block in full while that index is deferred.
    internal const string HoldingMissingBlocklists = """
        SELECT "ID", "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "State" <> 'Temporary' AND "ID" IN (
            SELECT b."VolumeID" FROM "Block" b WHERE b."Hash" IN (
                SELECT l."Hash" FROM "BlocklistHash" l
                WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * ?1)))
        ORDER BY "ID"
        """;

    // Block_IndexByVolumeId.
    internal const string AnyBlockWithoutVolume = """SELECT 1 FROM "Block" WHERE "VolumeID" < 0 AND "Size" > 0 LIMIT 1""";

    // Block_IndexByVolumeId, or Block in full while that is deferred; only where a volume is missing.
    internal const string AnyBlockOfMissingVolume = """
        SELECT 1 FROM "Block" WHERE "VolumeID" IN (SELECT "ID" FROM "Remotevolume" WHERE "State" = 'Temporary') AND "Size" > 0 LIMIT 1
        """;

    // As the inner set above, then BlockHashSize.
    internal const string AnyMissingBlocklistWithBlock = """
        SELECT 1 FROM "Block" b WHERE b."Hash" IN (
            SELECT l."Hash" FROM "BlocklistHash" l
            WHERE NOT EXISTS (SELECT 1 FROM "BlocksetEntry" e WHERE e."BlocksetID" = l."BlocksetID" AND e."Index" = l."Index" * ?1))
        LIMIT 1
        """;

    // Remotevolume in full, a look-up in Block_IndexByVolumeId each (in a set made of Block while that is deferred).
    internal const string WithoutBlocks = """
        SELECT "ID", "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "Type" = 'Blocks' AND "State" <> 'Temporary' AND "ID" NOT IN (SELECT "VolumeID" FROM "Block")
        ORDER BY "ID"
        """;

    // Remotevolume in full.
    internal const string All = """
        SELECT "ID", "Name", "Hash", "Size" FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" <> 'Temporary' ORDER BY "ID"
        """;

    // Row id range; each row once over the life of an object.
    internal const string NewBlocklistHashes = """SELECT rowid, "Hash" FROM "BlocklistHash" WHERE rowid > ?1""";

    // Block_IndexByVolumeId.
    internal const string HashesOfVolume = """SELECT "Hash" FROM "Block" WHERE "VolumeID" = ?1""";

    // Row id range.
    internal const string HashesOfRange = """SELECT "Hash" FROM "Block" WHERE "ID" BETWEEN ?2 AND ?3 AND "VolumeID" = ?1""";
}
