#nullable enable

namespace Duplicati.Library.Main.Database.Session;

internal static class TempTablesSql
{
    // Volumes a removal is about, by id.
    internal const string CreateRemovedVolume = """CREATE TEMP TABLE IF NOT EXISTS "RemovedVolume" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedVolume = """DELETE FROM temp."RemovedVolume" """;

    // Blocksets that lose a block or a blocklist with those volumes, by id.
    internal const string CreateRemovedBlockset = """CREATE TEMP TABLE IF NOT EXISTS "RemovedBlockset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedBlockset = """DELETE FROM temp."RemovedBlockset" """;

    // Metadata that is lost, with the filesets whose entries use it.
    internal const string CreateRemovedMetadata = """CREATE TEMP TABLE IF NOT EXISTS "RemovedMetadata" ("MetadataID" INTEGER NOT NULL, "FilesetID" INTEGER NOT NULL, PRIMARY KEY ("MetadataID", "FilesetID")) WITHOUT ROWID""";
    internal const string ClearRemovedMetadata = """DELETE FROM temp."RemovedMetadata" """;

    // FileLookup rows that are lost, by id.
    internal const string CreateRemovedFile = """CREATE TEMP TABLE IF NOT EXISTS "RemovedFile" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedFile = """DELETE FROM temp."RemovedFile" """;

    // Filesets that are lost, by id.
    internal const string CreateRemovedFileset = """CREATE TEMP TABLE IF NOT EXISTS "RemovedFileset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearRemovedFileset = """DELETE FROM temp."RemovedFileset" """;

    // Filesets a question is about, by id.
    internal const string CreateSelectedFileset = """CREATE TEMP TABLE IF NOT EXISTS "SelectedFileset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearSelectedFileset = """DELETE FROM temp."SelectedFileset" """;

    // Blocksets that those filesets use, by id.
    internal const string CreateSelectedBlockset = """CREATE TEMP TABLE IF NOT EXISTS "SelectedBlockset" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearSelectedBlockset = """DELETE FROM temp."SelectedBlockset" """;

    // Volumes that the answer consists of, by id.
    internal const string CreateSelectedVolume = """CREATE TEMP TABLE IF NOT EXISTS "SelectedVolume" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearSelectedVolume = """DELETE FROM temp."SelectedVolume" """;

    // Volumes that are missing at the remote end, by id.
    internal const string CreateMissingVolume = """CREATE TEMP TABLE IF NOT EXISTS "MissingVolume" ("ID" INTEGER PRIMARY KEY)""";
    internal const string ClearMissingVolume = """DELETE FROM temp."MissingVolume" """;

    // Full paths to be taken out of a fileset.
    internal const string CreateDeletedPath = """CREATE TEMP TABLE IF NOT EXISTS "DeletedPath" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";
    internal const string ClearDeletedPath = """DELETE FROM temp."DeletedPath" """;

    // Paths that match a filter; ordered by path, so that joins on it need no further index.
    internal const string CreateFilenames = """CREATE TEMP TABLE "Filenames-{0}" ("Path" TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID""";
    internal const string ClearFilenames = """DELETE FROM temp."Filenames-{0}" """;
    internal const string DropFilenames = """DROP TABLE IF EXISTS temp."Filenames-{0}" """;
}
