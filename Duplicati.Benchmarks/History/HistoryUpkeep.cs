using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Operations;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.History;

/// <summary>What is done for the database itself.</summary>
internal static class HistoryUpkeep
{
    private const string HashName = "SHA256";

    /// <summary>What a repair asks the database: its fixes, which find nothing to do, and what the remote folder lacks. An index volume that describes nothing is found.</summary>
    public static HistoryOperation Repair => new()
    {
        Name = "questions of a repair",
        Row = "entry, or content of a file",
        Rows = shape => shape.Entries + shape.Contents,
        Open = async path => await LocalRepairDatabase.CreateRepairDatabaseAsync(path, null, default).ConfigureAwait(false),
        Door = (database, _) => RepairAsync((LocalRepairDatabase)database),
        Plain = static (plain, _) => HistorySql.RepairCounts.Sum(count => plain.Scalar(count, VersionedBackup.BlockBytes / VersionedBackup.HashBytes)),
    };

    /// <summary>The file written anew, and the log copied into it.</summary>
    public static HistoryOperation Vacuum => new()
    {
        Name = "vacuum",
        Row = "entry",
        Rows = shape => shape.Entries,
        Changes = true,
        Open = path => LocalDatabase.CreateLocalDatabaseAsync(path, "Vacuum", true, null, default),
        Door = static async (database, _) =>
        {
            await database.Transaction.CommitAsync("BeforeVacuum", restart: false, default).ConfigureAwait(false);
            await database.VacuumAsync(default).ConfigureAwait(false);
            return 0;
        },
        Plain = static (plain, _) =>
        {
            plain.Execute(BlockTableSql.Commit);
            plain.Execute(HistorySql.Vacuum);
            plain.Execute(HistorySql.EmptyLog);
            plain.Execute(BlockTableSql.Begin);
            return 0;
        },
    };

    private static async Task<long> RepairAsync(LocalRepairDatabase database)
    {
        await database.FixDuplicateMetahashAsync(default).ConfigureAwait(false);
        await database.FixDuplicateFileentriesAsync(default).ConfigureAwait(false);
        await database.FixDuplicatePathsInFilesetsAsync(default).ConfigureAwait(false);
        await database.FixDuplicateBlocklistHashesAsync(VersionedBackup.BlockBytes, VersionedBackup.HashBytes, default).ConfigureAwait(false);
        await database.FixMissingBlocklistHashesAsync(HashName, VersionedBackup.BlockBytes, default).ConfigureAwait(false);
        await database.FixEmptyMetadatasetsAsync(new Options(new Dictionary<string, string?> { ["file-hash-algorithm"] = HashName }), default).ConfigureAwait(false);
        return await database.GetFilesetsWithMissingFilesAsync(default).CountAsync().ConfigureAwait(false)
            + await database.MissingLocalFilesetsAsync(default).CountAsync().ConfigureAwait(false)
            + await database.MissingRemoteFilesetsAsync(default).CountAsync().ConfigureAwait(false)
            + await database.EmptyIndexFilesAsync(default).CountAsync().ConfigureAwait(false);
    }
}
