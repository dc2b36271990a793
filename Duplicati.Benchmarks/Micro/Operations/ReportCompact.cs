using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>What each volume holds and wastes and how old it is: what a compact begins with.</summary>
public class ReportCompact : OperationBenchmark
{
    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalDeleteDatabase.CreateAsync(path, "Compact", null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        var report = await ((LocalDeleteDatabase)opened).GetCompactReportAsync(1 << 20, 1, 0, 20, default).ConfigureAwait(false);
        return report.CompactableVolumes.Count();
    }

    internal override long RunPlain(PlainStatements plain)
    {
        plain.Execute(PlainOperationSql.VolumeUse);
        return plain.Scalar(PlainOperationSql.WastefulVolumes);
    }

    private protected override bool HasLeanWay => true;

    private protected override long RunLean(PlainStatements lean)
    {
        lean.Execute(LeanOperationSql.VolumeUse);
        return lean.Scalar(PlainOperationSql.WastefulVolumes);
    }
}
