// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>What the writer of block volumes writes is read by the framework's reader, whatever the number of entries.</summary>
[TestFixture]
internal sealed class ZipWriterTests
{
    [Test]
    public void Entries_come_back_as_they_were_given([Range(0, 9)] int level)
    {
        var random = new Random(LongRun.Seed());
        var expected = new Dictionary<string, byte[]>();
        for (var i = 0; i < 300; i++)
            expected.Add($"entry{i}", Content(random));

        var target = Write(expected.Select(x => (x.Key, x.Value, random.Next(2) == 0)), level);
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
        var target = Write(Enumerable.Range(0, count).Select(x => ($"{x}", Encoding.ASCII.GetBytes($"content {x}"), false)));
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
        directory.Add("name"u8, new ZipDirectory.Entry(ZipMethod.None, ZipDirectory.DosTime(new DateTime(2026, 1, 2)), 1, 2, 2), offset);
        directory.WriteTo(target, offset + 100);

        var written = target.ToArray();
        Assert.That(BitConverter.ToUInt32(written, 42), Is.EqualTo(uint.MaxValue));
        Assert.That(BitConverter.ToInt64(written, 46 + 4 + 4), Is.EqualTo(offset));
        var end = 46 + 4 + 12;
        Assert.That(BitConverter.ToUInt32(written, end), Is.EqualTo(0x06064B50));
        Assert.That(BitConverter.ToInt64(written, end + 48), Is.EqualTo(offset + 100));
        Assert.That(BitConverter.ToInt64(written, end + 56 + 8), Is.EqualTo(offset + 100 + end));
    }

    [TestCase(3, 1L << 32, 28)]
    [TestCase(1L << 32, 3, 28)]
    [TestCase(1L << 32, 1L << 33, 28)]
    public void Sizes_past_four_gibibytes_are_written_as_the_format_asks(long packed, long bytes, int extra)
    {
        const long offset = (1L << 32) + 5;
        var directory = new ZipDirectory();
        var target = new MemoryStream();
        directory.Add("name"u8, new ZipDirectory.Entry(ZipMethod.Deflate, 0, 1, packed, bytes), offset);
        target.Write(new byte[100]);
        directory.WriteTo(target, 100);

        var written = target.ToArray();
        Assert.That(BitConverter.ToUInt16(written, 100 + 30), Is.EqualTo(extra));
        Assert.That(
            ZipContainer.Entries(target).Single(),
            Is.EqualTo(new VolumeEntry("name", bytes, packed, offset, ZipMethod.Deflate, 1))
        );
    }

    [Test]
    public void Entries_written_piece_by_piece_come_back([Values(0, 1, 100_000)] int length)
    {
        var content = new byte[length];
        new Random(1).NextBytes(content.AsSpan(length / 2));
        var target = new MemoryStream();
        using (var writer = new ZipWriter(target, new()))
        {
            for (var i = 0; i < 2; i++)
            {
                using var entry = writer.CreateEntry($"entry {i} \u00e9");
                for (var at = 0; at < length; at += 1000)
                    entry.Write(content, at, Math.Min(1000, length - at));
            }
        }

        using var zip = new ZipArchive(new MemoryStream(target.ToArray()), ZipArchiveMode.Read);
        Assert.That(zip.Entries[1].FullName, Is.EqualTo("entry 1 \u00e9"));
        Assert.That(zip.Entries.Select(Read), Is.All.EqualTo(content).And.Exactly(2).Items);
    }

    private static MemoryStream Write(IEnumerable<(string Name, byte[] Content, bool Compressible)> entries, int level = 6)
    {
        var target = new MemoryStream();
        var writer = new ZipWriter(target, new() { ZipLevel = level });
        foreach (var (name, content, compressible) in entries)
            writer.Write(Encoding.ASCII.GetBytes(name), content, compressible);
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
        return VolumeFixture.Content(content);
    }
}
