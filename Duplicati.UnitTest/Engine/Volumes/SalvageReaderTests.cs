// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Text;
using Duplicati.Engine.Encryption;
using Duplicati.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>Whatever is left of a block volume is found, and nothing that is not as it was.</summary>
[TestFixture]
internal sealed class SalvageReaderTests
{
    private static readonly byte[][] s_blocks = MakeBlocks();

    [Test]
    public async Task A_whole_volume_gives_all([ValueSource(typeof(VolumeFixture), nameof(VolumeFixture.Packings))] string packing) =>
        Assert.That(await LeftAsync(VolumeFixture.Blocks(VolumeFixture.Packed(packing), s_blocks), packing), Is.EqualTo(s_blocks.Length));

    [Test]
    public void A_truncated_volume_gives_what_was_before_the_end([Range(0, 9)] int tenth)
    {
        var volume = VolumeFixture.Blocks(s_blocks);
        var left = volume[..(volume.Length * tenth / 10)];
        // A block and its header are about 1100 bytes at most.
        Assert.That(Readable(left), Is.AtLeast((left.Length / 1200) - 1));
    }

    [Test]
    public void Damage_of_one_byte_costs_one_block_at_most([Values("Deflate", "None", "ZStandard", "BZip2", "LZMA", "PPMd")] string method)
    {
        var volume = VolumeFixture.Blocks(VolumeFixture.Packed(method), s_blocks);
        var random = new Random(5);
        for (var i = 0; i < (method == "Deflate" ? 300 : 60); i++)
        {
            var damaged = volume.ToArray();
            damaged[random.Next(damaged.Length)] ^= (byte)random.Next(1, 256);
            Assert.That(Readable(damaged), Is.AtLeast(s_blocks.Length - 1));
        }
    }

    // Zstandard puts 128 KB together, which are all or nothing.
    [Test]
    public async Task Of_a_damaged_tar_container_comes_what_was_packed_before([Values("tzstd", "tgz")] string module)
    {
        var random = new Random(6);
        var blocks = Enumerable.Range(0, 1000).Select(_ => VolumeFixture.RandomBytes(random, 1024)).ToArray();
        var volume = VolumeFixture.Blocks(VolumeFixture.Packed(module), blocks);
        for (var tenth = 2; tenth < 10; tenth++)
        {
            var at = volume.Length * tenth / 10;
            var damaged = volume.ToArray();
            random.NextBytes(damaged.AsSpan(at, 100));
            foreach (var bytes in new[] { damaged, volume[..at] })
            {
                using var reader = SalvageReader.Open(await SalvagedAsync(bytes, module), VolumeHash.Sha256);
                var found = blocks.Count(x => reader.Read(VolumeFixture.Hash(x), x.Length, new byte[1024]) == x.Length);
                Assert.That(found, Is.AtLeast((blocks.Length * tenth / 10) - 300).And.LessThan(blocks.Length));
            }
        }
    }

    [Test]
    public void Local_headers_are_not_needed_where_the_directory_is_left()
    {
        var volume = VolumeFixture.Blocks(s_blocks);
        for (var at = 0; (at = volume.AsSpan(at).IndexOf("PK\x03\x04"u8) is >= 0 and var next ? at + next : -1) >= 0; at += 4)
            volume[at] = 0;
        Assert.That(Readable(volume), Is.EqualTo(s_blocks.Length));
    }

    [TestCase(2)]
    [TestCase(3)]
    public async Task An_encrypted_volume_gives_all_but_what_the_damage_touches(int version)
    {
        var written = new AesCryptOptions { Version = version, Iterations = 10 };
        var volume = VolumeFixture.Blocks(s_blocks);
        using var encrypted = new MemoryStream();
        using (var plain = new MemoryStream(volume))
            await AesCryptStreamWriter.EncryptAsync(plain, encrypted, "a passphrase", written, default);
        var bytes = encrypted.ToArray();
        bytes[bytes.Length / 2] ^= 1;

        Assert.That(await DecryptedAsync(bytes), Is.AtLeast(s_blocks.Length - 1));
        Assert.That(await DecryptedAsync(bytes[..(bytes.Length * 3 / 4)]), Is.AtLeast((s_blocks.Length * 3 / 4) - 5));
    }

