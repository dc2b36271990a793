using Duplicati.Benchmarks.Micro;
using Duplicati.Benchmarks.Micro.Recreate;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Recreate;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Techniques;

/// <summary>The steps of a recreate on a new database, each to be called when a technique wants it.</summary>
internal sealed class RebuildTrial : IDisposable
{
    private const long BlockBytes = SyntheticBackup.BlockBytes;
    private const long HashBytes = SyntheticBackup.HashBytes;

    private readonly RebuildData m_data;
    private readonly List<long> m_volumes = [];
    private bool m_disposed;

    /// <summary>Makes the database and registers all volumes.</summary>
    /// <param name="path">Where; nothing may be there.</param>
    /// <param name="data">What is rebuilt.</param>
    /// <param name="limits">Memory that may be used; null for what this machine has.</param>
    /// <param name="isEmpty">False to begin with a row in one of the tables, which keeps the indexes in place.</param>
    public RebuildTrial(string path, RebuildData data, RecreateLimits? limits = null, bool isEmpty = true)
    {
        m_data = data;
        Database = LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default).Await();
        if (!isEmpty)
            Database.Session.Do(session => session.Run(TechniquesSql.AddBlocklistHash), default);
        Work = new RecreateWork(Database.Session, limits ?? RecreateLimits.ForThisMachine());
        for (var i = 0; i < data.Indexes.Count; i++)
            m_volumes.Add(Database.RegisterRemoteVolumeAsync($"dup-b{i}.dblock.zip", RemoteVolumeType.Blocks, 1 << 20, RemoteVolumeState.Verified, default).Await());
    }

    /// <summary>The database.</summary>
    public LocalDatabase Database { get; }

    /// <summary>What the members of a recreate forward to.</summary>
    public RecreateWork Work { get; }

    /// <summary>Adds a version with all files.</summary>
    public void LoadFilelist(int version = 0)
    {
        var volume = Database.RegisterRemoteVolumeAsync($"dup-{version}.dlist.zip", RemoteVolumeType.Files, 1 << 20, RemoteVolumeState.Verified, default).Await();
        var fileset = Database.CreateFilesetAsync(volume, DateTime.UnixEpoch.AddDays(version), default).Await();
        var prefix = Database.GetOrCreatePathPrefixAsync("/data/", default).Await();
        foreach (var file in m_data.Files)
        {
            var blockset = Work.Filelist.AddBlockset(file.Hash, file.Length, file.Lists, file.Lists.Length, default);
            var metadata = Work.Filelist.AddMetadataset(file.MetadataHash, SyntheticBackup.MetadataBytes, [], 0, default);
            Work.AddEntryAsync(fileset, prefix, file.Name, DateTime.UnixEpoch, blockset, metadata, default).Await();
            Work.AddLinkAsync(file.MetadataHash, file.MetadataHash, SyntheticBackup.MetadataBytes, default).Await();
            if (file.Lists.Length == 0)
                Work.AddLinkAsync(file.Hash, file.Hash, file.Length, default).Await();
        }
    }

    /// <summary>Takes in an index file in binary form.</summary>
    public void Load(int number)
    {
        var index = m_data.Indexes[number];
        Work.AddVolume(m_volumes[number], new PackedBlocks(index.Digests, index.Sizes.ToArray()), default);
        foreach (var list in index.Lists)
            Work.Blocklists.Add(list.Digest, list.Content, SyntheticBackup.HashBytes);
    }

    /// <summary>Takes in an index file text by text.</summary>
    public void LoadTexts(int number)
    {
        var index = m_data.Indexes[number];
        for (var i = 0; i < index.Hashes.Count; i++)
            Work.UpdateBlockAsync(index.Hashes[i], index.Sizes[i], m_volumes[number], default).Await();
        foreach (var list in index.Lists)
            Work.AddBlocklistAsync(list.Hash, list.Entries, default).Await();
    }

    /// <summary>Takes in all index files in binary form.</summary>
    public void LoadAll()
    {
        for (var i = 0; i < m_data.Indexes.Count; i++)
            Load(i);
    }

    /// <summary>Connects blocksets and blocks, and commits.</summary>
    public void Resolve() => Work.ResolveAsync(x => Database.Transaction.Commit(x), HashBytes, BlockBytes, default).Await();

    /// <summary>Connects all blocksets of several blocks from the first one on, whatever was done before, and commits.</summary>
    public void ResolveAnew()
    {
        Work.ResolveOnlyAsync(HashBytes, BlockBytes, withLinks: false, default).Await();
        Commit();
    }

    /// <summary>Commits.</summary>
    public void Commit() => Database.Transaction.CommitAsync(default(CancellationToken)).Await();

    /// <summary>Books unused blocks, builds the indexes that were left out, and commits.</summary>
    public void Finish() => Work.RemoveUnusedBlocksAsync(x => Database.Transaction.Commit(x), default).Await();

    /// <summary>All steps.</summary>
    public void Run()
    {
        LoadFilelist();
        LoadAll();
        Resolve();
        Finish();
    }

    /// <summary>Blocks and entries by content.</summary>
    public long Content() => BackupTrials.Content(Database);

    /// <summary>A finished database of so many blocks, closed.</summary>
    public static string Template(int blocks, int blocksPerFile) => DatabaseTemplates.Get($"rebuilt {blocks} {blocksPerFile}", path =>
    {
        using var trial = new RebuildTrial(path, RebuildData.Get(blocks, blocksPerFile));
        trial.Run();
    });

    public void Dispose()
    {
        if (m_disposed)
            return;

        m_disposed = true;
        Work.Dispose();
        Commit();
        Database.Dispose();
    }
}
