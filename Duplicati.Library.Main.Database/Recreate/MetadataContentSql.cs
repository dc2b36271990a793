#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

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
