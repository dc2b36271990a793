using System.Security.Cryptography;
using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Engine.Common;
using Duplicati.Engine.Data;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Restore;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>The blocks of the newest version from the remote folder into the files, which have been made.</summary>
internal abstract class EngineRestoreTechnique : Technique
{
    public override string Entry => "block";

    public override int Entries(int blocks) => Math.Min(blocks, EngineBackup.MostBlocks);

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var backup = EngineBackup.Get(setup.Blocks);
        var database = LocalRestoreDatabase.CreateAsync(setup.Copy(backup.DatabasePath), null, default).Await();
        var target = new RestoreTarget(Path.Combine(setup.Folder, "target"));
        var plan = PrepareAsync(database, target).Await();
        var spool = new MetadataSpool(setup.Folder);
        return new Trial(() => RestoreAsync(backup, setup, database, plan, spool, with).Await(), () => Content(plan), spool, database);
    }

    /// <summary>Writes all blocks.</summary>
    protected abstract Task RestoreAsync(EngineBackup backup, TrialSetup setup, LocalRestoreDatabase database, RestorePlan plan, MetadataSpool spool, bool with);

    /// <summary>Volume by volume, one at a time.</summary>
    protected static async Task ByVolumeAsync(EngineBackup backup, TrialSetup setup, LocalRestoreDatabase database, RestorePlan plan, MetadataSpool spool, int cacheBytes)
    {
        var restorer = new VolumeRestorer(backup.Downloader(setup.Folder), EngineBackup.Format, plan.Paths, spool, cacheBytes);
        await foreach (var volume in database.GetNeedsByVolumeAsync(false, default))
            await restorer.RestoreAsync(volume, default);
    }

    private static async Task<RestorePlan> PrepareAsync(LocalRestoreDatabase database, RestoreTarget target)
    {
        await database.PrepareRestoreFilelistAsync(new DateTime(0, DateTimeKind.Utc), [0], null, true, default);
        await database.SetTargetPathsAsync(await database.GetLargestPrefixAsync(default), target.Root + Path.DirectorySeparatorChar, default);
        RestoreTarget.MakeFolder(target.Root);
        var plan = await RestorePlan.ReadAsync(database, target, SilentProgress.Instance, default);
        await new FileWriter(plan, EngineBackup.Format, SilentProgress.Instance, database.RestoreTime, ExistingFileChoice.Keep).MakeFilesAsync(default);
        await database.Transaction.CommitAsync(default(CancellationToken));
        return plan;
    }

    // By the recorded hashes, so that a file of zeros is noticed even if both ways leave it.
    private static long Content(RestorePlan plan)
    {
        var sum = 0L;
        foreach (var (id, file) in plan.Files.OrderBy(x => x.Key))
        {
            using var content = File.OpenRead(plan.Paths[id]);
            if (Convert.ToBase64String(SHA256.HashData(content)) != file.Hash)
                throw new InvalidOperationException($"{plan.Paths[id]} has not the recorded content.");
            sum = BlockContender.Fold(sum, file.Length);
        }

        return sum;
    }
}

/// <summary>Each volume is opened once and written to all places, against file after file with a few volumes kept open.</summary>
internal sealed class VolumeByVolume : EngineRestoreTechnique
{
    public override string Name => "restore volume by volume";

    public override string Without => "file after file, the four volumes used last kept open";

    public override string IsOff => "for callers of the members of the replaced layer";

    protected override Task RestoreAsync(EngineBackup backup, TrialSetup setup, LocalRestoreDatabase database, RestorePlan plan, MetadataSpool spool, bool with) => with
        ? ByVolumeAsync(backup, setup, database, plan, spool, BlockCache.DefaultBytes)
        : new FileByFileRestore(database, backup.Downloader(setup.Folder), plan, spool).RunAsync();
}

/// <summary>Neighbours written with one call, against each block by itself.</summary>
internal sealed class CachedBlocks : EngineRestoreTechnique
{
    public override string Name => "bounded cache of blocks in a restore";

    public override string Without => "each block written by itself";

    public override string IsOff => "blocks of 4 MiB and more";

    protected override Task RestoreAsync(EngineBackup backup, TrialSetup setup, LocalRestoreDatabase database, RestorePlan plan, MetadataSpool spool, bool with) =>
        ByVolumeAsync(backup, setup, database, plan, spool, with ? BlockCache.DefaultBytes : 0);
}
