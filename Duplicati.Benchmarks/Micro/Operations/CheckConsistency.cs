using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>All checks of a database, with the comparison of every file list: what a backup begins with.</summary>
public class CheckConsistency : OperationBenchmark
{
    private protected override async Task<LocalDatabase> OpenDoorAsync() => await LocalDatabase.CreateLocalDatabaseAsync(DatabasePath, "Backup", true, null, default).ConfigureAwait(false);

    private protected override async Task<long> DoorAsync(LocalDatabase opened)
    {
        await opened.VerifyConsistencyAsync(VersionedBackup.BlockBytes, VersionedBackup.HashBytes, true, default).ConfigureAwait(false);
        return 0;
    }

    private protected override long RunPlain(PlainStatements plain)
    {
        var faults = 0L;
        foreach (var check in PlainOperationSql.Checks)
            faults += plain.Scalar(check, VersionedBackup.BlockBytes / VersionedBackup.HashBytes);
        return faults;
    }
}
