#nullable enable

namespace Duplicati.Library.Main.Database.Volumes;

internal static class VolumeLockSql
{
    // Index RemotevolumeNameOnly.
    internal const string Set = """UPDATE "Remotevolume" SET "LockExpirationTime" = ?2 WHERE "Name" = ?1""";

    // Small table, one row a volume.
    internal const string All = """SELECT "Name", "LockExpirationTime" FROM "Remotevolume" ORDER BY "ID" """;

    // Small table, one row a volume.
    internal const string Unknown = """SELECT "Name", "LockExpirationTime" FROM "Remotevolume" WHERE "LockExpirationTime" = 0 ORDER BY "ID" """;
}
