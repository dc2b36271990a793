// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.SQLiteHelper.Memory;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>The memory behind the tables of blocks: bounds, growth, and giving back.</summary>
[TestFixture]
internal sealed class SlotTableTests
{
    private const long Bound = 2 << 20;

    [Test]
    public void A_table_says_that_it_is_full_before_it_takes_more_than_its_bound_and_keeps_what_it_has()
    {
        var random = new Random(LongRun.Seed());
        using var table = new KeyMap(Bound);
        var keys = new List<UInt128>();
        while (!table.IsFull)
        {
            keys.Add(RandomKey(random));
            table.Add(keys[^1], keys.Count);
        }

        Assert.That(table.Bytes, Is.InRange(Bound / 2, Bound * 5 / 4));
        for (var i = 0; i < keys.Count; i++)
            Assert.That(table.TryGet(keys[i], out var value) ? value : -1, Is.EqualTo(i + 1));
        Assert.That(Enumerable.Range(0, 1000).Any(_ => table.Contains(RandomKey(random))), Is.False);
    }

    [Test]
    public void Entries_survive_every_move_to_a_larger_reservation_of_memory()
    {
        var random = new Random(LongRun.Seed());
        using var table = new FingerprintTable();
        using var map = new KeyMap();
        var hashes = new List<ulong>();
        for (var id = 1; id <= 300_000; id++)
        {
            hashes.Add((ulong)random.NextInt64(long.MinValue, long.MaxValue));
            table.Add(hashes[^1], id);
            map.Set(new UInt128(hashes[^1], (ulong)id), id);
        }

        for (var id = 1; id <= hashes.Count; id++)
        {
            Assert.That(Candidates(table, hashes[id - 1]).Contains(id), Is.True);
            Assert.That(map.TryGet(new UInt128(hashes[id - 1], (ulong)id), out var value) && value == id, Is.True);
        }

        // Each question has about 300,000 / 2^30 candidates.
        var wrong = Enumerable.Range(0, 100_000).Sum(_ => Candidates(table, (ulong)random.NextInt64(long.MinValue, long.MaxValue)).Count);
        Assert.That(wrong, Is.LessThan(75), "candidates for absent hashes");
        Assert.That(table.Count, Is.EqualTo(hashes.Count));
        Assert.That(table.Bytes / (double)table.Count, Is.InRange(6.7, 8));
        Assert.That(map.Bytes / (double)map.Count, Is.InRange(21, 25));
    }

    [Test]
    public void A_map_of_keys_moves_into_fingerprints_without_losing_one()
    {
        var random = new Random(LongRun.Seed());
        using var map = new KeyMap();
        using var table = new FingerprintTable();
        var keys = Enumerable.Range(0, 50_000).Select(_ => new UInt128((ulong)random.NextInt64(), (ulong)random.NextInt64())).ToList();
        for (var i = 0; i < keys.Count; i++)
            map.Set(keys[i], i + 1);
        map.MoveTo(table);

        Assert.That(map.Bytes, Is.Zero);
        Assert.That(map.Contains(keys[0]), Is.False);
        Assert.That(Enumerable.Range(0, keys.Count).All(i => Candidates(table, KeyMap.HashOf(keys[i])).Contains(i + 1)), Is.True);
    }

    [Test]
    public void A_disposed_table_is_empty_and_can_be_used_again()
    {
        var key = new UInt128(1, 2);
        using var table = new KeyMap();
        table.Add(key, 7);
        table.Dispose();

        Assert.That(table.Contains(key), Is.False);
        Assert.That((table.Count, table.Bytes), Is.EqualTo((0L, 0L)));
        table.Add(key, 8);
        Assert.That(table.TryGet(key, out var value) && value == 8, Is.True);
    }

    [Test]
    public void Native_memory_is_zero_and_refuses_what_is_outside()
    {
        using var array = new NativeArray<long>(1000);
        Assert.That(array.Slice(0, 1000).IndexOfAnyExcept(0), Is.EqualTo(-1));
        Assert.That(() => array.Slice(999, 2).Length, Throws.InstanceOf<ArgumentOutOfRangeException>());
        Assert.That(() => array.Slice(-1, 1).Length, Throws.InstanceOf<ArgumentOutOfRangeException>());
        array.Dispose();
        array.Dispose();
        Assert.That(() => array.Slice(0, 1).Length, Throws.InstanceOf<ArgumentOutOfRangeException>());
    }

    /// <summary>The ids that a table has for a hash.</summary>
    internal static List<long> Candidates(FingerprintTable table, ulong hash)
    {
        var found = new List<long>();
        for (var position = -1; table.TryNext(hash, ref position, out var id); )
            found.Add(id);
        return found;
    }

    private static UInt128 RandomKey(Random random) =>
        new((ulong)random.NextInt64(long.MinValue, long.MaxValue), (ulong)random.NextInt64(long.MinValue, long.MaxValue));
}

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
