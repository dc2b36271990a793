namespace Duplicati.Benchmarks.Micro.Recreate;

internal static class EngineVariantSql
{
    // The settings under which the layer rebuilds an empty database: sorts in files, one thread, a long log.
    internal const string Settings = "PRAGMA temp_store = FILE; PRAGMA threads = 0; PRAGMA wal_autocheckpoint = 16384";

    internal const string ShortRuns = "PRAGMA cache_size = -2048";

    internal const string Begin = "BEGIN";

    internal const string CommitAndBegin = "COMMIT; BEGIN";

    // The indexes that the layer leaves out: of tables that grow with the blocks and the files.
    internal const string ListIndexes = """
        SELECT name, sql FROM sqlite_master
        WHERE type = 'index' AND sql IS NOT NULL AND tbl_name IN ('Block', 'Blockset', 'BlocksetEntry', 'BlocklistHash', 'FileLookup', 'FilesetEntry')
        ORDER BY rootpage
        """;

    internal const string AddVolume = "INSERT INTO Remotevolume VALUES (?1, 1, ?2, 'Blocks', 1000, NULL, 'Verified', 0, 0, 0, 0)";

    internal const string AddBlockset = "INSERT INTO Blockset (ID, Length, FullHash) VALUES (?1, ?2, ?3)";

    internal const string AddBlocklistHash = """INSERT INTO BlocklistHash (BlocksetID, "Index", Hash) VALUES (?1, ?2, ?3)""";

    internal const string AddMetadata = "INSERT INTO Metadataset (ID, BlocksetID) VALUES (?1, ?2)";

    internal const string AddFile = "INSERT INTO FileLookup (ID, PrefixID, Path, BlocksetID, MetadataID) VALUES (?1, 1, ?2, ?3, ?4)";

    internal const string AddFilesetEntry = "INSERT INTO FilesetEntry (FilesetID, FileID, Lastmodified) VALUES (1, ?1, 0)";

    // Rows of places for values follow.
    internal const string AddBlock = "INSERT INTO Block (ID, Size, VolumeID, Hash) VALUES ";

    // Rows of places for values follow.
    internal const string AddBlocksetEntry = """INSERT INTO BlocksetEntry (BlocksetID, "Index", BlockID) VALUES """;

    /// <summary>Drops an index by a name of the schema.</summary>
    internal static string Drop(string index) => $"DROP INDEX \"{index}\"";
}
