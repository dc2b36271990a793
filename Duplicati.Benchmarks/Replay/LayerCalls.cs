// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.Benchmarks.Replay;

/// <summary>This layer, through the members that core calls. All of them have returned when a call ends.</summary>
internal abstract class LayerCalls(LocalDatabase database)
{
    public void Commit() => database.CommitAsync(default).Await();

    public long FindVolume(RecordedVolume volume) => database.GetRemoteVolumeIDAsync(volume.Name, default).Await();

    public long RegisterVolume(RecordedVolume volume) =>
        database.RegisterRemoteVolumeAsync(volume.Name, volume.Type, RemoteVolumeState.Temporary, default).Await();

    public void FinishVolume(RecordedVolume volume) =>
        database.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, volume.Size, volume.Hash, default).Await();

    public void Link(long index, long blocks) => database.AddIndexBlockLinkAsync(index, blocks, default).Await();

    public long CreateVersion(long list, long time) =>
        database.CreateFilesetAsync(list, DateTimeOffset.FromUnixTimeSeconds(time).UtcDateTime, default).Await();

    public void SetFull(long version) => database.UpdateFullBackupStateInFilesetAsync(version, true, default).Await();

    public long Prefix(string prefix) => database.GetOrCreatePathPrefixAsync(prefix, default).Await();

    protected void Check(int blockSize, bool lists) =>
        database.VerifyConsistencyAsync(blockSize, RecordedBackup.HashBytes, lists, default).Await();

    protected static DateTime Time(long ticks) => new(ticks, DateTimeKind.Utc);
}

/// <summary>A backup by this layer.</summary>
internal sealed class LayerBackupCalls : LayerCalls, IBackupCalls
{
    private readonly LocalBackupDatabase m_database;
    private readonly RecordedBackup m_backup;

    public LayerBackupCalls(string path, RecordedBackup backup)
        : this(LocalBackupDatabase.CreateAsync(path, new Options([]), default).Await(), backup) { }

    private LayerBackupCalls(LocalBackupDatabase database, RecordedBackup backup)
        : base(database) => (m_database, m_backup) = (database, backup);

    public long NewestVersion() => m_database.FilesetTimesAsync(default).Select(x => x.Key).FirstOrDefaultAsync(-1).AsTask().Await();

    public long Find(long prefix, string name, long version) => m_database.GetFileEntryAsync(prefix, name, version, default).Await().Item1;

    public string? FileHash(long file) => m_database.GetFileHashAsync(file, default).Await();

    public bool AddBlock(RecordedBlock block, long volume) => m_database.AddBlockAsync(block.Hash, block.Size, volume, default).Await();

    public long AddBlockset(RecordedBlockset content) =>
        m_database
            .AddBlocksetAsync(
                content.Hash,
                content.Length,
                m_backup.BlockSize,
                content.Blocks.Select(block => block.Hash),
                content.Lists.Select(block => block.Hash),
                default
            )
            .Await()
            .Item2;

    // The content is not asked for unless it is to be stored in the database.
    public long AddMetadata(RecordedBlockset metadata, long blockset) =>
        m_database.AddMetadatasetAsync(metadata.Hash, metadata.Length, blockset, null!, default).Await().Item2;

    public void AddFile(long prefix, string name, long modified, long blockset, long metadata) =>
        m_database.AddFileAsync(prefix, name, Time(modified), blockset, metadata, default).Await();

    public void AddKnown(long file, long modified) => m_database.AddKnownFileAsync(file, Time(modified), default).Await();

    public void Check(bool lists) => Check(m_backup.BlockSize, lists);

    public void BuildIndexes() => m_database.BuildLeftOutIndexesAsync(default).Await();

    public long CountChanges(long version, long previous)
    {
        var found = new BackupResults();
        m_database.UpdateChangeStatisticsAsync(found, default).Await();
        return HashCode.Combine(
            found.AddedFiles + found.AddedFolders + found.AddedSymlinks,
            found.DeletedFiles + found.DeletedFolders + found.DeletedSymlinks,
            found.ModifiedFiles + found.ModifiedFolders + found.ModifiedSymlinks
        );
    }

    public void Dispose() => m_database.Dispose();
}

/// <summary>A recreate by this layer.</summary>
internal sealed class LayerRecreateCalls : LayerCalls, IRecreateCalls
{
    private readonly LocalDatabase m_parent;
    private readonly LocalRecreateDatabase m_database;
    private readonly RecordedBackup m_backup;

    public LayerRecreateCalls(string path, RecordedBackup backup)
        : this(LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default).Await(), backup) { }

    private LayerRecreateCalls(LocalDatabase parent, RecordedBackup backup)
        : this(parent, LocalRecreateDatabase.CreateAsync(parent, new Options([]), null, default).Await(), backup) { }

    private LayerRecreateCalls(LocalDatabase parent, LocalRecreateDatabase database, RecordedBackup backup)
        : base(database) => (m_parent, m_database, m_backup) = (parent, database, backup);

    public long AddBlockset(RecordedBlockset content) =>
        m_database
            .AddBlocksetAsync(content.Hash, content.Length, content.Lists.Select(block => block.Hash), content.Lists.Count, default)
            .Await();

    public long AddMetadata(RecordedBlockset metadata) =>
        m_database
            .AddMetadatasetAsync(metadata.Hash, metadata.Length, metadata.Lists.Select(block => block.Hash), metadata.Lists.Count, default)
            .Await();

    public void AddEntry(long version, long prefix, RecordedFile file, long modified, long blockset, long metadata) =>
        m_database.AddFileEntryAsync(version, prefix, file.Name, Time(modified), blockset, metadata, default).Await();

    public void AddSmall(RecordedBlockset content) =>
        m_database.AddSmallBlocksetLinkAsync(content.Hash, content.Hash, content.Length, default).Await();

    public void AddBlock(RecordedBlock block, long volume) => m_database.UpdateBlockAsync(block.Hash, block.Size, volume, default).Await();

    public void AddList(string list, IReadOnlyList<string> hashes) => m_database.AddTempBlockListHashAsync(list, hashes, default).Await();

    public void Resolve()
    {
        m_database.CleanupMissingVolumesAsync(default).Await();
        m_database.FindMissingBlocklistHashesAsync(RecordedBackup.HashBytes, m_backup.BlockSize, default).Await();
        for (var pass = 0; pass < 3; pass++)
        {
            var missing = m_database.GetMissingBlockListVolumesAsync(pass, m_backup.BlockSize, RecordedBackup.HashBytes, false, default);
            if (missing.ToBlockingEnumerable().Any())
                throw new InvalidOperationException("Volumes are missing after a recreate by this layer.");
        }
    }

    public void Clean()
    {
        m_database.CleanupDeletedBlocksAsync(default).Await();
        m_database.CleanupMissingVolumesAsync(default).Await();
    }

    public void Check() => Check(m_backup.BlockSize, lists: true);

    public void Dispose()
    {
        m_database.Dispose();
        m_parent.Dispose();
    }
}
