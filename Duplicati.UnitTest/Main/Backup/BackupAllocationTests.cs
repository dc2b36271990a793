// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.UnitTest.Main.Blocks;

namespace Duplicati.UnitTest.Main.Backup;

/// <summary>What the members called per block and per file may allocate.</summary>
[TestFixture]
[NonParallelizable]
[Contract("A 11 hot path")]
public class BackupAllocationTests : BackupTestBase
{
    private const int Count = 5000;

    private string[] m_hashes = null!;

    [SetUp]
    public async Task SetUp()
    {
        m_hashes = [.. Enumerable.Range(0, Count).Select(i => BlockFixture.Hash(i))];
        foreach (var hash in m_hashes)
            await Db.AddBlockAsync(hash, 1024, Backup.VolumeId, default);
        await Db.CommitAsync(default);
        await Db.FindBlockIDAsync(m_hashes[0], 1024, default);
    }

    [Test]
    public void Finding_a_block_allocates_one_completed_task() =>
        Assert.That(PerCall(hash => Db.FindBlockIDAsync(hash, 1024, default)), Is.LessThanOrEqualTo(72));

    [Test]
    public void Not_finding_a_block_allocates_nothing() => Assert.That(PerCall(hash => Db.FindBlockIDAsync(hash, 1023, default)), Is.Zero);

    [Test]
    public void Adding_a_known_block_allocates_nothing() => Assert.That(PerCall(hash => Db.AddBlockAsync(hash, 1024, 1, default)), Is.Zero);

    [Test]
    public void Adding_known_files_allocates_one_bit_a_file()
    {
        var time = new DateTime(5, DateTimeKind.Utc);
        for (var i = 1; i <= 40_000; i++)
            Db.AddKnownFileAsync(i, time, default);
        Db.CommitAsync(default);
        var id = 40_000;
        Assert.That(PerCall(_ => Db.AddKnownFileAsync(++id, time, default)), Is.LessThan(1));
    }

    [Test]
    public void Linking_allocates_ids_and_parts_of_the_hashes_alone()
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        Db.AddBlocksetAsync("small", 1024, 1024, m_hashes[..1], null!, default);
        var small = GC.GetAllocatedBytesForCurrentThread() - before;

        // The least of several: what happens once in a while, whatever the number of blocks, is not what is asked for.
        var large = long.MaxValue;
        for (var i = 0; i < 5; i++)
        {
            before = GC.GetAllocatedBytesForCurrentThread();
            Db.AddBlocksetAsync($"large {i}", (Count * 1024) + i, 1024, m_hashes, null!, default);
            large = Math.Min(large, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        // An id of 8 bytes a block, in a list that doubles, and as much for the references of the sequence that are read at a time.
        Assert.That(large - small, Is.LessThan(Count * 40), "bytes for all blocks together");
    }

    private double PerCall(Action<string> call)
    {
        foreach (var hash in m_hashes.AsSpan(0, 10))
            call(hash);

        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 10; i < m_hashes.Length; i++)
            call(m_hashes[i]);
        return (GC.GetAllocatedBytesForCurrentThread() - before) / (double)(m_hashes.Length - 10);
    }
}
