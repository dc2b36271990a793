#nullable enable

namespace Duplicati.Library.Main.Database.Paths;

internal static class FilenameTablesSql
{
    // Paths that match a filter; ordered by path, so that joins on it need no further index.
    internal const string CreateFilenames = """CREATE TEMP TABLE "Filenames-{0}" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";
    internal const string ClearFilenames = """DELETE FROM temp."Filenames-{0}" """;
    internal const string DropFilenames = """DROP TABLE IF EXISTS temp."Filenames-{0}" """;
}
