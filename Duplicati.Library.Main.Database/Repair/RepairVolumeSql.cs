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
