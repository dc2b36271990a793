// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>The structures behind the block map against a dictionary.</summary>
[TestFixture]
public class BlockTableTests
{
    private static readonly KeyHasher s_hasher = new(new byte[16]);

    [Test]
    public void Fingerprint_table_gives_every_id_among_its_candidates([Values(1, 2)] int seed)
    {
        TestContext.Out.WriteLine($"seed {seed}");
        var random = new Random(seed);
        var table = new FingerprintTable();
        var expected = new Dictionary<ulong, long>();
        for (var step = 1; step < 100_000; step++)
        {
            var key = MadeUpKey(random.Next(150_000));
            if (expected.TryAdd(key, step))
                table.Add(key, step);
        }

        Assert.That(table.Count, Is.EqualTo(expected.Count));
        var wrong = 0;
        for (var i = 0; i < 150_000; i++)
        {
            var candidates = Candidates(table, MadeUpKey(i));
            if (expected.TryGetValue(MadeUpKey(i), out var id))
                Assert.That(candidates, Does.Contain(id));
            else
                wrong += candidates.Count;
        }

        // About 75,000 questions, each with 75,000 / 2^30 candidates.
        Assert.That(wrong, Is.LessThan(25), "candidates for absent keys");
        Assert.That(table.Bytes / (double)table.Count, Is.LessThan(40));
    }

    [Test]
    public void Fingerprint_table_holds_equal_fingerprints_side_by_side()
    {
        var table = new FingerprintTable();
        for (var id = 1; id <= 100; id++)
            table.Add(42, id);
        Assert.That(Candidates(table, 42), Is.EquivalentTo(Enumerable.Range(1, 100)));
    }

    [Test]
    public void Filter_never_denies_what_was_added_and_denies_nearly_all_else()
    {
        var filter = new BlockFilter(100_000, long.MaxValue);
        for (var i = 0; i < 100_000; i++)
            filter.Add(MadeUpKey(i));

        Assert.That(filter.Bytes, Is.InRange(100_000, 140_000));
        Assert.That(Enumerable.Range(0, 100_000).All(i => filter.MayContain(MadeUpKey(i))), Is.True);
        Assert.That(Enumerable.Range(100_000, 100_000).Count(i => filter.MayContain(MadeUpKey(i))), Is.LessThan(4_000));
    }

    [Test]
    public void Filter_stays_within_its_bytes()
    {
        Assert.That(new BlockFilter(1_000_000, 4096).Bytes, Is.EqualTo(4096));
        Assert.That(new BlockFilter(1_000_000, 1).Bytes, Is.EqualTo(64));
    }

    private static List<long> Candidates(FingerprintTable table, ulong hash)
    {
        var found = new List<long>();
        for (var position = -1; table.TryNext(hash, ref position, out var id); )
            found.Add(id);
        return found;
    }

    // Of digests that differ in few bits.
    [Test]
    public void Keys_that_differ_in_any_of_the_bits_that_are_kept_are_told_apart()
    {
        var key = s_hasher.OfDigest(BitConverter.GetBytes(7), 1024);
        var others = Enumerable.Range(0, 128).Where(bit => bit is < 32 or >= 64).Select(bit => key ^ (UInt128.One << bit)).ToList();
        using var map = new KeyMap();
        map.Set(key, 1000);
        for (var i = 0; i < others.Count; i++)
            Assert.That(map.Set(others[i], i), Is.True, $"{others[i]:x}");

        for (var i = 0; i < others.Count; i++)
            Assert.That(map.TryGet(others[i], out var value) ? value : -1, Is.EqualTo(i));
        Assert.That(map.TryGet(key, out var first) ? first : -1, Is.EqualTo(1000));
    }

    private static ulong MadeUpKey(int number) => KeyMap.HashOf(s_hasher.OfDigest(BitConverter.GetBytes(number), 1024));
}
