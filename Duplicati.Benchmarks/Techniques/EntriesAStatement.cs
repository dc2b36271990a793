using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>Entries of blocksets of a thousand blocks each, in one transaction, all indexes in place.</summary>
internal sealed class EntriesAStatement : Technique
{
    private const int BlocksPerBlockset = 1000;

    public override string Name => "entries of blocksets: many a statement";

    public override string Without => "one row a statement";

    public override string IsOff => "the last few of a blockset";

    public override string Entry => "entry";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = BackupTrials.Open(setup, 0);
        return new Trial(() => Write(database, setup.Blocks, with), () => BackupTrials.Read(database, TechniquesSql.EntryIds), database);
    }

    private static void Write(LocalBackupDatabase database, int count, bool with)
    {
        var session = database.Session;
        var writer = BlocksetEntryWriter.Of(session);
        for (var i = 0; i < count; i++)
        {
            var (blockset, index) = (1 + (i / BlocksPerBlockset), i % BlocksPerBlockset);
            if (index == 0 && i > 0)
                writer.End();
            if (index == 0)
                writer.Begin(blockset);
            if (with)
            {
                writer.Add(i + 1);
                continue;
            }

            using var insert = session.TakeDirect(BlocksetSql.InsertEntry);
            insert.Bind(1, blockset).Bind(2, index).Bind(3, i + 1).Execute();
        }

        writer.End();
        BackupTrials.Commit(database);
    }
}
