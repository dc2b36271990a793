using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Micro.Recreate;

/// <summary>The layer, through its door.</summary>
internal sealed class LayerVariant : IRebuildVariant
{
    private readonly LocalDatabase m_parent;
    private readonly LocalRecreateDatabase m_db;
    private readonly long m_fileset;
    private readonly long m_prefix;

    internal LayerVariant(string path)
    {
        m_parent = LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, CancellationToken.None).Await();
        m_db = LocalRecreateDatabase.CreateAsync(m_parent, new Options(new Dictionary<string, string?>()), null, CancellationToken.None).Await();
        m_fileset = m_db.CreateFilesetAsync(1, DateTime.UtcNow, CancellationToken.None).Await();
        m_prefix = m_db.GetOrCreatePathPrefixAsync("/data/", CancellationToken.None).Await();
    }

    public void RegisterVolumes(long count)
    {
        for (var i = 1L; i <= count; i++)
            m_db.RegisterRemoteVolumeAsync($"dup-b{i}.dblock.zip", RemoteVolumeType.Blocks, 1 << 20, RemoteVolumeState.Verified, CancellationToken.None).Await();
    }

    public long AddBlockset(string hash, long length, string[] lists) => m_db.AddBlocksetAsync(hash, length, lists, lists.Length, CancellationToken.None).Await();

    public long AddMetadata(string hash, long length) => m_db.AddMetadatasetAsync(hash, length, [], 0, CancellationToken.None).Await();

    public void AddFile(string name, long blockset, long metadata) =>
        m_db.AddFileEntryAsync(m_fileset, m_prefix, name, DateTime.UnixEpoch, blockset, metadata, CancellationToken.None).Await();

    public void AddLink(string hash, long size) => m_db.AddSmallBlocksetLinkAsync(hash, hash, size, CancellationToken.None).Await();

    public void UpdateBlock(string hash, long size, long volume) => m_db.UpdateBlockAsync(hash, size, volume, CancellationToken.None).Await();

    public void AddList(string hash, string[] entries) => m_db.AddTempBlockListHashAsync(hash, entries, CancellationToken.None).Await();

    public void Commit() => m_db.CommitAsync(CancellationToken.None).Await();

    public void Resolve()
    {
        m_db.CleanupMissingVolumesAsync(CancellationToken.None).Await();
        m_db.FindMissingBlocklistHashesAsync(SyntheticBackup.HashBytes, SyntheticBackup.BlockBytes, CancellationToken.None).Await();
        for (var pass = 0; pass < 3; pass++)
        {
            if (m_db.GetMissingBlockListVolumesAsync(pass, SyntheticBackup.BlockBytes, SyntheticBackup.HashBytes, false, CancellationToken.None).ToBlockingEnumerable().Any())
                throw new InvalidOperationException("Nothing is missing, but a volume was asked for.");
        }
    }

    public void Cleanup() => m_db.CleanupDeletedBlocksAsync(CancellationToken.None).Await();

    public void Dispose()
    {
        m_db.Dispose();
        m_parent.Dispose();
    }
}
