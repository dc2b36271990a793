#nullable enable

namespace Duplicati.Library.Main.Database.Blocks;

internal static class DeletedBlockSql
{
    // Covering DeletedBlockHashVolumeID or DeletedBlockHashSize; reads at most one row more than may be kept.
    internal const string Keys = """SELECT DISTINCT "Hash", "Size" FROM "DeletedBlock" LIMIT ?1""";

    // DeletedBlockHashSize, backwards; row id of Remotevolume.
    internal const string Find = """
        SELECT "DeletedBlock"."ID", "DeletedBlock"."VolumeID" FROM "DeletedBlock"
        WHERE "DeletedBlock"."Hash" = ?1 AND "DeletedBlock"."Size" = ?2
          AND (SELECT "Remotevolume"."State" FROM "Remotevolume" WHERE "Remotevolume"."ID" = "DeletedBlock"."VolumeID") NOT IN ('Deleting', 'Deleted')
        ORDER BY "DeletedBlock"."ID" DESC
        LIMIT 1
        """;

    // By row id.
    internal const string Delete = """DELETE FROM "DeletedBlock" WHERE "ID" = ?1""";
}
