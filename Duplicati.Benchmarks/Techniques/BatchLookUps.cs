using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>Look-ups of blocks by raw digests, many a call, against one by one with texts; the map has been filled.</summary>
internal sealed class BatchLookUps : Technique
{
    public override string Name => "batches of blocks";

    public override string Without => "the map, one call and one text a block";

    public override string IsOff => "until the map is filled, and for fingerprints and filter: one by one then";

    public override string Entry => "look-up";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var questions = BackupTrials.Questions(0, setup.Blocks);
        var database = BackupTrials.Open(setup, setup.Blocks);
        BlockMap.Of(database.Session).Fill();
        BlockContender contender = with ? new BatchContender(questions, database) : new DoorContender(questions, database);
        var sum = 0L;
        return new Trial(() => sum = contender.Select(0, questions.Count), () => sum, contender, database);
    }
}
