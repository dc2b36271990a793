#nullable enable

namespace Duplicati.Library.Main.Database.Backup;

internal static class BackupVolumeSql
{
    // Reads Remotevolume and IndexBlockLink, a row a volume each.
    internal const string WithoutIndex = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Blocks' AND "State" IN ('Uploaded', 'Verified')
          AND "ID" NOT IN (SELECT "BlockVolumeID" FROM "IndexBlockLink")
        ORDER BY "ID"
        """;

    // Row id of Remotevolume from the end; short, the newest volumes are block volumes.
    internal const string LastUploadedSize = """SELECT "Size" FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" = 'Uploaded' ORDER BY "ID" DESC LIMIT 1""";
}
