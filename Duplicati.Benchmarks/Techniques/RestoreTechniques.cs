using Duplicati.Benchmarks.Micro.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Operation.Restore;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>A technique of the data layer's part in a restore, of files of a hundred blocks.</summary>
internal abstract class RestoreTechnique : Technique
{
    protected const int BlocksPerFile = 100;

    public override string Entry => "block";

    /// <summary>Opens the database with the list of all files.</summary>
    protected static LocalRestoreDatabase Open(TrialSetup setup)
    {
        var database = LocalRestoreDatabase.CreateAsync(setup.Copy(RebuildTrial.Template(setup.Blocks, BlocksPerFile)), null, default).Await();
        database.PrepareRestoreFilelistAsync(new DateTime(0, DateTimeKind.Utc), null, null, true, default).Await();
        database.SetTargetPathsAsync("/data/", "/target/", default).Await();
        return database;
    }

    /// <summary>One use of a block, as a number that adds up in any order.</summary>
    protected static long Use(long block, long volume, long file, long index, bool isMetadata) =>
        ((((block * 31) + volume) * 31) + file) * 31 * (index + (isMetadata ? 500 : 1));
}

/// <summary>What a restore needs: in one pass ordered by volume, or file by file as the members of the replaced layer give it.</summary>
internal sealed class OrderedNeeds : RestoreTechnique
{
    public override string Name => "restore volume by volume: the question alone";

    public override string Without => "the blocks of each file and of its metadata, each volume asked for once";

    public override string IsOff => "for callers of the members of the replaced layer";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = Open(setup);
        var sum = 0L;
        return new Trial(() => sum = with ? ByVolume(database) : ByFile(database), () => sum, database);
    }

    private static long ByVolume(LocalRestoreDatabase database)
    {
        var sum = 0L;
        foreach (var volume in database.GetNeedsByVolumeAsync(false, default).ToBlockingEnumerable())
        {
            sum += volume.Name.Length;
            foreach (var block in volume.Blocks)
            {
                foreach (var place in block.Uses.Span)
                    sum += Use(block.BlockId, volume.VolumeId, place.FileId, place.Index, place.IsMetadata);
            }
        }

        return sum;
    }

    private static long ByFile(LocalRestoreDatabase database)
    {
        var sum = 0L;
        var volumes = new HashSet<long>();
        foreach (var file in database.GetFilesAndSymlinksToRestoreAsync(default).ToBlockingEnumerable())
        {
            sum += Add(database, volumes, file.ID, database.GetBlocksFromFileAsync(file.BlocksetID, default), false);
            sum += Add(database, volumes, file.ID, database.GetMetadataBlocksFromFileAsync(file.ID, default), true);
        }

        return sum;
    }

    private static long Add(LocalRestoreDatabase database, HashSet<long> volumes, long file, IAsyncEnumerable<BlockRequest> blocks, bool isMetadata)
    {
        var sum = 0L;
        foreach (var block in blocks.ToBlockingEnumerable())
        {
            sum += Use(block.BlockID, block.VolumeID, file, block.BlockOffset, isMetadata);
            if (volumes.Add(block.VolumeID))
                sum += database.GetVolumeInfoAsync(block.VolumeID, default).ToBlockingEnumerable().Single().Item1.Length;
        }

        return sum;
    }
}

/// <summary>The blocks of each file by readers that stay open, or by one that is opened for it.</summary>
internal sealed class PooledReaders : RestoreTechnique
{
    public override string Name => "pooled read connections";

    public override string Without => "a connection opened and closed a file";

    public override string IsOff => "after DisposePoolAsync, until the next read";

    public override string Entry => "file of 100 blocks";

    public override int Entries(int blocks) => (blocks + BlocksPerFile - 1) / BlocksPerFile;

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = Open(setup);
        var files = database.GetFilesAndSymlinksToRestoreAsync(default).ToBlockingEnumerable().Select(file => file.BlocksetID).ToList();
        var sum = 0L;
        return new Trial(
            () =>
            {
                foreach (var blockset in files)
                {
                    foreach (var block in database.GetBlocksFromFileAsync(blockset, default).ToBlockingEnumerable())
                        sum = BlockContender.Fold(sum, block.BlockID);
                    if (!with)
                        database.DisposePoolAsync().Await();
                }
            },
            () => sum,
            database);
    }
}

/// <summary>A restore's preparation that needs no list of blocks, against one that builds it because a marker is asked for.</summary>
internal sealed class ListsOnDemand : RestoreTechnique
{
    public override string Name => "block list of a restore on demand";

    public override string Without => "built first, as for a restore that marks blocks";

    public override string IsOff => "a marker, a search for sources, or a question about missing volumes was asked for";

    public override Trial Begin(TrialSetup setup, bool with)
    {
        var database = Open(setup);
        var sum = 0L;
        return new Trial(
            () =>
            {
                database.FindMissingBlocksAsync(false, default).Await();
                if (!with)
                {
                    database.CreateProgressTrackerAsync(false, default).Await();
                    database.CreateBlockMarkerAsync(default).Await().Dispose();
                }

                foreach (var (block, volume) in database.GetBlocksAndVolumeIDsAsync(false, default).ToBlockingEnumerable())
                    sum += block + volume;
            },
            () => sum,
            database);
    }
}
