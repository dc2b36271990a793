// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.Benchmarks.Scale;

/// <summary>One way to rebuild a database, driven as a recreate drives it.</summary>
internal interface IRebuild : IDisposable
{
    void RegisterVolumes(long count);

    void AddFile(SyntheticFile file);

    void AddIndex(SyntheticIndex index, long volume);

    void Commit();

    void Resolve();

    void Cleanup();
}

/// <summary>The layer, through its API.</summary>
internal sealed class ApiRebuild : IRebuild
{
    private readonly LocalDatabase m_parent;
    private readonly LocalRecreateDatabase m_db;
    private readonly long m_fileset;
    private readonly long m_prefix;

    internal ApiRebuild(string path)
    {
        m_parent = LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default).Await();
        m_db = LocalRecreateDatabase.CreateAsync(m_parent, new Options([]), null, default).Await();
        // Of no volume: new ones get ids above all that are named.
        m_fileset = m_db.CreateFilesetAsync(0, DateTime.UtcNow, default).Await();
        m_prefix = m_db.GetOrCreatePathPrefixAsync("/data/", default).Await();
    }

    public void RegisterVolumes(long count)
    {
        for (var i = 1L; i <= count; i++)
        {
            var name = $"dup-b{i}.dblock.zip";
            m_db.RegisterRemoteVolumeAsync(name, RemoteVolumeType.Blocks, 1 << 20, RemoteVolumeState.Verified, default).Await();
        }
    }

    public void AddFile(SyntheticFile file)
    {
        var blockset = m_db.AddBlocksetAsync(file.Hash, file.Length, file.Lists, file.Lists.Length, default).Await();
        var metadata = m_db.AddMetadatasetAsync(file.MetadataHash, SyntheticBackup.MetadataBytes, [], 0, default).Await();
        m_db.AddFileEntryAsync(m_fileset, m_prefix, file.Name, DateTime.UnixEpoch, blockset, metadata, default).Await();
        m_db.AddSmallBlocksetLinkAsync(file.MetadataHash, file.MetadataHash, SyntheticBackup.MetadataBytes, default).Await();
    }

    public void AddIndex(SyntheticIndex index, long volume)
    {
        for (var i = 0; i < index.Hashes.Count; i++)
            m_db.UpdateBlockAsync(index.Hashes[i], index.Sizes[i], volume, default).Await();
        foreach (var list in index.Lists)
            m_db.AddTempBlockListHashAsync(list.Hash, list.Entries, default).Await();
    }

    public void Commit() => m_db.CommitAsync(default).Await();

    public void Resolve()
    {
        m_db.CleanupMissingVolumesAsync(default).Await();
        m_db.FindMissingBlocklistHashesAsync(SyntheticBackup.HashBytes, SyntheticBackup.BlockBytes, default).Await();
        for (var pass = 0; pass < 3; pass++)
        {
            var missing = m_db.GetMissingBlockListVolumesAsync(pass, SyntheticBackup.BlockBytes, SyntheticBackup.HashBytes, false, default);
            if (missing.ToBlockingEnumerable().Any())
                throw new InvalidOperationException("Nothing is missing, but a volume was asked for.");
        }
    }

    public void Cleanup() => m_db.CleanupDeletedBlocksAsync(default).Await();

    public void Dispose()
    {
        m_db.Dispose();
        m_parent.Dispose();
    }
}

/// <summary>The provider's prepared commands, row by row, all indexes in place: the baseline. No logging, no async.</summary>
internal sealed class PlainRebuild : IRebuild
{
    private readonly SqliteConnection m_connection;
    private readonly PlainStatements m_statements;

    internal PlainRebuild(string path)
    {
        m_connection = SQLiteLoader.LoadConnection(path);
        DatabaseUpgrader.UpgradeDatabase(m_connection, path, typeof(DatabaseSchemaMarker));
        m_statements = new PlainStatements(m_connection);
        m_statements.Execute(PlainRebuildSql.Begin);
        m_statements.Execute(PlainRebuildSql.Stage);
    }

    public void RegisterVolumes(long count)
    {
        for (var i = 1L; i <= count; i++)
            m_statements.Again(PlainRebuildSql.AddVolume, i, $"dup-b{i}.dblock.zip");
    }

