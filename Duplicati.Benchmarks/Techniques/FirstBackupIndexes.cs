using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>
/// A first backup: new blocks in files of a hundred, a commit a file, and the indexes complete at the end. Without the technique,
/// somebody else asks for the database right after the indexes were dropped, which builds them for good.
/// </summary>
internal sealed class FirstBackupIndexes : Technique
{
    private const int BlocksPerFile = 100;

    public override string Name => "deferred indexes: first backup";

    public override string Without => "the five indexes kept up to date";

    public override string IsOff => "below 16,384 new blocks, on tables with rows, after a child object was made or the connection handed out";

    public override string Entry => "block";

    public override int Entries(int blocks) => blocks / BlocksPerFile * BlocksPerFile;

    public override Trial Begin(TrialSetup setup, bool with)
    {
        _ = BlockKeys.Get(setup.Blocks);
        var questions = new BlockQuestions(Entries(setup.Blocks), step => step);
        _ = questions.Texts;
        var database = BackupTrials.Open(setup, 0);
        return new Trial(() => BackUp(database, questions, with), () => BackupTrials.Content(database), database);
    }

    private static void BackUp(LocalBackupDatabase database, BlockQuestions questions, bool with)
    {
        for (var first = 0; first < questions.Count; first += BlocksPerFile)
        {
            for (var i = first; i < first + BlocksPerFile; i++)
                database.AddBlockAsync(questions.Texts[i], BlockDatabase.Blocksize, first, default).Await();
            if (!with && first == BlockIndexes.FewestBlocks / BlocksPerFile * BlocksPerFile)
                database.Session.AnnounceForeignUse();
            database.AddBlocksetAsync(
                BlockContender.FileHash(first), (long)BlocksPerFile * BlockDatabase.Blocksize, BlockDatabase.Blocksize,
                new ArraySegment<string>(questions.Texts, first, BlocksPerFile), [], default).Await();
        }

        BlockIndexes.Of(database.Session).Complete();
        BackupTrials.Commit(database);
    }
}
