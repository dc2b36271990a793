using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>New blocksets of a hundred known blocks, a commit each, into a backup of as many blocks, all indexes in place.</summary>
internal sealed class CheckpointPaces : Technique
{
    private const int BlocksPerFile = 100;

    public override string Name => "pace of checkpoints";

    public override string Without => "a pace of 4 MiB that somebody set";

    public override string IsOff => "the pace or the page size was set by somebody; preset small";

    public override string Entry => "entry";

    public override int Entries(int blocks) => blocks / BlocksPerFile * BlocksPerFile;

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var connection = SQLiteLoader.LoadConnection(setup.Copy(BlockDatabase.Template(setup.Blocks)));
        var questions = new BlockQuestions(Entries(setup.Blocks), new FullBlocks(setup.Blocks).Index);
        _ = questions.Texts;
        if (!with)
            Run(connection, TechniquesSql.OwnPace);
        var parent = LocalDatabase.CreateLocalDatabaseAsync(connection, "Backup", null, default).Await();
        var database = LocalBackupDatabase.CreateAsync(parent, new Options([]), null, default).Await();
        BlockMap.Of(database.Session).Fill();
        BackupTrials.Commit(database);
        return new Trial(() => Link(database, questions), () => BackupTrials.Content(database), database, parent, connection);
    }

    private static void Link(LocalBackupDatabase database, BlockQuestions questions)
    {
        for (var first = 0; first < questions.Count; first += BlocksPerFile)
        {
            database.AddBlocksetAsync(
                BlockContender.FileHash(first), (long)BlocksPerFile * BlockDatabase.Blocksize, BlockDatabase.Blocksize,
                new ArraySegment<string>(questions.Texts, first, BlocksPerFile), [], default).Await();
        }
    }

    private static void Run(SqliteConnection connection, string sql)
    {
        using var command = connection.CreateCommand();
        command.CommandText = sql;
        command.ExecuteNonQuery();
    }
}
