using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>All checks of a database, with the comparison of every file list: what a backup begins with.</summary>
public class CheckConsistency : OperationBenchmark
{
    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalDatabase.CreateLocalDatabaseAsync(path, "Backup", true, null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        await opened.VerifyConsistencyAsync(VersionedBackup.BlockBytes, VersionedBackup.HashBytes, true, default).ConfigureAwait(false);
        return 0;
    }

    internal override long RunPlain(PlainStatements plain)
    {
        var faults = CountFaults(plain);
        var filesets = new List<long>();
        plain.Read(PlainCheckSql.Filesets, row => filesets.Add(row.GetInt64(0)));
        foreach (var fileset in filesets)
            faults += Math.Abs(plain.Scalar(PlainCheckSql.CountEntries, fileset) - plain.Scalar(PlainCheckSql.CountListed, fileset));
        return faults;
    }

    private protected override bool HasLeanWay => true;

    private protected override long RunLean(PlainStatements lean) => CountFaults(lean) + lean.Scalar(LeanOperationSql.DifferentLists);

    private static long CountFaults(PlainStatements statements) => PlainCheckSql.Checks.Sum(check => statements.Scalar(check, VersionedBackup.BlockBytes / VersionedBackup.HashBytes));
}
