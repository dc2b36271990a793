using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The volumes that a test of ten samples looks at.</summary>
public class SelectTestVolumes : OperationBenchmark
{
    private const int Samples = 10;

    internal override async Task<LocalDatabase> OpenDoorAsync(string path) => await LocalTestDatabase.CreateAsync(path, null, default).ConfigureAwait(false);

    internal override async Task<long> DoorAsync(LocalDatabase opened)
    {
        return await ((LocalTestDatabase)opened).SelectTestTargetsAsync(Samples, new Options([]), default).CountAsync().ConfigureAwait(false);
    }

    internal override long RunPlain(PlainStatements plain)
    {
        var found = plain.Read(PlainOperationSql.UnmeasuredVolumes, ReadVolume);
        var highest = plain.Scalar(PlainOperationSql.HighestVerificationCount);
        found += Sample(plain, PlainOperationSql.UntestedLists, "Files", highest);
        foreach (var type in new[] { "Index", "Blocks" })
            found += Sample(plain, PlainOperationSql.UntestedVolumes, type, highest);
        return found;
    }

    private protected override bool HasLeanWay => true;

    private protected override long RunLean(PlainStatements lean) =>
        lean.Read(LeanOperationSql.TestBlocks, ReadVolume, Samples) + lean.Read(LeanOperationSql.TestLists, ReadVolume, Samples);

    // Those that were never tested, drawn by lot; tested ones only where they are too few.
    private static long Sample(PlainStatements plain, string untested, string type, long highest)
    {
        var volumes = new List<RemoteVolume>();
        plain.Read(untested, row => volumes.Add(Volume(row)), type);
        if (volumes.Count < Samples)
            plain.Read(PlainOperationSql.TestedVolumes, row => volumes.Add(Volume(row)), type, highest);
        while (volumes.Count > Samples)
            volumes.RemoveAt(Random.Shared.Next(volumes.Count));
        return volumes.Count;
    }

    private static void ReadVolume(SqliteDataReader row) => Volume(row);

    private static RemoteVolume Volume(SqliteDataReader row) => new(row.GetString(0), row.GetString(2), row.GetInt64(1));
}
