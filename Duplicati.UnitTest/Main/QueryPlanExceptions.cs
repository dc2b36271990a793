namespace Duplicati.UnitTest.Main;

/// <summary>Statements that may read a big table from start to end: class, constant and table, each with its reason.</summary>
internal static class QueryPlanExceptions
{
    internal static IReadOnlyDictionary<string, string> Scans { get; } = new Dictionary<string, string>(StringComparer.Ordinal)
    {
        ["BlockSql.All/Block"] = "fills the map of all blocks",
        ["BlockSql.Any/Block"] = "stops at the first row",
        ["BlocksetSql.AllBlocklists/BlocklistHash"] = "fills the map of all blocklists",
        ["BlocksetSql.BlocklistsInVolume/BlocklistHash"] = "no index on Hash, and the schema is fixed",
        ["CleanupSql.DeleteDuplicates/DuplicateBlock"] = "no index on VolumeID, and the schema is fixed; once a recreate",
        ["CleanupSql.DeleteLostBlocks/Block"] = "looks at every block once a recreate",
        ["CleanupSql.ListSwaps/DuplicateBlock"] = "looks at every duplicate once a recreate",
        ["CleanupSql.ListUnusedBlocks/BlocklistHash"] = "a set of all blocklist hashes, made once",
        ["CleanupSql.ListUnusedBlocks/Block"] = "looks at every block once a recreate",
        ["ConsistencySql.Blocklists/BlocklistHash"] = "a check of everything reads everything once",
        ["ConsistencySql.Blocksets/Blockset"] = "a check of everything reads everything once",
        ["ConsistencySql.CountFiles/FileLookup"] = "a check of everything reads everything once",
        ["ConsistencySql.CountOrphans/FilesetEntry"] = "a check of everything reads everything once",
        ["ConsistencySql.Entries/BlocksetEntry"] = "a check of everything reads everything once",
        ["ConsistencySql.Files/FileLookup"] = "a check of everything reads everything once",
        ["ConsistencySql.FilesetEntries/FilesetEntry"] = "a check of everything reads everything once",
        ["ConsistencySql.FilesetsWithOrphans/FilesetEntry"] = "only after a failure, for its message",
        ["ConsistencySql.UsedBlocksets/FileLookup"] = "a check of everything reads everything once",
        ["DeferredIndexSql.AnyRows/BlocklistHash"] = "stops at the first row",
        ["DeferredIndexSql.AnyRows/BlocksetEntry"] = "stops at the first row",
        ["DeferredIndexSql.AnyRows/Blockset"] = "stops at the first row",
        ["DeferredIndexSql.AnyRows/Block"] = "stops at the first row",
        ["DeferredIndexSql.AnyRows/FileLookup"] = "stops at the first row",
        ["DeferredIndexSql.AnyRows/FilesetEntry"] = "stops at the first row",
        ["DeletedBlockSql.Keys/DeletedBlock"] = "all deleted blocks are wanted, up to a limit",
        ["EmptyMetadataSql.ByZeroLength/Blockset"] = "no index on Length, and the schema is fixed; once a repair",
        ["EmptyMetadataSql.Shortest/Metadataset"] = "the shortest of all metadata; once a repair",
        ["FileSql.LongestPath/FileLookup"] = "the longest of all paths; once a backup",
        ["MetadataContentSql.ListMissing/Metadataset"] = "looks at all metadata once a recreate",
        ["RecreateBlocksSql.ReadAll/Block"] = "fills the map of all blocks",
        ["VolumeBlocksSql.BlocklistsInVolume/BlocklistHash"] = "no index on Hash, and the schema is fixed",
        ["VolumeBlocksSql.BlocklistsInVolume/DuplicateBlock"] = "no index on VolumeID, and the schema is fixed",
        ["VolumeBlocksSql.InVolume/DeletedBlock"] = "no index on VolumeID, and the schema is fixed",
        ["VolumeBlocksSql.InVolume/DuplicateBlock"] = "no index on VolumeID, and the schema is fixed",
        ["VolumeQuestionsSql.AnyMissingBlocklist/BlocklistHash"] = "looks at every blocklist, a small part of the blocks",
        ["VolumeQuestionsSql.AnyMissingBlocklistWithBlock/BlocklistHash"] = "looks at every blocklist, a small part of the blocks",
        ["VolumeQuestionsSql.HoldingMissingBlocklists/BlocklistHash"] = "looks at every blocklist, a small part of the blocks",
        ["VolumeRemovalSql.CountOrphans/FilesetEntry"] = "the guard looks at every entry",
        ["VolumeRemovalSql.DeleteDeletedBlocks/DeletedBlock"] = "no index on VolumeID, and the schema is fixed",
        ["VolumeRemovalSql.SelectBlocksetsByBlocklist/BlocklistHash"] = "no index on Hash, and the schema is fixed",
    };
}
