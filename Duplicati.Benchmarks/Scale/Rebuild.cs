// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Benchmarks.Replay;
using Duplicati.Library.Main;
using Duplicati.Library.SQLiteHelper;

namespace Duplicati.Benchmarks.Scale;

/// <summary>Tells the calls of a recreate what a made-up backup says.</summary>
internal sealed class SyntheticRebuild : IDisposable
{
    private const string Prefix = "/data/";

    private static readonly RecordedBackup s_backup = new()
    {
        BlockSize = SyntheticBackup.BlockBytes,
        Versions = [],
        Links = [],
    };

    private readonly IRecreateCalls m_calls;
    private readonly long m_version;
    private readonly long m_prefix;

    internal SyntheticRebuild(IRecreateCalls calls)
    {
        m_calls = calls;
        // Of no volume: new ones get ids above all that are named.
        m_version = m_calls.CreateVersion(0, DateTimeOffset.UtcNow.ToUnixTimeSeconds());
        m_prefix = m_calls.Prefix(Prefix);
    }

    /// <summary>Makes a database in a way, under the preset in force.</summary>
    internal static SyntheticRebuild Open(string way, string path) =>
        new(way == ScaleWays.Api ? new LayerRecreateCalls(path, s_backup) : Plain(path));

    /// <summary>The plain way.</summary>
    internal static PlainRecreateCalls Plain(string path) => new(path, s_backup, SQLiteLoader.LoadConnection(path));

    internal void RegisterVolumes(long count)
    {
        for (var i = 1L; i <= count; i++)
        {
            var volume = new RecordedVolume($"dup-b{i}.dblock.zip", RemoteVolumeType.Blocks, 1 << 20, "");
            m_calls.RegisterVolume(volume);
            m_calls.FinishVolume(volume);
        }
    }

    internal void AddFile(SyntheticFile file)
    {
        var content = new RecordedBlockset(file.Hash, file.Length, [], [.. file.Lists.Select(x => new RecordedBlock(x, 0, null!))]);
        var metadata = new RecordedBlockset(file.MetadataHash, SyntheticBackup.MetadataBytes, [], []);
        var recorded = new RecordedFile(Prefix, file.Name, content, 0, metadata);
        var (blockset, metadataset) = (m_calls.AddBlockset(content), m_calls.AddMetadata(metadata));
        m_calls.AddEntry(m_version, m_prefix, recorded, DateTime.UnixEpoch.Ticks, blockset, metadataset);
        m_calls.AddSmall(metadata);
    }

    internal void AddIndex(SyntheticIndex index, long volume)
    {
        for (var i = 0; i < index.Hashes.Count; i++)
            m_calls.AddBlock(new RecordedBlock(index.Hashes[i], index.Sizes[i], null!), volume);
        foreach (var list in index.Lists)
            m_calls.AddList(list.Hash, list.Entries);
    }

    internal void Commit() => m_calls.Commit();

    internal void Resolve() => m_calls.Resolve();

    internal void Cleanup() => m_calls.Clean();

    public void Dispose() => m_calls.Dispose();
}

/// <summary>Plays a backup on a way to rebuild and keeps the time spent inside it; making the hashes is not counted.</summary>
internal sealed class RebuildRun(SyntheticBackup backup, SyntheticRebuild rebuild)
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
