namespace Duplicati.Benchmarks.Techniques;

/// <summary>Answers of trials as one number, by content instead of by ids, and what puts a technique out of action.</summary>
internal static class TechniquesSql
{
    // Reads Block in row order.
    internal const string Blocks = """
        SELECT SUM((unicode("Hash") * 128 + unicode(substr("Hash", 2))) * 128 + unicode(substr("Hash", 3)) + "Size" * 7 + "VolumeID" % 8191 * 31) + COUNT(*) FROM "Block"
        """;

    // Reads BlocksetEntry in the order of its primary key; row ids of Blockset and Block.
    internal const string Entries = """
        SELECT SUM((e."Index" % 8191 + 1) * (unicode(s."FullHash") * 128 + unicode(substr(s."FullHash", 2))) * (unicode(b."Hash") * 128 + unicode(substr(b."Hash", 2))) % 1000000007) + COUNT(*)
        FROM "BlocksetEntry" e CROSS JOIN "Blockset" s ON s."ID" = e."BlocksetID" CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        """;

    // Reads Block by one of its indexes, and writes BlocksetEntry in the order of its primary key.
    internal const string UseFiveOfEight = """INSERT INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") SELECT 1, "ID", "ID" FROM "Block" WHERE "ID" % 8 > 2 ORDER BY "ID" """;

    // Reads both tables in row order.
    internal const string DeletedBlocks = """
        SELECT SUM("ID" % 1000003 * ((unicode("Hash") * 128 + unicode(substr("Hash", 2))) * 31 + "Size" % 8191 * 7 + "VolumeID" % 8191)) + (SELECT SUM("ID") FROM "Block") FROM "DeletedBlock"
        """;

    // Reads BlocksetEntry in the order of its primary key.
    internal const string EntryIds = """SELECT SUM(("BlocksetID" * 31 + "Index") % 1000003 * ("BlockID" % 8191 + 1)) + COUNT(*) FROM "BlocksetEntry" """;

    // Reads FilesetEntry in the order of its primary key.
    internal const string FilesetEntries = """SELECT SUM(("FilesetID" * 31 + "FileID") % 1000003 * ("Lastmodified" % 8191 + 1)) + COUNT(*) FROM "FilesetEntry" """;

    // Touches no table.
    internal const string OwnPace = "PRAGMA wal_autocheckpoint=999";

    // One row of no meaning: the tables are not empty any more.
    internal const string AddBlocklistHash = """INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (-1, 0, 'x')""";

    // BlocklistHashBlocksetIDIndex.
    internal const string RemoveBlocklistHash = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" = -1""";

    // Appends by row id: a change, and nothing that a check looks at.
    internal const string AddLogRow = """INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message", "Exception") VALUES (1, 0, 'x', 'x', NULL)""";

    // Touches no table.
    internal const string SortInFiles = "PRAGMA temp_store=FILE";

    // As a recreate begins.
    internal const string DropHashIndexes = """DROP INDEX "BlockHashSize"; DROP INDEX "BlockHashVolumeID" """;

    // Reads Block twice and sorts it.
    internal const string CreateHashIndexes = """
        CREATE UNIQUE INDEX "BlockHashSize" ON "Block" ("Hash", "Size");
        CREATE INDEX "BlockHashVolumeID" ON "Block" ("Hash", "VolumeID")
        """;

    // Reads Block in row order; Remotevolume by id.
    internal const string BlocksOfVolumes = """SELECT v."Name", b."Hash", b."Size" FROM "Block" b CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID" """;

    // Covering: BlockHashSize, whole.
    internal const string BlocksByHash = """SELECT "ID" FROM "Block" ORDER BY "Hash", "Size" """;
}
