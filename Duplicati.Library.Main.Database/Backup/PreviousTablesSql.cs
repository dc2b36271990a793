#nullable enable

namespace Duplicati.Library.Main.Database.Backup;

internal static class PreviousTablesSql
{
    // Full paths to be taken out of a fileset.
    internal const string CreateDeletedPath = """CREATE TEMP TABLE IF NOT EXISTS "DeletedPath" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";
    internal const string ClearDeletedPath = """DELETE FROM temp."DeletedPath" """;
}
