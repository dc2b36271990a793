#nullable enable

namespace Duplicati.Library.Main.Database.Records;

internal static class ConfigurationSql
{
    // Small table, about ten rows.
    internal const string All = """SELECT "Key", "Value" FROM "Configuration" """;

    // The primary key's index.
    internal const string Has = """SELECT 1 FROM "Configuration" WHERE "Key" = ?1""";

    // The primary key's index.
    internal const string Set = """INSERT OR REPLACE INTO "Configuration" ("Key", "Value") VALUES (?1, ?2)""";

    // The primary key's index.
    internal const string Remove = """DELETE FROM "Configuration" WHERE "Key" = ?1""";

    // Small table, about ten rows.
    internal const string Clear = """DELETE FROM "Configuration" """;
}
