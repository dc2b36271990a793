// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>The structures behind the block map, where they come to their bounds.</summary>
[TestFixture]
public class BlockTableTests
{
    private static readonly KeyHasher s_hasher = new(new byte[16]);

    [Test]
    public void Fingerprint_table_holds_equal_fingerprints_side_by_side()
    {
        var table = new FingerprintTable();
        for (var id = 1; id <= 100; id++)
            table.Add(42, id);
        Assert.That(SlotTableTests.Candidates(table, 42), Is.EquivalentTo(Enumerable.Range(1, 100)));
    }

    [Test]
    public void Filter_stays_within_its_bytes()
    {
        Assert.That(new BlockFilter(1_000_000, 4096).Bytes, Is.EqualTo(4096));
        Assert.That(new BlockFilter(1_000_000, 1).Bytes, Is.EqualTo(64));
    }

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
}
