using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Micro.Operations;

/// <summary>The volumes that a test of ten samples looks at.</summary>
public class SelectTestVolumes : OperationBenchmark
{
    private protected override async Task<LocalDatabase> OpenDoorAsync() => await LocalTestDatabase.CreateAsync(DatabasePath, null, default).ConfigureAwait(false);

    private protected override async Task<long> DoorAsync(LocalDatabase opened)
    {
        return await ((LocalTestDatabase)opened).SelectTestTargetsAsync(10, new Options([]), default).CountAsync().ConfigureAwait(false);
    }

    private protected override long RunPlain(PlainStatements plain)
    {
        return plain.Read(PlainOperationSql.TestBlocks, _ => { }, 10) + plain.Read(PlainOperationSql.TestLists, _ => { }, 10);
    }
}
