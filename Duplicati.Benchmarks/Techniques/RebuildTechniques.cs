using Duplicati.Library.Main.Database.Recreate;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>A technique of a recreate, on a backup of one version, as whole steps of it.</summary>
internal abstract class RebuildTechnique : Technique
{
    /// <summary>What this machine has.</summary>
    protected static readonly RecreateLimits Ample = RecreateLimits.ForThisMachine();

    public override string Entry => "block";

    /// <summary>Blocks of one file.</summary>
    protected virtual int BlocksPerFile => 1024;

    /// <summary>What is rebuilt.</summary>
    protected RebuildData Data(TrialSetup setup) => RebuildData.Get(setup.Blocks, BlocksPerFile);
}

/// <summary>A whole recreate on empty tables, against one that finds a row.</summary>
internal sealed class RecreateIndexes : RebuildTechnique
{
    public override string Name => "deferred indexes: recreate";

    public override string Without => "a row was in one of the tables: indexes kept up to date, new blocksets and files looked up";

    public override string IsOff => "any of the six tables has a row";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var rebuild = new RebuildTrial(setup.DatabasePath, Data(setup), Ample, isEmpty: with);
        return new Trial(rebuild.Run, rebuild.Content, rebuild);
    }
}

/// <summary>A whole recreate that knows the blocks in memory, against one that looks them up.</summary>
internal sealed class RecreateMap : RebuildTechnique
{
    public override string Name => "map of blocks: recreate";

    public override string Without => "looked up by the index, which is built at once";

    public override string IsOff => "past its memory bound";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var rebuild = new RebuildTrial(setup.DatabasePath, Data(setup), with ? Ample : Ample with { BlockBytes = 0 });
        var bytes = 0L;
        return new Trial(
            () =>
            {
                rebuild.LoadFilelist();
                rebuild.LoadAll();
                rebuild.Resolve();
                // The last step forgets it.
                bytes = rebuild.Work.Blocks.MapBytes;
                rebuild.Finish();
            },
            rebuild.Content,
            () => bytes,
            rebuild);
    }
}

/// <summary>The index files in binary form, against the members that take them text by text.</summary>
internal sealed class BinaryIndexFiles : RebuildTechnique
{
    public override string Name => "batches: index files of a recreate";

    public override string Without => "one call and one text a block and an entry";

    public override string IsOff => "for callers of the members of the replaced layer";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var data = Data(setup);
        var rebuild = new RebuildTrial(setup.DatabasePath, data, Ample);
        rebuild.LoadFilelist();
        return new Trial(
            () =>
            {
                for (var i = 0; i < data.Indexes.Count; i++)
                {
                    if (with)
                        rebuild.Load(i);
                    else
                        rebuild.LoadTexts(i);
                }
            },
            () =>
            {
                rebuild.Resolve();
                return rebuild.Content();
            },
            rebuild);
    }
}

/// <summary>Blocklists that wait in memory, against such that wait in a file.</summary>
internal sealed class StagedInMemory : RebuildTechnique
{
    public override string Name => "staged blocklists in memory";

    public override string Without => "all in the temporary file";

    public override string IsOff => "past the memory bound: the rest goes to the file";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var rebuild = new RebuildTrial(setup.DatabasePath, Data(setup), with ? Ample : Ample with { StagedBytes = 0 });
        rebuild.LoadFilelist();
        return new Trial(
            () =>
            {
                rebuild.LoadAll();
                rebuild.Resolve();
            },
            rebuild.Content,
            rebuild);
    }
}

/// <summary>A resolve after every twentieth of the volumes, as when index files are missing; without the technique by the member that begins anew each time.</summary>
internal sealed class IncrementalResolve : RebuildTechnique
{
    private const int Parts = 20;

    public override string Name => "incremental resolve";

    public override string Without => "each of the 20 resolves walks over everything";

    public override string IsOff => "after a failed or rolled back step, and for AddBlockAndBlockSetEntryFromTempAsync with hashOnly";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var data = Data(setup);
        var rebuild = new RebuildTrial(setup.DatabasePath, data, Ample);
        rebuild.LoadFilelist();
        return new Trial(
            () =>
            {
                for (var part = 0; part < Parts; part++)
                {
                    for (var i = data.Indexes.Count * part / Parts; i < data.Indexes.Count * (part + 1) / Parts; i++)
                        rebuild.Load(i);
                    if (with)
                        rebuild.Resolve();
                    else
                        rebuild.ResolveAnew();
                }

                rebuild.Resolve();
            },
            rebuild.Content,
            rebuild);
    }
}

/// <summary>Ten versions with the same files, of one block each.</summary>
internal sealed class FilelistCaches : RebuildTechnique
{
    private const int Versions = 10;

    public override string Name => "caches of filelists";

    public override string Without => "each blockset, metadata and file looked up";

    public override string IsOff => "past the memory bound";

    public override string Entry => "file";

    protected override int BlocksPerFile => 1;

    public override int Entries(int blocks) => blocks / Versions * Versions;

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var data = RebuildData.Get(setup.Blocks / Versions, BlocksPerFile);
        var rebuild = new RebuildTrial(setup.DatabasePath, data, with ? Ample : Ample with { FileBytes = 0 });
        return new Trial(
            () =>
            {
                for (var version = 0; version < Versions; version++)
                {
                    rebuild.LoadFilelist(version);
                    rebuild.Commit();
                }
            },
            () => BackupTrials.Read(rebuild.Database, TechniquesSql.FilesetEntries),
            () => rebuild.Work.Filelist.CacheBytes,
            rebuild);
    }
}
