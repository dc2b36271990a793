// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Recreate;

namespace Duplicati.UnitTest.Main.Recreate;

/// <summary>The parts a rebuild remembers things with.</summary>
[TestFixture]
internal sealed class StructureTests
{
    [TestCase(0, "a3817f04ba25a8e66df67214c7550293")]
    [TestCase(1, "da87c1d86b99af44347659119b22fc45")]
    public void The_hash_function_gives_the_published_vectors(int length, string expected)
    {
        var hasher = new KeyHasher([.. Enumerable.Range(0, 16).Select(x => (byte)x)]);
        var value = hasher.Compute([.. Enumerable.Range(0, length).Select(x => (byte)x)]);
        var bytes = new byte[16];
        ((System.Numerics.IBinaryInteger<UInt128>)value).WriteLittleEndian(bytes);
        Assert.That(Convert.ToHexStringLower(bytes), Is.EqualTo(expected));
    }

    [Test]
    public void A_text_and_its_digest_have_one_key_and_the_number_counts()
    {
        var hasher = new KeyHasher();
        foreach (var length in (int[])[1, 2, 3, 16, 20, 32, 48, 64, 96])
        {
            var digest = RandomNumberGenerator.GetBytes(length);
            Assert.That(hasher.OfText(Convert.ToBase64String(digest), 7), Is.EqualTo(hasher.OfDigest(digest, 7)));
            Assert.That(hasher.OfText(Convert.ToBase64String(digest), 8), Is.Not.EqualTo(hasher.OfDigest(digest, 7)));
        }

        Assert.That(hasher.OfText("QR==", 1), Is.Not.EqualTo(hasher.OfText("QQ==", 1)));
    }

    [TestCase("QQ==")]
    [TestCase("QR==")]
    [TestCase("")]
    [TestCase("no base64")]
    [TestCase("QU\u0141D")]
    public void A_text_and_its_bytes_have_one_key(string text)
    {
        var hasher = new KeyHasher();
        foreach (var hash in (string[])[text, new string('A', 128) + text, new string('A', 300) + text])
            Assert.That(hasher.OfUtf8(Encoding.UTF8.GetBytes(hash), 7), Is.EqualTo(hasher.OfText(hash, 7)), hash);
    }

    [Test]
    public void Every_bit_of_a_digest_and_its_length_count([Values(16, 32, 64)] int length)
    {
        var hasher = new KeyHasher();
        var digest = new byte[length];
        var keys = new HashSet<UInt128> { hasher.OfDigest(digest, 1), hasher.OfDigest(digest, 2), hasher.OfDigest(digest.AsSpan(1), 1) };
        for (var bit = 0; bit < length * 8; bit++)
        {
            var other = new byte[length];
            other[bit / 8] = (byte)(1 << (bit % 8));
            keys.Add(hasher.OfDigest(other, 1));
        }

        Assert.That(keys, Has.Count.EqualTo((length * 8) + 3));
    }

    [TestCase("QQ==", 1)]
    [TestCase("QUI=", 2)]
    [TestCase("QUJD", 3)]
    [TestCase("QR==", 0)]
    [TestCase("QUJ=", 0)]
    [TestCase("QU D", 0)]
    [TestCase("====", 0)]
    [TestCase("QUJ", 0)]
    [TestCase("", 0)]
    [TestCase("QQ==QUJD", 0)]
    public void Only_text_that_encodes_back_to_itself_has_a_binary_form(string text, int expected)
    {
        var digest = new byte[HashText.MaxDigestBytes];
        Assert.That(HashText.TryDecode(text, digest, out var length), Is.EqualTo(expected > 0));
        Assert.That(length, Is.EqualTo(expected));
        if (expected > 0)
            Assert.That(Convert.ToBase64String(digest, 0, length), Is.EqualTo(text));
    }

