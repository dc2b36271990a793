#nullable enable

namespace Duplicati.Library.Main.Database.Metadata;

internal static class MetadatasetSql
{
    // BlocksetFullHash, MetadatasetBlocksetID.
    internal const string Find = """
        SELECT "Metadataset"."ID"
        FROM "Blockset" CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "Blockset"."ID"
        WHERE "Blockset"."FullHash" = ?1 AND "Blockset"."Length" = ?2
        LIMIT 1
        """;

    // Appends by row id.
    internal const string Insert = """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (?1, ?2)""";
}
