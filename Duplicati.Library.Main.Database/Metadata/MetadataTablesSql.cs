#nullable enable

namespace Duplicati.Library.Main.Database.Metadata;

internal static class MetadataTablesSql
{
    // Volumes that are missing at the remote end, by id.
    internal const string CreateMissingVolume = """CREATE TEMP TABLE IF NOT EXISTS "MissingVolume" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearMissingVolume = """DELETE FROM temp."MissingVolume" """;
}