    [TestCase("A", "==")]
    [TestCase("AA", "=")]
    public void Of_all_last_characters_those_that_encode_back_have_a_binary_form(string start, string padding)
    {
        var digest = new byte[HashText.MaxDigestBytes];
        foreach (var last in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
        {
            var text = start + last + padding;
            Assert.That(
                HashText.TryDecode(text, digest, out _),
                Is.EqualTo(Convert.ToBase64String(Convert.FromBase64String(text)) == text),
                text
            );
        }
    }

    [Test]
    public void A_key_map_does_what_a_dictionary_does()
    {
        var random = new Random(LongRun.Seed());
        var map = new KeyMap();
        var expected = new Dictionary<UInt128, long>();
        for (var i = 0; i < 200_000; i++)
        {
            // Few distinct upper halves make long runs.
            var key = new UInt128((ulong)random.NextInt64() << (random.Next(4) * 16), (ulong)random.Next(5000));
            if (random.Next(3) == 0)
                key = expected.Count > 0 ? expected.Keys.ElementAt(random.Next(Math.Min(expected.Count, 50))) : key;
            if (random.Next(4) == 0)
                Assert.That(map.Remove(key), Is.EqualTo(expected.Remove(key)));
            else
            {
                var value = random.Next(8) == 0 ? KeyMap.MaxValue : random.NextInt64(KeyMap.MaxValue);
                Assert.That(map.Set(key, value), Is.EqualTo(!expected.ContainsKey(key)));
                expected[key] = value;
            }
        }

        Assert.That(map.Count, Is.EqualTo(expected.Count));
        foreach (var (key, value) in expected)
            Assert.That(map.TryGet(key, out var found) && found == value);
    }

    [Test]
    public void A_chunked_list_is_a_list_whatever_is_added_and_cut_off()
    {
        var random = new Random(LongRun.Seed());
        var list = new ChunkedList<int>();
        var expected = new List<int>();
        for (var step = 0; step < 200; step++)
        {
            for (var added = random.Next(700); added > 0; added--)
            {
                expected.Add(random.Next());
                list.Add(expected[^1]);
            }

            var kept = random.Next(expected.Count + 2);
            list.Truncate(kept);
            expected.RemoveRange(Math.Min(kept, expected.Count), Math.Max(0, expected.Count - kept));
        }

        Assert.That(Enumerable.Range(0, list.Count).Select(i => list[i]), Is.EqualTo(expected));
        Assert.That(() => list[list.Count], Throws.InstanceOf<ArgumentOutOfRangeException>());
    }

    [Test]
    public void A_spill_buffer_gives_back_what_it_got_from_memory_and_from_its_file()
    {
        var random = new Random(LongRun.Seed());
        using var buffer = new SpillBuffer(2 << 20);
        var expected = new byte[8 << 20];
        random.NextBytes(expected);
        var length = 0;
        for (var i = 0; i < 60; i++)
        {
            var count = Math.Min(random.Next(400_000), expected.Length - length);
            Assert.That(buffer.Append(expected.AsSpan(length, count)), Is.EqualTo(length));
            length += count;
            if (random.Next(8) == 0)
            {
                length = random.Next(length);
                buffer.Truncate(length);
            }

            var start = random.Next(length);
            var read = new byte[random.Next(length - start)];
            buffer.Read(start, read);
            Assert.That(read.AsSpan().SequenceEqual(expected.AsSpan(start, read.Length)), Is.True);
        }

        Assert.That(buffer.Length, Is.EqualTo(length));
    }
}

[TestFixture]
internal sealed class RowCacheTests : RebuildTestBase
{
    [TestCase(-1, false)]
    [TestCase(0, true)]
    [TestCase(long.MaxValue, false)]
    public void A_row_with_an_id_of_a_damaged_database_is_refused(long id, bool isTaken)
    {
        var cache = new RowCache(Db.Session, "Blockset", 1 << 20);
        Assert.That(cache.TryLoad(UInt128.One, id), Is.EqualTo(isTaken));
        Assert.That(cache.TryGet(UInt128.One, out _), Is.EqualTo(isTaken));
        cache.Start(tableIsEmpty: false);
    }
}

[TestFixture]
internal sealed class StagedBlocklistTests : RebuildTestBase
{
    [Test]
    [Contract("B 3.4 AddTempBlockListHashAsync")]
    [Contract("B 9.8 rule 3")]
    public async Task A_list_that_is_staged_is_not_read_again()
    {
        Assert.That(await Rebuild.AddListAsync(Hash(1), [Hash(2)]), Is.True);
        Assert.That(await Rebuild.AddListAsync(Hash(1), Unreadable()), Is.False);
    }

    [Test]
    [Contract("B 10 Q18")]
    public async Task An_empty_list_is_accepted_every_time()
    {
        Assert.That(await Rebuild.AddListAsync(Hash(1), []), Is.True);
        Assert.That(await Rebuild.AddListAsync(Hash(1), []), Is.True);
        Assert.That(await Rebuild.AddListAsync(Hash(1), [Hash(2)]), Is.True);
    }

    [Test]
    [Contract("B 3.4 AddTempBlockListHashAsync")]
    public async Task A_list_that_fails_half_way_is_not_kept()
    {
        Assert.That(async () => await Rebuild.AddListAsync(Hash(1), Unreadable().Prepend(Hash(2))), Throws.TypeOf<InvalidDataException>());
        Assert.That(await Rebuild.AddListAsync(Hash(1), [Hash(3)]), Is.True);
    }

    [Test]
    [Contract("B 9.8 rule 8")]
    public async Task Entries_without_binary_form_connect_like_others()
    {
        var blockset = await Db.AddBlocksetAsync(Hash(1), 128, [ListHash(1, 0)], 1, default);
        await Rebuild.AddListAsync(ListHash(1, 0), [Hash(10), "odd text"]);
        await Rebuild.UpdateBlockAsync(ListHash(1, 0), 64, 100);
        await Rebuild.UpdateBlockAsync("odd text", 64, 100);
        await ResolveAsync();
        Assert.That(
            Committed(
                $"""SELECT COUNT(*) FROM BlocksetEntry e JOIN Block b ON b.ID = e.BlockID WHERE e.BlocksetID = {blockset} AND ((e."Index" = 0 AND b.Hash = '{Hash(10)}') OR (e."Index" = 1 AND b.Hash = 'odd text'))"""
            ),
            Is.EqualTo(2)
        );
    }

    private static IEnumerable<string> Unreadable()
    {
        yield return Hash(9);
        throw new InvalidDataException("the volume ends here");
    }
}
