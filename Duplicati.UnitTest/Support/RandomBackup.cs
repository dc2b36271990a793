// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Support;

/// <summary>A database of a backup of random files, row by row: a few versions that share blocks, or many with rows of their own.</summary>
internal sealed class RandomBackup : IDisposable
{
    internal const long BlockSize = 100;
    internal const int Versions = 3;
    internal const int ManyVersions = 100;

    private const int Folders = 7;

    private readonly Random m_random;
    private readonly bool m_isShared;
    private readonly List<long> m_blocks = [];
    private readonly List<long> m_volumes = [];
    private readonly List<long> m_metadata = [];
    private int m_named;

    /// <summary>A few versions: shared blocks, repeated blocks, empty files, folders, symbolic links.</summary>
    internal RandomBackup(int seed, int files = 60)
        : this(seed, isShared: true)
    {
        for (var i = 0; i < 120; i++)
            m_blocks.Add(Database.Block($"block{i}", i % 5 == 0 ? 1 + m_random.Next(99) : BlockSize, PickVolume()));
        for (var i = 0; i < 8; i++)
            m_metadata.Add(Database.Metadata(AddBlockset(1 + m_random.Next(2))));
        AddVersions(Versions, files, (_, _) => m_random.Next(3) == 0);
        Database.Close();
    }

    private RandomBackup(int seed, bool isShared)
    {
        (m_random, m_isShared) = (new Random(seed), isShared);
        for (var i = 0; i < 6; i++)
            m_volumes.Add(Database.Volume($"v{i}.dblock.zip", size: 1000 + i));
    }

    internal SampleDatabase Database { get; } = new();

    internal string Path => Database.Path;

    /// <summary>
    /// Many versions of which each has rows of its own in every table, and shares some with its neighbours. Some blocksets have blocklists,
    /// some blocks nobody uses, a hash is there in several sizes.
    /// </summary>
    internal static RandomBackup OfManyVersions(int seed)
    {
        var backup = new RandomBackup(seed, isShared: false);
        for (var i = 0; i < 20; i++)
            backup.Database.DeletedBlock($"deleted{i}", 5, backup.m_volumes[0]);
        backup.AddVersions(ManyVersions, 4, (version, file) => file != version % 4);
        foreach (var size in new[] { 7L, 5, 6 })
            backup.Database.Block("twice", size, backup.PickVolume());
        SampleDatabase.Rows(backup.Database.Close(), "ANALYZE");
        return backup;
    }

    /// <summary>The times of the oldest versions.</summary>
    internal static DateTime[] Times(int versions) =>
        [.. Enumerable.Range(0, versions).Select(i => DateTime.UnixEpoch.AddSeconds(Seconds(i)))];

    internal static long Seconds(int version) => 1_000_000 + (version * 1000);

    public void Dispose() => Database.Dispose();

    private void AddVersions(int versions, int files, Func<int, int, bool> changes)
    {
        var paths = Enumerable.Range(0, files).Select(i => $"/data/{(char)('a' + (i % Folders))}/{i}.bin").ToArray();
        var folders = Enumerable
            .Range(0, m_isShared ? Folders : 0)
            .Select(i => Database.File($"/data/{(char)('a' + i)}/", SampleDatabase.Folder, m_metadata[i]))
            .ToArray();
        var current = paths.Select(AddFile).ToArray();
        for (var version = 0; version < versions; version++)
        {
            Database.Fileset(Seconds(version), [.. folders, .. current]);
            for (var i = 0; i < current.Length; i++)
            {
                if (changes(version, i))
                    current[i] = AddFile(paths[i]);
            }
        }
    }

    private long AddFile(string path)
    {
        var metadata = m_isShared ? m_metadata[m_random.Next(m_metadata.Count)] : Database.Metadata(AddBlockset(1));
        return m_random.Next(10) == 0
            ? Database.File(path, SampleDatabase.Symlink, m_isShared ? Database.Metadata(AddBlockset(1)) : metadata)
            : Database.File(path, AddBlockset(m_random.Next(8)), metadata);
    }

    private long AddBlockset(int blocks)
    {
        var chosen = Enumerable.Range(0, blocks).Select(_ => m_isShared ? m_blocks[m_random.Next(m_blocks.Count)] : AddBlock()).ToArray();
        if (blocks > 2 && m_random.Next(4) == 0)
            chosen[1] = chosen[0];
        var set = Database.Blockset($"set{m_named++}", blocks * BlockSize, chosen);
        if (!m_isShared && m_random.Next(3) == 0)
        {
            var name = $"list{m_named++}";
            Database.Block(name, 32, m_volumes[0]);
            Database.Blocklist(set, 0, name);
        }

        return set;
    }

    // Blocks are in no order of their hashes.
    private long AddBlock()
    {
        if (m_random.Next(10) == 0)
            AddBlock();
        return Database.Block($"block{m_named++}", BlockSize, PickVolume());
    }

    private long PickVolume() => m_volumes[m_random.Next(m_volumes.Count)];
}
