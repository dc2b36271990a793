using Duplicati.Benchmarks.Micro.Blocks;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>The blocks of blocksets of a thousand, eight blocksets a call and without texts, against a stream for each.</summary>
internal sealed class BatchBlockLists : Technique
{
    public override string Name => "batches: blocks of blocksets";

    public override string Without => "a stream a blockset and a text a block";

    public override string IsOff => "for callers of the members of the replaced layer";

    public override string Entry => "block";

    public override int Entries(int blocks) => blocks / BlockDatabase.BlocksPerBlockset * BlockDatabase.BlocksPerBlockset;

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var questions = BackupTrials.Questions(0, 1);
        var database = BackupTrials.OpenCopy(setup, BlockDatabase.TemplateWithBlocksets(setup.Blocks));
        BackupTrials.Commit(database);
        BlockContender contender = with ? new BatchContender(questions, database) : new DoorContender(questions, database);
        // Opens and prepares what is opened and prepared once.
        _ = contender.Join(0);
        var sum = 0L;
        return new Trial(() => sum = contender.JoinAll(setup.Blocks / BlockDatabase.BlocksPerBlockset), () => sum, contender, database);
    }
}
