// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

internal static class ImpossibleSql
{
    // Block_IndexByVolumeId and BlockHashVolumeID, or Block in full twice while these are deferred; a set of the hashes of missing blocks.
    internal const string BlocksOfOtherSize = """
        SELECT b."ID" FROM "Block" b
        WHERE b."VolumeID" < 0 AND b."Hash" IN (
            SELECT o."Hash" FROM "Block" o WHERE o."VolumeID" >= 0 AND o."Hash" IN (SELECT m."Hash" FROM "Block" m WHERE m."VolumeID" < 0))
        """;

    // BlocksetEntry_IndexIdsBackwards, or BlocksetEntry in full while that is deferred; ?1 = a list of ids as JSON.
    internal const string BlocksetsOfBlocks = """
        SELECT DISTINCT "BlocksetID" FROM "BlocksetEntry" WHERE "BlockID" IN (SELECT "value" FROM json_each(?1))
        """;

    // FileLookup in full, or its indexes; ?1 = a list of ids as JSON, ?2 = most rows.
    internal const string Paths =
        """
            SELECT p."Prefix" || f."Path" FROM "FileLookup" f JOIN "PathPrefix" p ON p."ID" = f."PrefixID"
            WHERE f."ID" IN (
            """
        + Files
        + """
            ) ORDER BY 1 LIMIT ?2
            """;

    // FilesetEntry in full, or FilesetentryFileIdIndex.
    internal const string DeleteEntries = """DELETE FROM "FilesetEntry" WHERE "FileID" IN (""" + Files + ")";

    // BlocklistHashBlocksetIDIndex.
    internal const string DeleteLists = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" IN (SELECT "value" FROM json_each(?1))""";

    // Row id. No volume has the id 0, so that they go with the lost blocks.
    internal const string GiveUpBlocks = """UPDATE "Block" SET "VolumeID" = 0 WHERE "ID" IN (SELECT "value" FROM json_each(?1))""";

    // FileLookup in full, or its indexes; ?1 = a list of blocksets as JSON.
    private const string Files = """
        SELECT l."ID" FROM "FileLookup" l
        WHERE l."BlocksetID" IN (SELECT "value" FROM json_each(?1))
            OR l."MetadataID" IN (SELECT m."ID" FROM "Metadataset" m WHERE m."BlocksetID" IN (SELECT "value" FROM json_each(?1)))
        """;
}
