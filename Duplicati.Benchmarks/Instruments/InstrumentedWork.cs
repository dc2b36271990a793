using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Benchmarks.Techniques;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Instruments;

/// <summary>A piece of work, and what the instruments do for it.</summary>
/// <param name="Name">What one call is.</param>
/// <param name="Calls">How often it is done in one sample.</param>
/// <param name="Run">Does it so often.</param>
/// <param name="Instruments">Does for so many calls what the instruments do in them, and nothing else.</param>
internal sealed record InstrumentedWork(string Name, int Calls, Action<int> Run, Action<int> Instruments)
{
    private const string Volume = "measured.dblock.zip";
    private const int CallsPerCommit = 100;

    /// <summary>All pieces, on the database of a backup in progress.</summary>
    /// <param name="database">The database; it gets rows.</param>
    /// <param name="questions">Blocks that are in it.</param>
    internal static IReadOnlyList<InstrumentedWork> All(LocalBackupDatabase database, BlockQuestions questions)
    {
        var session = database.Session;
        database.RegisterRemoteVolumeAsync(Volume, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default).Await();
        BlockMap.Of(session).Fill();
        return
        [
            new("look-up of a block in memory", questions.Count, calls => Find(database, questions, calls), calls => CountLookUps(session.BlockLookUps, calls)),
            new("row by its id, one statement", questions.Count, calls => ReadRows(session, calls), calls => CountStatements(session, calls)),
            new("short member: id of a volume", questions.Count, calls => AskVolumes(database, calls), calls => Watch(session, calls)),
            new("commit of one row", Math.Max(1, questions.Count / CallsPerCommit), calls => Commit(database, calls), calls => Report(session, calls)),
        ];
    }

    private static void Find(LocalBackupDatabase database, BlockQuestions questions, int calls)
    {
        for (var i = 0; i < calls; i++)
            database.FindBlockIDAsync(questions.Texts[i], questions.Sizes[i], default).Await();
    }

    private static void CountLookUps(LookUpFigures figures, int calls)
    {
        for (var i = 0; i < calls; i++)
            figures.Requests++;
    }

    private static void ReadRows(DatabaseSession session, int calls)
    {
        for (var i = 1; i <= calls; i++)
        {
            using var row = session.TakeDirect(BlockSql.KeyOfId);
            row.Bind(1, i).Step();
        }
    }

    private static void CountStatements(DatabaseSession session, int calls)
    {
        var figures = session.Statements.Figures;
        for (var i = 0; i < calls; i++)
        {
            figures.Reused++;
            figures.RowsRead++;
        }
    }

    private static void AskVolumes(LocalBackupDatabase database, int calls)
    {
        for (var i = 0; i < calls; i++)
            database.GetRemoteVolumeIDAsync(Volume, default).Await();
    }

    private static void Watch(DatabaseSession session, int calls)
    {
        for (var i = 0; i < calls; i++)
            session.StartWatch("GetRemoteVolumeIDAsync", isActivity: false)?.End();
        CountStatements(session, calls);
    }

    private static void Commit(LocalBackupDatabase database, int calls)
    {
        for (var i = 0; i < calls; i++)
        {
            database.LogMessageAsync("Message", "measured", null, default).Await();
            BackupTrials.Commit(database);
        }
    }

    private static void Report(DatabaseSession session, int calls)
    {
        for (var i = 0; i < calls; i++)
        {
            session.StartWatch("LogMessageAsync", isActivity: false)?.End();
            session.StartWatch("COMMIT")?.End();
            session.ReportCommit();
        }
    }
}
