#nullable enable

namespace Duplicati.Library.Main.Database.Blocks;

internal static class BlockSql
{
    // Covering: BlockHashSize.
    internal const string FindId = """SELECT "ID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    // By row id.
    internal const string KeyOfId = """SELECT "Hash", "Size" FROM "Block" WHERE "ID" = ?1""";

    // Last row by row id.
    internal const string MaxId = """SELECT MAX("ID") FROM "Block" """;

    // First row by row id.
    internal const string Any = """SELECT 1 FROM "Block" LIMIT 1""";

    // Whole table in row id order, once for each time the map is filled.
    internal const string All = """SELECT "ID", "Hash", "Size" FROM "Block" """;

    // Appends by row id.
    internal const string Insert = """INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES (?1, ?2, ?3, ?4)""";

    // By row id.
    internal const string MoveToVolume = """UPDATE "Block" SET "VolumeID" = ?1 WHERE "ID" = ?2 AND "VolumeID" = ?3""";

    // Covering: Block_IndexByVolumeId.
    internal const string AnyInVolume = """SELECT 1 FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1) LIMIT 1""";

    // Touches no table.
    internal const string DataVersion = "PRAGMA data_version";
}
