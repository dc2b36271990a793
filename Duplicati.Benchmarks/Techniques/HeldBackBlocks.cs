using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>New blocks into a table of as many, all indexes in place, a commit every ten thousand, which is a file of 1 GB at 100 KB blocks.</summary>
/// <param name="isOrder">Whether only the order of writing differs, instead of the holding back as a whole.</param>
internal sealed class HeldBackBlocks(bool isOrder) : Technique
{
    private const int BlocksPerCommit = 10_000;

    // Fewer than are worth sorting.
    private const int UnsortedRows = 1000;

    public override string Name => isOrder ? "write buffer of blocks: order" : "write buffer of blocks";

    public override string Without => isOrder ? "held back, written in the order of arrival" : "each row written at once";

    public override string IsOff => isOrder ? "fewer than 1,024 blocks between two commits" : "hashes without a binary form";

    public override string Entry => "block";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var questions = BackupTrials.Questions(setup.Blocks, setup.Blocks);
        var database = BackupTrials.Open(setup, setup.Blocks);
        if (!with)
            BlockOptions.Of(database.Session).PendingRows = isOrder ? UnsortedRows : 1;
        BlockMap.Of(database.Session).Fill();
        return new Trial(
            () =>
            {
                for (var i = 0; i < questions.Count; i++)
                {
                    database.AddBlockAsync(questions.Texts[i], questions.Sizes[i], i / BlocksPerCommit, default).Await();
                    if (i % BlocksPerCommit == BlocksPerCommit - 1)
                        BackupTrials.Commit(database);
                }

                BackupTrials.Commit(database);
            },
            () => BackupTrials.Content(database),
            database);
    }
}
