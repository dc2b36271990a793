// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Restore;

/// <summary>A backup of random files in a few versions: shared blocks, repeated blocks, empty files, folders, symbolic links.</summary>
internal sealed class RandomBackup : IDisposable
{
    internal const long BlockSize = 100;
    internal const int Versions = 3;

    private readonly Random m_random;
    private readonly List<long> m_blocks = [];
    private readonly List<long> m_volumes = [];
    private readonly List<long> m_metadata = [];
    private int m_named;

    internal RandomBackup(int seed, int files = 60)
    {
        m_random = new Random(seed);
        Database = new SampleDatabase();
        for (var i = 0; i < 6; i++)
            m_volumes.Add(Database.Volume($"v{i}.dblock.zip", size: 1000 + i));
        for (var i = 0; i < 120; i++)
            m_blocks.Add(
                Database.Block($"block{i}", i % 5 == 0 ? 1 + m_random.Next(99) : BlockSize, m_volumes[m_random.Next(m_volumes.Count)])
            );
        for (var i = 0; i < 8; i++)
            m_metadata.Add(Database.Metadata(AddBlockset(1 + m_random.Next(2))));
        AddVersions(files);
        Path = Database.Close();
    }

    internal SampleDatabase Database { get; }

    internal string Path { get; }

    public void Dispose() => Database.Dispose();

    private void AddVersions(int files)
    {
        var paths = Enumerable.Range(0, files).Select(i => $"/data/{(char)('a' + (i % 7))}/{i}.bin").ToArray();
        var folders = Enumerable
            .Range(0, 7)
            .Select(i => Database.File($"/data/{(char)('a' + i)}/", SampleDatabase.Folder, m_metadata[i]))
            .ToArray();
        var current = paths.Select(AddFile).ToArray();
        for (var version = 0; version < Versions; version++)
        {
            Database.Fileset(1_000_000 + (version * 1000), [.. folders, .. current]);
            for (var i = 0; i < current.Length; i++)
            {
                if (m_random.Next(3) == 0)
                    current[i] = AddFile(paths[i]);
            }
        }
    }

    private long AddFile(string path)
    {
        var metadata = m_metadata[m_random.Next(m_metadata.Count)];
        return m_random.Next(10) == 0
            ? Database.File(path, SampleDatabase.Symlink, Database.Metadata(AddBlockset(1)))
            : Database.File(path, AddBlockset(m_random.Next(8)), metadata);
    }

    private long AddBlockset(int blocks)
    {
        var chosen = Enumerable.Range(0, blocks).Select(_ => m_blocks[m_random.Next(m_blocks.Count)]).ToArray();
        if (blocks > 2 && m_random.Next(4) == 0)
            chosen[1] = chosen[0];
        return Database.Blockset($"set{m_named++}", blocks * BlockSize, chosen);
    }
}
