using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>As many look-ups at the door as the table has blocks; the map has been filled before.</summary>
/// <param name="tier">The structure that is to answer, by its name in <see cref="BlockMap.Tier"/>.</param>
/// <param name="firstBytes">Memory allowed, whatever the size of the table.</param>
/// <param name="bytesPerBlock">More of it, a block of the table.</param>
/// <param name="hit">Whether the blocks are there.</param>
internal sealed class BlockLookUps(string tier, int firstBytes, int bytesPerBlock, bool hit) : Technique
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
        BlockOptions.Of(database.Session).MapBytes = with ? firstBytes + ((long)bytesPerBlock * setup.Blocks) : 0;
        var map = BlockMap.Of(database.Session);
        map.Fill();
        if (with && map.Tier != tier)
            throw new InvalidOperationException($"The map is {map.Tier} instead of {tier}.");
        var sum = 0L;
        return new Trial(
            () =>
            {
                for (var i = 0; i < questions.Count; i++)
                    sum = BlockContender.Fold(sum, database.FindBlockIDAsync(questions.Texts[i], questions.Sizes[i], default).Await());
            },
            () => sum,
            () => map.Bytes,
            database);
    }
}

/// <summary>The same without filling the map before: an eighth by statement, then the map is filled.</summary>
internal sealed class BlockMapFilling : Technique
{
    public override string Name => "map of blocks: from opening on, found";

    public override string Without => "a prepared statement each";

    public override string IsOff => "with a bound of 0";

    public override string Entry => "look-up";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var questions = BackupTrials.Questions(0, setup.Blocks);
        var database = BackupTrials.Open(setup, setup.Blocks);
        if (!with)
            BlockOptions.Of(database.Session).MapBytes = 0;
        var sum = 0L;
        return new Trial(
            () =>
            {
                for (var i = 0; i < questions.Count; i++)
                    sum = BlockContender.Fold(sum, database.FindBlockIDAsync(questions.Texts[i], questions.Sizes[i], default).Await());
            },
            () => sum,
            () => BlockMap.Of(database.Session).Bytes,
            database);
    }
}
