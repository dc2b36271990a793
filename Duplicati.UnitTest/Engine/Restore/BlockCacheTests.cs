// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Restore;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Restore;

[TestFixture]
public class BlockCacheTests : FolderTestBase
{
    private const int Blocksize = 16;
    private const int Files = 3;
    private const int BlocksPerFile = 40;

    private readonly ConcurrentDictionary<long, string> m_problems = new();
    private Dictionary<long, string> m_paths = null!;

    [SetUp]
    public void MakeFiles()
    {
        m_problems.Clear();
        m_paths = Enumerable.Range(1, Files).ToDictionary(id => (long)id, id => Folder.File($"file{id}"));
        foreach (var path in m_paths.Values)
            File.WriteAllBytes(path, new byte[Blocksize * BlocksPerFile]);
    }

    [TestCase(0)]
    [TestCase(5 * Blocksize)]
    [TestCase(1 << 20)]
    public void Every_block_comes_to_all_its_places_whatever_their_order(int bytes)
    {
        var seed = TestContext.CurrentContext.Random.Next();
        TestContext.Out.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var expected = m_paths.Keys.ToDictionary(id => id, _ => new byte[Blocksize * BlocksPerFile]);
        var free = m_paths.Keys.SelectMany(id => Enumerable.Range(0, BlocksPerFile).Select(index => (File: id, Index: index))).ToList();
        using (var cache = new BlockCache(m_paths, m_problems, Blocksize, bytes))
        {
            while (free.Count > 0)
            {
                var start = Keep(cache, random, Blocksize, out var content);
                // One in a row of neighbours as a rule, and up to three anywhere.
                for (var uses = random.Next(1, 4); uses > 0 && free.Count > 0; uses--)
                {
                    var at = random.Next(2) == 0 ? 0 : random.Next(free.Count);
                    var (file, index) = free[at];
                    free.RemoveAt(at);
                    cache.Add(file, (long)index * Blocksize, start);
                    content.CopyTo(expected[file], index * Blocksize);
                }
            }

            cache.Write();
        }

        foreach (var (id, path) in m_paths)
            Assert.That(File.ReadAllBytes(path), Is.EqualTo(expected[id]), path);
    }

    [Test]
    public void A_short_block_ends_a_file_and_what_is_not_written_leaves_it_alone()
    {
        using var cache = new BlockCache(m_paths, m_problems, Blocksize, 1 << 20);
        var first = Keep(cache, new Random(1), Blocksize, out var full);
        cache.Add(1, 0, first);
        var second = Keep(cache, new Random(2), 5, out var rest);
        cache.Add(1, Blocksize, second);
        Assert.That(File.ReadAllBytes(m_paths[1]), Is.All.Zero, "nothing is written before there is need");

        cache.Write();
        Assert.That(File.ReadAllBytes(m_paths[1])[..(Blocksize + 5)], Is.EqualTo(full.Concat(rest)));
        Assert.That(File.ReadAllBytes(m_paths[1])[(Blocksize + 5)..], Is.All.Zero);
        Assert.That(File.ReadAllBytes(m_paths[2]), Is.All.Zero);
    }

    [Test]
    public void A_place_in_a_file_that_is_not_restored_is_left_out()
    {
        using var cache = new BlockCache(m_paths, m_problems, Blocksize, 1 << 20);
        var start = Keep(cache, new Random(1), Blocksize, out var content);
        cache.Add(99, 0, start);
        cache.Add(2, 0, start);
        Assert.That(cache.Write, Throws.Nothing);
        Assert.That(File.ReadAllBytes(m_paths[2])[..Blocksize], Is.EqualTo(content));
    }

    [Test]
    public void A_file_that_cannot_be_written_fails_alone()
    {
        File.Delete(m_paths[1]);
        Directory.CreateDirectory(m_paths[1]);
        using var cache = new BlockCache(m_paths, m_problems, Blocksize, 1 << 20);
        var start = Keep(cache, new Random(1), Blocksize, out var content);
        cache.Add(1, 0, start);
        cache.Add(2, 0, start);
        Assert.That(cache.Write, Throws.Nothing);
        Assert.That(m_problems.Keys, Is.EqualTo(new[] { 1L }));
        Assert.That(File.ReadAllBytes(m_paths[2])[..Blocksize], Is.EqualTo(content));
    }

    private static int Keep(BlockCache cache, Random random, int length, out byte[] content)
    {
        content = VolumeFixture.RandomBytes(random, length);
        content.CopyTo(cache.Room());
        return cache.Keep(length);
    }
}
