// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
public sealed class EncodingTests
{
    private static IEnumerable<VolumeHash> Algorithms => VolumeHash.Known;

    [TestCaseSource(nameof(Algorithms))]
    [Contract("B 8.4")]
    public void A_digest_survives_all_its_spellings(VolumeHash algorithm)
    {
        var random = new Random(LongRun.Seed());
        for (var i = 0; i < 1000; i++)
        {
            var digest = VolumeFixture.RandomBytes(random, algorithm.DigestSize);
            var base64 = Convert.ToBase64String(digest);
            var name = HashEncoding.ToEntryName(base64);
            Assert.That(
                name,
                Has.Length.EqualTo(HashEncoding.Base64Length(algorithm.DigestSize)).And.Not.Contain('+').And.Not.Contain('/')
            );
            Assert.That(HashEncoding.FromEntryName(name), Is.EqualTo(base64));
            Assert.That(HashEncoding.IsBlockName(name));
            var back = new byte[algorithm.DigestSize];
            Assert.That(HashEncoding.TryDecode(base64, back) && back.AsSpan().SequenceEqual(digest));
            Assert.That(HashEncoding.TryDecode(Encoding.ASCII.GetBytes(base64), back) && back.AsSpan().SequenceEqual(digest));
            Assert.That(HashEncoding.TryDecode(base64, new byte[algorithm.DigestSize - 3]), Is.False);
        }
    }

    [TestCase("")]
    [TestCase("AAAA AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    [TestCase("\r\n\r\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    [TestCase("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA")]
    [TestCase("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA==")]
    [TestCase("-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    [TestCase("éAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    public void What_is_no_digest_of_32_bytes_is_refused(string text)
    {
        Assert.That(HashEncoding.TryDecode(text, new byte[32]), Is.False);
        Assert.That(HashEncoding.TryDecode(Encoding.UTF8.GetBytes(text), new byte[32]), Is.False);
    }

    [TestCase("manifest", false)]
    [TestCase("abcd", true)]
    [TestCase("ab==", true)]
    [TestCase("a===", false)]
    [TestCase("====", false)]
    [TestCase("", false)]
    [TestCase("abc", false)]
    [TestCase("ab+d", false)]
    [TestCase("ab=d", false)]
    [TestCase("../x", false)]
    [TestCase("vol/abcd", false)]
    [Contract("B 8.6")]
    public void Block_names_are_told_from_others(string name, bool expected) =>
        Assert.That(HashEncoding.IsBlockName(name), Is.EqualTo(expected));

    [Test]
    public void Algorithms_are_found_in_any_case_and_unknown_ones_are_none()
    {
        Assert.That(VolumeHash.Find("sha256"), Is.SameAs(VolumeHash.Sha256));
        Assert.That(VolumeHash.Find("CRC32"), Is.Null);
    }

    [TestCaseSource(nameof(Algorithms))]
    public async Task A_stream_and_its_bytes_have_the_same_hash(VolumeHash algorithm)
    {
        var bytes = VolumeFixture.RandomBytes(new Random(1), 300_001);
        using var stream = new MemoryStream(bytes);
        Assert.That(await algorithm.HashAsync(stream, default), Is.EqualTo((algorithm.HashToBase64(bytes), 300_001L)));
    }

    [Test]
    public void Times_are_written_and_read_as_the_framework_writes_them()
    {
        var random = new Random(LongRun.Seed());
        for (var i = 0; i < 10_000; i++)
        {
            var time = new DateTime(random.NextInt64(DateTime.MaxValue.Ticks), DateTimeKind.Utc);
            var bytes = new byte[VolumeTime.LENGTH];
            VolumeTime.Format(time, bytes);
            var text = Encoding.ASCII.GetString(bytes);
            Assert.That(
                text,
                Is.EqualTo(time.ToString("yyyyMMddTHHmmssZ", CultureInfo.InvariantCulture)).And.EqualTo(VolumeTime.Format(time))
            );
            Assert.That(
                VolumeTime.TryParse(text, out var read)
                    && read == time.AddTicks(-(time.Ticks % TimeSpan.TicksPerSecond))
                    && read.Kind == DateTimeKind.Utc,
                text
            );
        }
    }

    [TestCase("")]
    [TestCase("20260102T030405")]
    [TestCase("20260102T030405ZZ")]
    [TestCase("20260102t030405Z")]
    [TestCase("20260102T030405z")]
    [TestCase("20260102 030405Z")]
    [TestCase(" 0260102T030405Z")]
    [TestCase("2026010 T030405Z")]
    [TestCase("20260102T03040 Z")]
    [TestCase("20260102T-30405Z")]
    [TestCase("00000102T030405Z")]
    [TestCase("20260002T030405Z")]
    [TestCase("20261302T030405Z")]
    [TestCase("20260100T030405Z")]
    [TestCase("20260229T030405Z")]
    [TestCase("20260102T240000Z")]
    [TestCase("20260102T036005Z")]
    [TestCase("20260102T030460Z")]
    [TestCase("20261231T235960Z")]
    [TestCase("2026010\u0662T030405Z")]
    public void What_is_no_time_is_refused(string text) =>
        Assert.That(
            (VolumeTime.TryParse(text, out _), VolumeTime.TryParse(Encoding.UTF8.GetBytes(text), out _)),
            Is.EqualTo((false, false))
        );

    [Test]
    public void Json_texts_are_read_back_by_the_framework_and_by_the_reader()
    {
        var random = new Random(LongRun.Seed());
        for (var i = 0; i < 300; i++)
        {
            var text = RandomText(random, random.Next(200));
            var json = Write(text);
            var token = new JsonTokenStream(new MemoryStream(json), "volume", "entry");
            Assert.That(token.NextString(), Is.EqualTo(text));
            if (!HasLoneSurrogate(text))
                Assert.That(System.Text.Json.JsonSerializer.Deserialize<string>(json), Is.EqualTo(text));
        }
    }

    [Test]
    public void A_text_longer_than_every_buffer_is_written_and_read_whole()
    {
        var text = RandomText(new Random(3), 120_000);
        using var token = new JsonTokenStream(new MemoryStream(Write(text)), "volume", "entry");
        Assert.That(token.NextString(), Is.EqualTo(text));
    }

    private static byte[] Write(string text)
    {
        using var target = new MemoryStream();
        using (var json = new JsonTextWriter(target, byteOrderMark: false))
            json.Text(text);
        return target.ToArray();
    }

    private static string RandomText(Random random, int length) =>
        new([
            .. Enumerable
                .Range(0, length)
                .Select(_ =>
                    random.Next(6) switch
                    {
                        0 => (char)random.Next(0x20),
                        1 => (char)random.Next(0xD800, 0xE000),
                        2 => (char)random.Next(0x10000),
                        3 => "\"\\\u2028\u0085/"[random.Next(5)],
                        _ => (char)random.Next(0x20, 0x7F),
                    }
                ),
        ]);

    private static bool HasLoneSurrogate(string text)
    {
        for (var i = 0; i < text.Length; i++)
        {
            if (char.IsHighSurrogate(text[i]) && i + 1 < text.Length && char.IsLowSurrogate(text[i + 1]))
                i++;
            else if (char.IsSurrogate(text[i]))
                return true;
        }

        return false;
    }
}
