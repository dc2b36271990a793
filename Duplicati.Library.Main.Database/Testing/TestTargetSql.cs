#nullable enable

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>Choosing volumes to test and counting the tests. Remotevolume has one row a volume and Fileset one a version.</summary>
internal static class TestTargetSql
{
    // Reads the whole table, one row a volume, in row order.
    internal const string Candidates = """
        SELECT "ID", "Name", "Type", "Size", "Hash", "VerificationCount"
        FROM "Remotevolume"
        WHERE "State" IN ('Uploaded', 'Verified') AND "ArchiveTime" = 0
        ORDER BY "ID"
        """;

    // Reads the whole table, one row a version.
    internal const string ListVolumes = """SELECT "ID", "VolumeID" FROM "Fileset" ORDER BY "Timestamp", "ID" """;

    // Index RemotevolumeNameOnly; reads the whole table for the highest count, one row a volume.
    internal const string CountVerification = """
        UPDATE "Remotevolume"
        SET "VerificationCount" = MAX(1, CASE
            WHEN "VerificationCount" <= 0 THEN (SELECT MAX("VerificationCount") FROM "Remotevolume")
            ELSE "VerificationCount" + 1 END)
        WHERE "Name" = ?1
        """;
}
