// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

internal static class RepairVolumeSql
{
    // One row a volume in both tables.
    internal const string IndexesOf = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Index' AND "ID" IN (SELECT "IndexVolumeID" FROM "IndexBlockLink" WHERE "BlockVolumeID" = ?1)
        ORDER BY "ID"
        """;

    // One row a volume in both tables, RemotevolumeNameOnly.
    internal const string DescribedBy = """
        SELECT "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "ID" IN (
            SELECT "BlockVolumeID" FROM "IndexBlockLink"
            WHERE "IndexVolumeID" = (SELECT "Index"."ID" FROM "Remotevolume" AS "Index" WHERE "Index"."Name" = ?1))
        ORDER BY "ID"
        """;

    // One row a volume, one row a version.
    internal const string ListsWithoutFileset = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Files' AND "State" NOT IN ('Deleting', 'Deleted') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        ORDER BY "ID"
        """;

    // One row a volume in both tables.
    internal const string EmptyIndexes = """
        SELECT "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "Type" = 'Index' AND "State" IN ('Uploaded', 'Verified') AND "ID" NOT IN (SELECT "IndexVolumeID" FROM "IndexBlockLink")
        ORDER BY "ID"
        """;
}

internal static class IndexCheckSql
{
    // BlockHashSize, Block by id.
    internal const string VolumeOfBlock = """SELECT "VolumeID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    // Whole table, once while it does not change.
    internal const string AllBlocklists = """SELECT "Hash", "BlocksetID", "Index" FROM "BlocklistHash" ORDER BY "BlocksetID", "Index" """;

    // Key of BlocksetEntry, Block by id.
    internal const string HashesInRange = """
        SELECT b."Hash"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1 AND e."Index" >= ?2 AND e."Index" < ?3
        ORDER BY e."Index"
        """;
}
