using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Testing;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>A test of all volumes without the volumes: their blocks are compared with the database in memory, against a temporary table for each volume.</summary>
internal sealed class ComparedVolumes : Technique
{
    private const int BlocksPerFile = 100;

    // Of so many blocks one is missing in its volume, one has another size there, and one is there and not in the database.
    private const int Sound = 50;

    public override string Name => "blocks of a tested volume in memory";

    public override string Without => "in a temporary table, and those of the database in another one";

    public override string IsOff => "past the memory bound: the temporary tables";

    public override string Entry => "block";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = LocalTestDatabase.CreateAsync(setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile)), null, default).Await();
        var volumes = Read(database).ToList();
        database.CommitAsync(default).Await();
        var sum = 0L;
        return new Trial(() => sum = volumes.Aggregate(0L, (all, x) => BlockContender.Fold(all, Compare(Begin(database, x.Key, with), x))), () => sum, database);
    }

    private static FoundBlocks Begin(LocalTestDatabase database, string volume, bool with) =>
        with ? new FoundBlocks(database.Session, volume) : new FoundBlocks(database.Session, volume, 0);

    private static ILookup<string, (string Hash, long Size)> Read(LocalTestDatabase database)
    {
        using var command = database.Connection.CreateCommand();
        command.CommandText = TechniquesSql.BlocksOfVolumes;
        using var reader = command.ExecuteReader();
        var blocks = new List<(string Volume, string Hash, long Size)>();
        while (reader.Read())
            blocks.Add((reader.GetString(0), reader.GetString(1), reader.GetInt64(2)));
        return blocks.ToLookup(x => x.Volume, x => (x.Hash, x.Size));
    }

    private static long Compare(FoundBlocks found, IGrouping<string, (string Hash, long Size)> volume)
    {
        using (found)
        {
            var number = 0;
            foreach (var (hash, size) in volume)
            {
                switch (++number % Sound)
                {
                    case 0:
                        break;
                    case 1:
                        found.AddBlockAsync(hash, size + 1, default).Await();
                        break;
                    case 2:
                        found.AddBlockAsync(hash, size, default).Await();
                        found.AddBlockAsync(new string(hash[0], hash.Length), size, default).Await();
                        break;
                    default:
                        found.AddBlockAsync(hash, size, default).Await();
                        break;
                }
            }

            var sum = 0L;
            foreach (var (status, hash) in found.CompareAsync(default).ToBlockingEnumerable())
                sum = BlockContender.Fold(sum + (int)status, hash[1]);
            return sum;
        }
    }
}
