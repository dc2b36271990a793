#nullable enable

namespace Duplicati.Library.Main.Database.Sync;

internal static class AuditLogSql
{
    // Appends by row id.
    internal const string Add = """INSERT INTO "RemoteOperation" ("Timestamp", "Operation", "Path", "Data") VALUES (?1, ?2, ?3, ?4)""";

    // RemoteOperationTimestamp.
    internal const string Purge = """DELETE FROM "RemoteOperation" WHERE "Timestamp" < ?1""";
}