    // Of a hostile volume, made of nothing but headers of one name.
    [TestCase(0, TestName = "{m}(stored)")]
    [TestCase(8, TestName = "{m}(deflate)")]
    public void A_name_that_is_written_very_often_is_tried_a_few_times(int method)
    {
        const int BlockBytes = 1000;
        var header = new byte[30 + 44];
        "PK\x03\x04"u8.CopyTo(header);
        header[8] = (byte)method;
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(18), BlockBytes);
        BinaryPrimitives.WriteInt32LittleEndian(header.AsSpan(22), BlockBytes);
        header[26] = 44;
        var hash = VolumeFixture.Hash(s_blocks[0]);
        Encoding.ASCII.GetBytes(HashEncoding.ToEntryName(hash)).CopyTo(header, 30);
        // Beside each one 20 empty blocks of deflate, which take without giving.
        byte[] entry = [.. header, .. Enumerable.Repeat<byte[]>([0, 0, 0, 0xFF, 0xFF], 20).SelectMany(x => x)];
        var content = new CountedStream(Enumerable.Repeat(entry, 20_000).SelectMany(x => x).ToArray());
        using var reader = SalvageReader.Open(content, VolumeHash.Sha256);
        content.BytesRead = 0;

        Assert.That(reader.Read(hash, -1, new byte[BlockBytes]), Is.EqualTo(-1));

        Assert.That(content.BytesRead, Is.Positive.And.LessThan(2 * 1024 * 1024), $"of {content.Length}");
    }

    // Its content may be what a long stream of nothing gives.
    [Test]
    public void A_place_that_gives_nothing_does_not_take_the_whole_volume()
    {
        var header = new byte[30 + 44];
        "PK\x03\x04"u8.CopyTo(header);
        header[8] = 8;
        header[26] = 44;
        var hash = VolumeFixture.Hash(s_blocks[0]);
        Encoding.ASCII.GetBytes(HashEncoding.ToEntryName(hash)).CopyTo(header, 30);
        var content = new CountedStream([.. header, .. Enumerable.Repeat<byte[]>([0, 0, 0, 0xFF, 0xFF], 1_000_000).SelectMany(x => x)]);
        using var reader = SalvageReader.Open(content, VolumeHash.Sha256);
        content.BytesRead = 0;

        Assert.That(reader.Read(hash, -1, new byte[1000]), Is.EqualTo(-1));

        Assert.That(content.BytesRead, Is.Positive.And.LessThan(128 * 1024), $"of {content.Length}");
    }

    [Test]
    public void Looking_through_a_volume_and_reading_of_it_can_be_cancelled()
    {
        using var stop = new CancellationTokenSource();
        var content = new CountedStream(new byte[10 * 1024 * 1024]) { OnRead = stop.Cancel };
        Assert.Throws<OperationCanceledException>(() => SalvageReader.Open(content, VolumeHash.Sha256, stop.Token));
        Assert.That(content.BytesRead, Is.LessThan(content.Length));

        using var stopReading = new CancellationTokenSource();
        using var reader = SalvageReader.Open(new MemoryStream(VolumeFixture.Blocks(s_blocks)), VolumeHash.Sha256, stopReading.Token);
        stopReading.Cancel();
        Assert.Throws<OperationCanceledException>(() => reader.Read(VolumeFixture.Hash(s_blocks[0]), -1, new byte[2048]));
    }

    private static async Task<int> DecryptedAsync(byte[] encrypted)
    {
        using var target = new MemoryStream();
        using var source = new MemoryStream(encrypted);
        await AesCryptStreamReader.SalvageAsync(source, target, "a passphrase", VolumeFixture.NAME, default);
        return Readable(target.ToArray());
    }

    private static async Task<int> LeftAsync(byte[] volume, string packing) =>
        Readable(await SalvagedAsync(volume, VolumeFixture.Packed(packing).Module));

    private static Task<Stream> SalvagedAsync(byte[] volume, string module) =>
        VolumeOpener.OpenAsync(() => new MemoryStream(volume), VolumeFixture.NameOf(module), null, isDamaged: true, default);

    private static int Readable(byte[] volume) => Readable(new MemoryStream(volume));

    private static int Readable(Stream volume)
    {
        using var reader = SalvageReader.Open(volume, VolumeHash.Sha256);
        var buffer = new byte[2048];
        return s_blocks.Count(x =>
            reader.Read(VolumeFixture.Hash(x), x.Length, buffer) == x.Length && buffer.AsSpan(0, x.Length).SequenceEqual(x)
        );
    }

    // Every other one shrinks.
    private static byte[][] MakeBlocks()
    {
        var random = new Random(4);
        return
        [
            .. Enumerable
                .Range(0, 60)
                .Select(i => i % 2 == 0 ? VolumeFixture.RandomBytes(random, random.Next(1, 1025)) : [.. Enumerable.Repeat((byte)i, 1024)]),
        ];
    }

    private sealed class CountedStream(byte[] content) : MemoryStream(content)
    {
        internal long BytesRead { get; set; }

        internal Action? OnRead { get; init; }

        // Of a class that is derived all others come here.
        public override int Read(byte[] buffer, int offset, int count)
        {
            var read = base.Read(buffer, offset, count);
            BytesRead += read;
            OnRead?.Invoke();
            return read;
        }
    }
}
