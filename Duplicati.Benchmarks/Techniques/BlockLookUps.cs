using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>As many look-ups at the door as the table has blocks, the filling of the map included.</summary>
/// <param name="tier">The structure that is to answer, by its name in <see cref="BlockMap.Tier"/>.</param>
/// <param name="bytesPerBlock">Memory allowed, a block of the table.</param>
/// <param name="hit">Whether the blocks are there.</param>
internal sealed class BlockLookUps(string tier, int bytesPerBlock, bool hit) : Technique
{
    public override string Name => $"map of blocks: {tier}, {(hit ? "found" : "not found")}";

    public override string Without => "a prepared statement each";

    public override string IsOff => tier switch
    {
        "keys" => "before an eighth of the rows was looked up; past the memory bound",
        "fingerprints" => "while full keys fit; past the bound",
        _ => "while one of the other two fits; with a bound of 0",
    };

    public override string Entry => "look-up";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var questions = BackupTrials.Questions(hit ? 0 : setup.Blocks, setup.Blocks);
        var database = BackupTrials.Open(setup, setup.Blocks);
        BlockOptions.Of(database.Session).MapBytes = with ? (long)bytesPerBlock * setup.Blocks : 0;
        var sum = 0L;
        return new Trial(
            () =>
            {
                var map = BlockMap.Of(database.Session);
                map.Fill();
                if (with && map.Tier != tier)
                    throw new InvalidOperationException($"The map is {map.Tier} instead of {tier}.");
                for (var i = 0; i < questions.Count; i++)
                    sum = BlockContender.Fold(sum, database.FindBlockIDAsync(questions.Texts[i], questions.Sizes[i], default).Await());
            },
            () => sum,
            database);
    }
}
