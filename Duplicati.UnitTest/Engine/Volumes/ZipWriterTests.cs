// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Volumes;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>What the writer of block volumes writes is read by the framework's reader, whatever the number of entries.</summary>
[TestFixture]
internal sealed class ZipWriterTests
{
    private static readonly CompressionLevel[] s_levels =
    [
        CompressionLevel.NoCompression,
        CompressionLevel.Fastest,
        CompressionLevel.SmallestSize,
    ];

    [Test]
    public void Entries_come_back_as_they_were_given()
    {
        var random = new Random(LongRun.Seed());
        var expected = new Dictionary<string, byte[]>();
        for (var i = 0; i < 300; i++)
            expected.Add($"entry{i}", Content(random));

        var target = Write(expected.Select(x => (x.Key, x.Value, s_levels[random.Next(s_levels.Length)])));
        using var zip = new ZipArchive(target, ZipArchiveMode.Read);
        Assert.That(zip.Entries.Select(x => x.FullName), Is.EqualTo(expected.Keys));
        foreach (var entry in zip.Entries)
        {
            var content = expected[entry.FullName];
            Assert.That(Read(entry), Is.EqualTo(content));
            Assert.That(entry.CompressedLength, Is.LessThanOrEqualTo(content.Length));
            Assert.That(entry.Crc32, Is.EqualTo(System.IO.Hashing.Crc32.HashToUInt32(content)));
            Assert.That(entry.LastWriteTime.Year, Is.GreaterThanOrEqualTo(2020));
        }
    }

    [TestCase(0)]
    [TestCase(65_534)]
    [TestCase(65_535)]
    [TestCase(70_000)]
    public void Any_number_of_entries_is_found_again(int count)
    {
        var target = Write(
            Enumerable.Range(0, count).Select(x => ($"{x}", Encoding.ASCII.GetBytes($"content {x}"), CompressionLevel.NoCompression))
        );
        using var zip = new ZipArchive(target, ZipArchiveMode.Read);
        Assert.That(zip.Entries, Has.Count.EqualTo(count));
        if (count > 0)
            Assert.That(Encoding.ASCII.GetString(Read(zip.GetEntry($"{count - 1}")!)), Is.EqualTo($"content {count - 1}"));
    }

    [Test]
    public void Offsets_past_four_gibibytes_are_written_as_the_format_asks()
    {
        const long offset = (1L << 32) + 5;
        var directory = new ZipDirectory();
        var target = new MemoryStream();
        directory.Add("name"u8, new ZipDirectory.Entry(0, ZipDirectory.DosTime(new DateTime(2026, 1, 2)), 1, 2, 2), offset);
        directory.WriteTo(target, offset + 100);

        var written = target.ToArray();
        Assert.That(BitConverter.ToUInt32(written, 42), Is.EqualTo(uint.MaxValue));
        Assert.That(BitConverter.ToInt64(written, 46 + 4 + 4), Is.EqualTo(offset));
        var end = 46 + 4 + 12;
        Assert.That(BitConverter.ToUInt32(written, end), Is.EqualTo(0x06064B50));
        Assert.That(BitConverter.ToInt64(written, end + 48), Is.EqualTo(offset + 100));
        Assert.That(BitConverter.ToInt64(written, end + 56 + 8), Is.EqualTo(offset + 100 + end));
    }

    private static MemoryStream Write(IEnumerable<(string Name, byte[] Content, CompressionLevel Level)> entries)
    {
        var target = new MemoryStream();
        var writer = new ZipWriter(target);
        foreach (var (name, content, level) in entries)
            writer.Write(Encoding.ASCII.GetBytes(name), content, level);
        var length = writer.Length;
        Assert.That(target.Position, Is.EqualTo(length));
        writer.Dispose();
        writer.Dispose();
        return new MemoryStream(target.ToArray());
    }

    private static byte[] Content(Random random)
    {
        var content = new byte[random.Next(5000)];
        if (random.Next(2) == 0)
            random.NextBytes(content);
        return content;
    }

    private static byte[] Read(ZipArchiveEntry entry)
    {
        using var content = entry.Open();
        var copy = new MemoryStream();
        content.CopyTo(copy);
        return copy.ToArray();
    }
}
