#nullable enable

namespace Duplicati.Library.Main.Database.Session;

internal static class OperationSql
{
    // Appends by row id.
    internal const string Insert = """INSERT INTO "Operation" ("Description", "Timestamp") VALUES (?1, ?2)""";

    // By row id; no row has this one.
    internal const string ChangeNothing = """UPDATE "Operation" SET "Timestamp" = "Timestamp" WHERE "ID" = -1""";

    // Small table, one row an operation; read once when a database is attached to.
    internal const string Latest = """SELECT "ID", "Timestamp" FROM "Operation" ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1""";
}
