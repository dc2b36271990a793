// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Library.Main.Database.Blocks;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Blocks;

[TestFixture]
public class BlockKeyTests
{
    [TestCase(0)]
    [TestCase(16)]
    [TestCase(20)]
    [TestCase(32)]
    [TestCase(48)]
    [TestCase(64)]
    public void Text_utf8_and_digest_give_the_same_key(int length)
    {
        var digest = new byte[length];
        new Random(1).NextBytes(digest);
        var text = Convert.ToBase64String(digest);

        Assert.That(BlockKey.TryParse(text, 7, out var fromText), Is.True);
        Assert.That(BlockKey.TryParse(Encoding.UTF8.GetBytes(text), 7, out var fromUtf8), Is.True);
        Assert.That(fromUtf8, Is.EqualTo(fromText));
        Assert.That(BlockKey.FromDigest(digest, 7), Is.EqualTo(fromText));
    }

    [Test]
    public void Every_bit_of_digest_size_and_length_counts([Values(16, 32, 64)] int length)
    {
        var digest = new byte[length];
        var keys = new HashSet<BlockKey> { BlockKey.FromDigest(digest, 1), BlockKey.FromDigest(digest, 2) };
        for (var bit = 0; bit < length * 8; bit++)
        {
            var other = new byte[length];
            other[bit / 8] = (byte)(1 << (bit % 8));
            keys.Add(BlockKey.FromDigest(other, 1));
        }

        keys.Add(BlockKey.FromDigest(digest.AsSpan(1), 1));
        Assert.That(keys, Has.Count.EqualTo((length * 8) + 3));
    }

    [TestCase("QR==", Description = "unused bits of the last character are set")]
    [TestCase("QUJ=", Description = "unused bits of the last character are set")]
    [TestCase("Q", Description = "not a whole group")]
    [TestCase("QUJD QUJD", Description = "white space")]
    [TestCase("QUJD    ", Description = "white space of a whole group")]
    [TestCase("QUJD\n\n\n\n", Description = "line ends of a whole group")]
    [TestCase("QUJ*", Description = "not in the alphabet")]
    [TestCase("QUJ-", Description = "the other alphabet")]
    [TestCase("QUJ\u0141", Description = "not ASCII")]
    [TestCase("QQ", Description = "no padding")]
    public void Text_that_its_bytes_do_not_encode_to_has_no_key(string text) => Assert.That(BlockKey.TryParse(text, 1, out _), Is.False);

    [Test]
    public void Texts_of_more_than_64_bytes_have_no_key()
    {
        Assert.That(BlockKey.TryParse(Convert.ToBase64String(new byte[65]), 1, out _), Is.False);
        Assert.That(BlockKey.TryParse(Convert.ToBase64String(new byte[66]), 1, out _), Is.False);
        Assert.That(BlockKey.TryParse(new string('A', 1000), 1, out _), Is.False);
    }

    [TestCase(-1L)]
    [TestCase(1L << 31)]
    [TestCase(long.MaxValue)]
    public void Sizes_outside_31_bits_have_no_key(long size) => Assert.That(BlockKey.TryParse(BlockFixture.Hash(1), size, out _), Is.False);

    [Test]
    public void Parsing_allocates_nothing()
    {
        var text = BlockFixture.Hash(1);
        BlockKey.TryParse(text, 1, out _);
        var before = GC.GetAllocatedBytesForCurrentThread();
        for (var i = 0; i < 1000; i++)
            BlockKey.TryParse(text, i, out _);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.Zero);
    }
}
