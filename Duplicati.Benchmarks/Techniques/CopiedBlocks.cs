using Duplicati.Library.Main.Database.Delete;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>Three of each eight blocks are in no blockset any more, and become deleted blocks.</summary>
internal sealed class CopiedBlocks : Technique
{
    public override string Name => "deleted blocks copied by statements";

    public override string Without => "two indexes read side by side, a call a column";

    public override string IsOff => "more than two million ids, or 65,535 changes of the volume; below 3 % of the blocks, and from half of them on";

    public override string Entry => "block";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = BackupTrials.Open(setup, setup.Blocks);
        database.Session.Do(session => session.Run(TechniquesSql.UseFiveOfEight), default);
        BackupTrials.Commit(database);
        var limits = new DeletionLimits { FewestRows = 1, MostIdsWithVolumes = with ? DeletionLimits.Measured.MostIdsWithVolumes : 0 };
        return new Trial(
            () =>
            {
                database.Session.Do(
                    session =>
                    {
                        session.BeginWriting();
                        using var blocks = new UnusedBlocks(session, limits);
                        blocks.Find();
                        blocks.Move();
                    },
                    default);
                BackupTrials.Commit(database);
            },
            () => BackupTrials.Read(database, TechniquesSql.DeletedBlocks),
            database);
    }
}