    public void AddFile(SyntheticFile file)
    {
        var metadata = Id(PlainRebuildSql.AddMetadata, AddBlockset(file.MetadataHash, SyntheticBackup.MetadataBytes, []));
        var blockset = AddBlockset(file.Hash, file.Length, file.Lists);
        var id =
            m_statements.Again(PlainRebuildSql.FindFile, file.Name, blockset, metadata)
            ?? m_statements.Again(PlainRebuildSql.AddFile, file.Name, blockset, metadata);
        m_statements.Again(PlainRebuildSql.AddEntry, id!);
        m_statements.Again(PlainRebuildSql.AddLink, file.MetadataHash, (long)SyntheticBackup.MetadataBytes);
    }

    public void AddIndex(SyntheticIndex index, long volume)
    {
        for (var i = 0; i < index.Hashes.Count; i++)
        {
            if (m_statements.Again(PlainRebuildSql.FindBlock, index.Hashes[i], index.Sizes[i]) is null)
                m_statements.Again(PlainRebuildSql.AddBlock, index.Hashes[i], index.Sizes[i], volume);
        }

        foreach (var list in index.Lists.Where(list => m_statements.Again(PlainRebuildSql.FindList, list.Hash) is null))
        {
            for (var i = 0; i < list.Entries.Length; i++)
                m_statements.Again(PlainRebuildSql.AddListEntry, list.Hash, list.Entries[i], (long)i);
        }
    }

    public void Commit()
    {
        m_statements.Execute(PlainRebuildSql.Commit);
        m_statements.Execute(PlainRebuildSql.Begin);
    }

    public void Resolve()
    {
        m_statements.Execute(PlainRebuildSql.Resolve);
        Commit();
    }

    public void Cleanup()
    {
        m_statements.Execute(PlainRebuildSql.Cleanup);
        Commit();
    }

    public void Dispose()
    {
        m_statements.Dispose();
        m_connection.Dispose();
    }

    private long AddBlockset(string hash, long length, string[] lists)
    {
        if (m_statements.Again(PlainRebuildSql.FindBlockset, hash, length) is long known)
            return known;
        var id = Id(PlainRebuildSql.AddBlockset, hash, length);
        for (var i = 0; i < lists.Length; i++)
            m_statements.Again(PlainRebuildSql.AddBlocklistHash, id, (long)i, lists[i]);
        return id;
    }

    private long Id(string sql, params ReadOnlySpan<object> values) => (long)m_statements.Again(sql, values)!;
}

/// <summary>Plays a backup on a way to rebuild and keeps the time spent inside it; making the hashes is not counted.</summary>
internal sealed class RebuildRun(SyntheticBackup backup, IRebuild rebuild)
{
    private readonly Dictionary<string, double> m_phases = [];

    /// <summary>Processor seconds by part, in their order.</summary>
    internal IReadOnlyDictionary<string, double> Phases => m_phases;

    /// <summary>Seconds on the clock.</summary>
    internal double Clock { get; private set; }

    internal void Run()
    {
        Time("filelist", () => rebuild.RegisterVolumes(backup.Volumes));
        for (var number = 0L; number < backup.Files; number++)
        {
            var file = backup.File(number);
            Time("filelist", () => rebuild.AddFile(file));
        }

        Time("filelist", rebuild.Commit);
        for (var volume = 0L; volume < backup.Volumes; volume++)
        {
            var (index, number) = (backup.Index(volume), volume + 1);
            Time("index files", () => rebuild.AddIndex(index, number));
        }

        Time("index files", rebuild.Commit);
        Time("resolve", rebuild.Resolve);
        Time("cleanup", rebuild.Cleanup);
        Time("close", rebuild.Dispose);
    }

    private void Time(string phase, Action work)
    {
        var (processor, clock) = (Environment.CpuUsage.TotalTime, Stopwatch.GetTimestamp());
        work();
        Clock += Stopwatch.GetElapsedTime(clock).TotalSeconds;
        m_phases[phase] = m_phases.GetValueOrDefault(phase) + (Environment.CpuUsage.TotalTime - processor).TotalSeconds;
    }
}
