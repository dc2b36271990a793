using Duplicati.Benchmarks.Micro;
using Duplicati.Library.Main.Database.Filesets;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>The entries of a version, the files in no order, a commit every ten thousand.</summary>
internal sealed class FilesetEntries : Technique
{
    private const int EntriesPerCommit = 10_000;
    private const long Fileset = 1;

    public override string Name => "write buffer of fileset entries";

    public override string Without => "each row written at once, as for a fileset made elsewhere";

    public override string IsOff => "entries of a fileset that was not made on this connection";

    public override string Entry => "entry";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = BackupTrials.Open(setup, 0);
        var writer = FilesetEntryWriter.Of(database.Session);
        if (with)
            writer.Begin(Fileset);
        return new Trial(
            () =>
            {
                for (var i = 0; i < setup.Blocks; i++)
                {
                    writer.Add(Fileset, 1 + BlockTable.Scatter(i, setup.Blocks), i);
                    if (i % EntriesPerCommit == EntriesPerCommit - 1)
                        BackupTrials.Commit(database);
                }

                BackupTrials.Commit(database);
            },
            () => BackupTrials.Read(database, TechniquesSql.FilesetEntries),
            database);
    }
}
