// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Support;

namespace Duplicati.UnitTest.Main.Delete;

/// <summary>A hundred versions of which each has rows of its own in every table, and shares some with its neighbours.</summary>
internal sealed class VersionsSample : IDisposable
{
    internal const int Versions = 100;

    private readonly Random m_random;
    private readonly long[] m_volumes;
    private int m_named;

    internal VersionsSample(int seed)
    {
        m_random = new Random(seed);
        m_volumes = [.. Enumerable.Range(0, 5).Select(i => Database.Volume($"v{i}.dblock.zip"))];
        for (var i = 0; i < 20; i++)
            Database.DeletedBlock($"deleted{i}", 5, m_volumes[0]);
        var before = Array.Empty<long>();
        for (var version = 0; version < Versions; version++)
        {
            long[] own = [.. Enumerable.Range(0, 3).Select(_ => AddFile())];
            Database.Fileset(Seconds(version), [.. own, .. before]);
            before = own[..1];
        }

        // A hash in two sizes, both of them used by nothing.
        foreach (var size in new[] { 7L, 5, 6 })
            Database.Block("twice", size, m_volumes[m_random.Next(m_volumes.Length)]);
        Database.Close();
        SampleDatabase.Rows(Path, "ANALYZE");
    }

    internal SampleDatabase Database { get; } = new();

    internal string Path => Database.Path;

    /// <summary>The times of the oldest versions.</summary>
    internal static DateTime[] Times(int versions) =>
        [.. Enumerable.Range(0, versions).Select(i => DateTime.UnixEpoch.AddSeconds(Seconds(i)))];

    internal static long Seconds(int version) => 1_000_000 + (version * 1000);

    public void Dispose() => Database.Dispose();

    // Blocks are in no order of their hashes; some blocksets have blocklists, some blocks nobody uses.
    private long AddFile()
    {
        var blocks = Enumerable.Range(0, m_random.Next(8)).Select(_ => AddBlock()).ToArray();
        var set = Database.Blockset($"set{m_named++}", blocks.Length * 10, blocks);
        if (m_random.Next(3) == 0)
        {
            var name = $"list{m_named++}";
            Database.Block(name, 32, m_volumes[0]);
            Database.Blocklist(set, 0, name);
        }

        return Database.File($"/data/{m_named++}", set, Database.Metadata(Database.Blockset($"meta{m_named++}", 10, AddBlock())));
    }

    private long AddBlock()
    {
        if (m_random.Next(10) == 0)
            AddBlock();
        return Database.Block($"block{m_named++}", 10, m_volumes[m_random.Next(m_volumes.Length)]);
    }
}
