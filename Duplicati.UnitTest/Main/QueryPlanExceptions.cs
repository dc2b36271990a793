namespace Duplicati.UnitTest.Main;

/// <summary>Statements that may read a big table from start to end, each with its reason.</summary>
internal static class QueryPlanExceptions
{
    internal static IReadOnlyDictionary<string, string> Scans { get; } = new Dictionary<string, string>(StringComparer.Ordinal)
    {
        ["VolumeRemovalSql.CountOrphans"] = "the guard looks at every entry",
        ["VolumeRemovalSql.SelectBlocksetsByBlocklist"] = "BlocklistHash has no index on Hash, and the schema is fixed",
        ["VolumeRemovalSql.DeleteDeletedBlocks"] = "DeletedBlock has no index on VolumeID, and the schema is fixed",
        ["VolumeBlocksSql.InVolume"] = "DeletedBlock and DuplicateBlock have no index on VolumeID, and the schema is fixed",
        ["VolumeBlocksSql.BlocklistsInVolume"] = "BlocklistHash has no index on Hash and DuplicateBlock none on VolumeID, and the schema is fixed",
        ["EmptyMetadataSql.ByZeroLength"] = "Blockset has no index on Length; once a repair",
        ["EmptyMetadataSql.Shortest"] = "the shortest of all metadata; once a repair",
        ["ConsistencySql.Blocksets"] = "a check of everything reads everything once",
        ["ConsistencySql.Entries"] = "a check of everything reads everything once",
        ["ConsistencySql.Blocklists"] = "a check of everything reads everything once",
        ["ConsistencySql.UsedBlocksets"] = "a check of everything reads everything once",
        ["ConsistencySql.CountOrphans"] = "a check of everything reads everything once",
        ["ConsistencySql.FilesetsWithOrphans"] = "only after a failure, for its message",
        ["ConsistencySql.CountFiles"] = "a check of everything reads everything once",
        ["ConsistencySql.Files"] = "a check of everything reads everything once",
        ["ConsistencySql.FilesetEntries"] = "a check of everything reads everything once",
    };
}
