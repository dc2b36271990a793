// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.UnitTest.Main.Backup;

namespace Duplicati.UnitTest.Main.Blocks;

/// <summary>What a backup and a recreate know of blocks in memory, against a dictionary and the table.</summary>
[TestFixture]
internal sealed class BlockIdsTests : BackupTestBase
{
    // 16 in each segment of the fingerprints: of so many none gets several times its share by chance, as of 4 it may.
    private const int Rows = 16_000;

    private BlockAppender m_appender = null!;
    private BlockIds m_ids = null!;
    private KeyHasher m_hasher = null!;

    [SetUp]
    public void SetUp()
    {
        m_appender = new BlockAppender(Db.Session);
        m_ids = new BlockIds(Db.Session, m_appender);
        m_hasher = new KeyHasher();
    }

    [TearDown]
    public void TearDown() => m_ids.Dispose();

    [TestCase(1L << 20, "keys")]
    [TestCase(400_000L, "fingerprints")]
    [TestCase(80_000L, "unloaded")]
    public void Random_blocks_have_the_ids_of_a_dictionary(long bytes, string tier)
    {
        var random = new Random(LongRun.Seed());
        var expected = new Dictionary<(string, long), long>();
        m_ids.Start(bytes);
        while (expected.Count < Rows)
        {
            var (digest, size) = (SHA256.HashData(BitConverter.GetBytes(random.Next(2 * Rows))), random.Next(3));
            var hash = Convert.ToBase64String(digest);
            var key = random.Next(2) == 0 ? m_hasher.OfText(hash, size) : m_hasher.OfDigest(digest, size);
            var found = random.Next(2) == 0 ? m_ids.Find(key, hash, size) : m_ids.Find(key, digest, size);
            Assert.That(found, Is.EqualTo(expected.GetValueOrDefault((hash, size), -1)), $"block {expected.Count}, {m_ids.Tier}");
            if (found < 0)
            {
                expected[(hash, size)] = m_appender.Add(hash, size, 1);
                m_ids.Add(key, expected[(hash, size)]);
            }
        }

        Assert.That(m_ids.Tier, Is.EqualTo(tier));
        Assert.That(m_ids.Bytes, Is.InRange(m_ids.IsComplete ? 5 * Rows : 0, bytes));
        Assert.That(m_ids.Count, Is.EqualTo(m_ids.IsComplete ? Rows : 0));
    }

    [Test]
    public void A_block_with_the_fingerprint_of_another_is_not_taken_for_it([Values] bool waits)
    {
        m_ids.Start(1000, Rows);
        Assert.That(m_ids.IsVerifying, Is.True);
        var digests = Enumerable.Range(0, 3).Select(i => Convert.FromBase64String(BlockFixture.Hash(i))).ToArray();
        var keys = Enumerable.Range(0, 3).Select(i => new UInt128(42, (ulong)i)).ToArray();
        for (var i = 0; i < 2; i++)
        {
            var id = waits ? m_appender.AddOneOfMany(digests[i], 7, 1) : m_appender.Add(Convert.ToBase64String(digests[i]), 7, 1);
            m_ids.Add(keys[i], id);
        }

        Assert.That(Enumerable.Range(0, 3).Select(i => m_ids.Find(keys[i], digests[i], 7)), Is.EqualTo(new[] { 1L, 2, -1 }));
        Assert.That(m_ids.Find(keys[0], digests[0], 8), Is.EqualTo(-1), "the size counts");
    }

    [Test]
    public void Keys_of_which_too_many_begin_alike_end_with_the_table()
    {
        m_ids.Start(80_000);
        var keys = Enumerable.Range(0, 200).Select(i => new UInt128((ulong)i, (ulong)i)).ToArray();
        for (var i = 0; i < keys.Length; i++)
            m_ids.Add(keys[i], m_appender.Add(BlockFixture.Hash(i), 1024, 1));

        Assert.That(m_ids.Tier, Is.EqualTo("unloaded"), "when keys moved into fingerprints, all were for one segment");
        Assert.That(keys.Select((key, i) => m_ids.Find(key, BlockFixture.Hash(i), 1024)), Is.EqualTo(Enumerable.Range(1, keys.Length)));
    }

    [Test]
    public void Behind_a_filter_every_block_is_found_and_nearly_all_else_needs_no_table()
    {
        m_ids.StartFilter(1 << 20, Rows);
        for (var i = 0; i < Rows; i++)
            m_ids.Add(m_hasher.OfText(BlockFixture.Hash(i), 1024), m_appender.Add(BlockFixture.Hash(i), 1024, 1));

        for (var i = 0; i < 2 * Rows; i++)
            Assert.That(Find(i), Is.EqualTo(i < Rows ? i + 1 : -1));
        Assert.That(Db.Session.BlockLookUps.Misses, Is.InRange(Rows, Rows + (Rows / 20)), "look-ups that asked the table");
        Assert.That(Db.Session.BlockLookUps.Requests, Is.EqualTo(2 * Rows));
        Assert.That(m_ids.Bytes, Is.InRange(Rows, Rows * 7 / 5));
    }

    [TestCase(0L)]
    [TestCase(-3L)]
    [TestCase(FingerprintTable.MaxId + 1)]
    public void An_id_that_no_structure_holds_ends_with_the_table(long id)
    {
        m_ids.Start(1 << 20);
        Backup.Execute($"""INSERT INTO "Block" ("ID", "Hash", "Size", "VolumeID") VALUES ({id}, '{BlockFixture.Hash(1)}', 1024, 1)""");
        m_ids.Add(m_hasher.OfText(BlockFixture.Hash(1), 1024), id);
        Assert.That(m_ids.IsComplete, Is.False);
        Assert.That(Find(1), Is.EqualTo(id));
        Assert.That(Find(2), Is.EqualTo(-1));
    }

    private long Find(int number) => m_ids.Find(m_hasher.OfText(BlockFixture.Hash(number), 1024), BlockFixture.Hash(number), 1024);
}
