#nullable enable

namespace Duplicati.Library.Main.Database.Repair;

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
