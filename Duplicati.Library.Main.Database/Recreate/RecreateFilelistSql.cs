// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

internal static class RecreateFilelistSql
{
    // BlocksetFullHash.
    internal const string FindBlockset = """SELECT "ID" FROM "Blockset" WHERE "FullHash" = ?1 AND "Length" = ?2""";

    // Full table in row id order, once when a recreate goes on.
    internal const string ReadBlocksets = """SELECT "ID", "FullHash", "Length" FROM "Blockset" ORDER BY "ID" """;

    // Full table in row id order, once when a recreate goes on.
    internal const string ReadFiles = """SELECT "ID", "PrefixID", "Path", "BlocksetID", "MetadataID" FROM "FileLookup" ORDER BY "ID" """;

    // Appends by row id.
    internal const string InsertBlockset = """INSERT INTO "Blockset" ("Length", "FullHash") VALUES (?2, ?1)""";

    // Appends by row id.
    internal const string InsertBlocklistHash = """INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (?1, ?2, ?3)""";

    // MetadatasetBlocksetID.
    internal const string FindMetadataset = """SELECT "ID" FROM "Metadataset" WHERE "BlocksetID" = ?1 LIMIT 1""";

    // Appends by row id.
    internal const string InsertMetadataset = """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (?1, NULL)""";

    // FileLookupPath.
    internal const string FindFile = """
        SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = ?1 AND "Path" = ?2 AND "BlocksetID" = ?3 AND "MetadataID" = ?4
        """;

    // Appends by row id.
    internal const string InsertFile =
        """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (?1, ?2, ?3, ?4)""";

    // Primary key; the ids of one fileset come nearly in ascending order.
    internal const string InsertEntry = """INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (?1, ?2, ?3)""";
}

internal static class MetadataContentSql
{
    // Metadataset in full, then row ids and the primary key of BlocksetEntry; sorted at the end.
    internal const string ListMissing = """
        SELECT m."ID", s."Length", e."Index", b."Hash", b."Size", v."Name", v."Hash", v."Size"
        FROM "Metadataset" m
        CROSS JOIN "Blockset" s ON s."ID" = m."BlocksetID" AND s."Length" > 0
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = s."ID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID" AND b."Size" > 0 AND b."VolumeID" > 0
        CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID" AND v."Type" = 'Blocks'
        WHERE m."Content" IS NULL OR m."Content" = ''
        ORDER BY v."Name", m."ID", e."Index"
        """;

    // Row id.
    internal const string Set = """UPDATE "Metadataset" SET "Content" = ?2 WHERE "ID" = ?1 AND ("Content" IS NULL OR "Content" = '')""";
}
