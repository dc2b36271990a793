// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using static Duplicati.UnitTest.Engine.Volumes.VolumeFixture;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
public sealed class BlockAndIndexVolumeTests
{
    private static readonly VolumeName s_blocks = VolumeName.Parse(NAME)!;

    [Test]
    [Contract("B 8.6")]
    public void Blocks_come_back_by_their_hash()
    {
        var random = new Random(1);
        var blocks = Enumerable.Range(0, 50).Select(i => RandomBytes(random, i * 20 + 1)).ToArray();
        using var reader = BlockVolumeReader.Open(new MemoryStream(Blocks(blocks)), NAME);
        Assert.That(reader.Blocks, Is.EqualTo(blocks.Select(x => new KeyValuePair<string, long>(Hash(x), x.Length))));
        var buffer = new byte[1024];
        foreach (var block in blocks)
        {
            var length = reader.ReadVerifiedBlock(Hash(block), VolumeHash.Sha256, buffer);
            Assert.That(buffer[..length], Is.EqualTo(block));
        }

        Assert.That(reader.ReadBlock(Hash([]), buffer), Is.EqualTo(-1));
    }

    [Test]
    public void The_length_of_a_volume_is_asked_once_however_many_blocks_are_read()
    {
        var random = new Random(LongRun.Seed());
        var blocks = Enumerable.Range(0, 50).Select(_ => RandomBytes(random, random.Next(1, 1024))).ToArray();
        var file = new CountedFile(Blocks(blocks));
        using (var reader = BlockVolumeReader.Open(file, NAME))
        {
            var buffer = new byte[1024];
            foreach (var block in blocks)
            {
                var length = reader.ReadVerifiedBlock(Hash(block), VolumeHash.Sha256, buffer);
                Assert.That(buffer[..length], Is.EqualTo(block));
            }
        }

        // By the archive, and by what finds the directory.
        Assert.That((file.LengthsAsked, file.IsClosed), Is.EqualTo((2, true)));
    }

    [Test]
    [Contract("B 8.2")]
    public void Entries_marked_as_incompressible_are_stored_as_they_are_and_the_manifest_is_first()
    {
        using var target = new MemoryStream();
        using (var writer = new BlockVolumeWriter(s_blocks, target, Format))
        {
            writer.AddBlock(Hash(new byte[1000]), new byte[1000], compressible: false);
            writer.AddBlock(Hash(new byte[1024]), new byte[1024], compressible: true);
        }

        using var zip = new ZipArchive(new MemoryStream(target.ToArray()));
        Assert.That(zip.Entries[0].FullName, Is.EqualTo("manifest"));
        Assert.That(zip.Entries[1].CompressedLength, Is.EqualTo(1000));
        Assert.That(zip.Entries[2].CompressedLength, Is.LessThan(50));
    }

    [TestCase(1024, 1024 * 1024, 940, 955)]
    [TestCase(1024, 50 * 1024, 42, 46)]
    [TestCase(1024, 10 * 1024, 7, 9)]
    [TestCase(100 * 1024, 1024 * 1024, 9, 10)]
    [Contract("B 8.9")]
    public void A_volume_is_full_when_one_more_block_might_not_fit(int blocksize, long volumeSize, int least, int most)
    {
        var format = new VolumeFormat { Blocksize = blocksize, VolumeSize = volumeSize };
        using var target = new MemoryStream();
        using var writer = new BlockVolumeWriter(s_blocks, target, format);
        var random = new Random(1);
        var count = 0;
        for (; !writer.IsFull; count++)
        {
            var block = RandomBytes(random, blocksize);
            writer.AddBlock(Hash(block), block, compressible: true);
        }

        Assert.That(count, Is.InRange(least, most));
        Assert.That(writer.Length, Is.InRange(volumeSize - blocksize, volumeSize + 2048));
    }

    [Test]
    [Contract("B 8.2")]
    public void Of_two_entries_of_one_name_the_last_counts()
    {
        var name = HashEncoding.ToEntryName(Hash([2]));
        using var reader = BlockVolumeReader.Open(new MemoryStream(Zip((name, [1, 1, 1]), (name, [2]))), NAME);
        Assert.That(reader.Blocks.Single(), Is.EqualTo(new KeyValuePair<string, long>(Hash([2]), 1)));
        Assert.That(reader.ReadVerifiedBlock(Hash([2]), VolumeHash.Sha256, new byte[10]), Is.EqualTo(1));
    }

    [Test]
    [Contract("B 8.6")]
    public void Entries_that_are_no_blocks_are_passed_over()
    {
        using var reader = BlockVolumeReader.Open(new MemoryStream(Zip(("../x", [1]), ("a b=", [1]), ("abc", [1]))), NAME);
        Assert.That(reader.Blocks, Is.Empty);
    }

    [Test]
    public void A_block_with_another_content_is_a_typed_error()
    {
        using var reader = BlockVolumeReader.Open(new MemoryStream(Zip((HashEncoding.ToEntryName(Hash([2])), [1]))), NAME);
        var error = Assert.Throws<CorruptVolumeException>(() => reader.ReadVerifiedBlock(Hash([2]), VolumeHash.Sha256, new byte[10]));
        Assert.That(error!.Volume, Is.EqualTo(NAME));
    }

    [Test]
    public void A_block_larger_than_the_block_size_is_a_typed_error_before_it_is_read()
    {
        using var reader = BlockVolumeReader.Open(new MemoryStream(Zip((HashEncoding.ToEntryName(Hash([2])), new byte[1025]))), NAME);
        Assert.Throws<CorruptVolumeException>(() => reader.Blocks.Count());
        Assert.Throws<CorruptVolumeException>(() => reader.ReadBlock(Hash([2]), new byte[1024]));
    }

    [Test]
    [Contract("B 8.7")]
    public async Task An_index_tells_volumes_and_blocklists()
    {
        var blocks = Enumerable
            .Range(0, 5000)
            .Select(i => new KeyValuePair<string, long>(Hash(BitConverter.GetBytes(i)), i % 1025))
            .ToList();
        var other = VolumeName.New(RemoteVolumeType.Blocks);
        var list = RandomBytes(new Random(1), 320);
        var volume = await Index(async writer =>
        {
            writer.AddBlocklist(Hash(list), list);
            await writer.AddVolumeAsync(s_blocks, blocks.ToAsyncEnumerable(), "hash", 77, default);
            await writer.AddVolumeAsync(other, AsyncEnumerable.Empty<KeyValuePair<string, long>>(), null, 0, default);
        });
        using var reader = IndexVolumeReader.Open(new MemoryStream(volume), "index");
        var found = reader.ReadVolumes().Select(x => (x.Name.FileName, Blocks: x.ReadBlocks().ToList(), x.Hash, x.Size)).ToList();
        Assert.That(found[0].Blocks, Is.EqualTo(blocks));
        Assert.That((found[0].FileName, found[0].Hash, found[0].Size), Is.EqualTo((NAME, "hash", 77L)));
        Assert.That(
            (found[1].FileName, found[1].Blocks.Count, found[1].Hash, found[1].Size),
            Is.EqualTo((other.FileName, 0, (string?)null, 0L))
        );
        var blocklist = reader.ReadBlocklists().Single();
        Assert.That((blocklist.Hash, blocklist.Digests.ToArray()), Is.EqualTo((Hash(list), list)));
    }

    [Test]
    [Contract("B 8.7")]
    public async Task Hash_and_size_of_a_volume_are_not_known_before_its_blocks_are_read()
    {
        KeyValuePair<string, long>[] blocks = [new(Hash([1]), 1)];
        var index = await Index(x => x.AddVolumeAsync(s_blocks, blocks.ToAsyncEnumerable(), "hash", 77, default));
        using var reader = IndexVolumeReader.Open(new MemoryStream(index), "index");
        foreach (var volume in reader.ReadVolumes())
        {
            Assert.Throws<InvalidOperationException>(() => _ = volume.Hash);
            Assert.Throws<InvalidOperationException>(() => _ = volume.Size);
            Assert.That(volume.ReadBlocks().Count(), Is.EqualTo(1));
            Assert.That(volume.ReadBlocks().Count(), Is.Zero);
            Assert.That(volume.Size, Is.EqualTo(77));
        }
    }

    [Test]
    public async Task Reading_blocks_in_raw_form_allocates_nothing_by_block()
    {
        var blocks = Enumerable.Range(0, 20_000).Select(i => new KeyValuePair<string, long>(Hash(BitConverter.GetBytes(i)), i % 1025));
        var index = await Index(x => x.AddVolumeAsync(s_blocks, blocks.ToAsyncEnumerable(), "hash", 77, default));
        using var reader = IndexVolumeReader.Open(new MemoryStream(index), "index");
        var digests = new byte[1000 * 32];
        var sizes = new long[1000];
        foreach (var volume in reader.ReadVolumes())
        {
            Assert.That(volume.ReadBlocks(digests, sizes), Is.EqualTo(1000));
            var before = GC.GetAllocatedBytesForCurrentThread();
            var count = 1000;
            for (int read; (read = volume.ReadBlocks(digests, sizes)) > 0; )
                count += read;
            Assert.That(count, Is.EqualTo(20_000));
            Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(20_000));
        }
    }

    [Test]
    public void Spellings_other_than_the_usual_one_are_read_too()
    {
        var a = Hash([1]);
        var b = Hash([2]);
        var json =
            $$$""" { "blocks" : [ {"hash":"{{{a}}}","size":1,"extra":{"x":[1]}},{"hash":"{{{b}}}","size":2}, {"hash":"{{{a}}}", "size":1024} ,{"hash":"{{{b}}}","size":0}], "volumehash":"h", "volumesize":5, "more":[1] } """;
        using var reader = IndexVolumeReader.Open(new MemoryStream(Zip(("vol/" + NAME, Encoding.UTF8.GetBytes(json)))), "index");
        var volume = reader.ReadVolumes().Select(x => (Blocks: x.ReadBlocks().ToList(), x.Hash, x.Size)).Single();
        Assert.That(volume.Blocks, Is.EqualTo(new KeyValuePair<string, long>[] { new(a, 1), new(b, 2), new(a, 1024), new(b, 0) }));
        Assert.That((volume.Hash, volume.Size), Is.EqualTo(("h", 5L)));
    }

    [TestCase("{\"blocks\":[{\"hash\":\"A\",\"size\":1}]}", TestName = "A_hash_of_another_length")]
    [TestCase("{\"blocks\":[{\"hash\":\"#\",\"size\":-1}]}", TestName = "A_negative_block_size")]
    [TestCase("{\"blocks\":[{\"hash\":\"#\",\"size\":1025}]}", TestName = "A_block_beyond_the_block_size")]
    [TestCase(
        "{\"blocks\":[{\"hash\":\"#\",\"size\":1},{\"hash\":\"#\",\"size\":99999999999999999999}]}",
        TestName = "A_block_beyond_64_bits"
    )]
    [TestCase("{\"blocks\":[{\"hash\":\"#\",\"size\":1},{\"hash\":\"#\",\"size\":107374182400}]}", TestName = "A_block_of_100_GB")]
    [TestCase("{\"blocks\":[{\"size\":1,\"hash\":\"#\"}]}", TestName = "A_block_size_before_its_hash")]
    [TestCase("{\"volumehash\":\"h\",\"volumesize\":5,\"blocks\":[]}", TestName = "The_hash_before_the_blocks")]
    [TestCase("{\"blocks\":[],\"volumehash\":\"h\"}", TestName = "A_hash_without_a_size")]
    [TestCase("{\"blocks\":[],\"volumehash\":\"h\",\"volumesize\":-5}", TestName = "A_negative_volume_size")]
    [TestCase("{\"blocks\":[{\"hash\":\"#\",\"size\":1}", TestName = "An_unclosed_index")]
    [TestCase("{\"blocks\":[{\"hash\":\"#\",\"size\":1},{\"hash\":\"#\",\"size\":01}]}", TestName = "A_leading_zero")]
    [TestCase("", TestName = "An_empty_description")]
    public void A_description_that_breaks_the_format_is_a_typed_error(string json)
    {
        var volume = Zip(("vol/" + NAME, Encoding.UTF8.GetBytes(json.Replace("#", Hash([1]), StringComparison.Ordinal))));
        using var reader = IndexVolumeReader.Open(new MemoryStream(volume), "index");
        var error = Assert.Throws<CorruptVolumeException>(() => reader.ReadVolumes().Select(x => x.ReadBlocks().Count()).Count(_ => true));
        Assert.That(error!.Message, Does.StartWith("index: "));
    }

    [Test]
    [Contract("B 8.7")]
    public void Names_that_are_none_of_block_volumes_are_passed_over()
    {
        var json = "{\"blocks\":[]}"u8.ToArray();
        using var reader = IndexVolumeReader.Open(
            new MemoryStream(
                Zip(
                    ("vol/x", json),
                    ("vol/../../" + NAME, json),
                    ("vol/" + NAME.Replace("dblock", "dindex", StringComparison.Ordinal), json),
                    ("vol/" + NAME, json)
                )
            ),
            "index"
        );
        Assert.That(reader.ReadVolumes().Select(x => x.Name.FileName), Is.EqualTo(new[] { NAME }));
    }

    [Test]
    [Contract("B 8.7")]
    [Contract("B 10 Q23")]
    public void Bad_blocklists_are_passed_over_and_told()
    {
        var good = RandomBytes(new Random(1), 64);
        using var reader = IndexVolumeReader.Open(
            new MemoryStream(
                Zip(
                    ("list/" + HashEncoding.ToEntryName(Hash([1])), good),
                    ("list/" + HashEncoding.ToEntryName(Hash([1, 2, 3])), [1, 2, 3]),
                    ("list/" + HashEncoding.ToEntryName(Hash([])), []),
                    ("list/" + HashEncoding.ToEntryName(Hash(new byte[2048])), new byte[2048]),
                    ("list/../x", good),
                    ("list/" + HashEncoding.ToEntryName(Hash(good)), good)
                )
            ),
            "index"
        );
        Assert.That(reader.ReadBlocklists().Select(x => x.Hash), Is.EqualTo(new[] { Hash(good) }));
        Assert.That(reader.RejectedBlocklists, Is.EqualTo(5));
        Assert.Throws<ArgumentException>(() => IndexOfBlocklist(Hash([1]), [1]));
    }

    [Test]
    public void Writers_take_names_of_their_own_kind_only()
    {
        Assert.Throws<ArgumentException>(() => new BlockVolumeWriter(VolumeName.New(RemoteVolumeType.Index), new MemoryStream(), Format));
        Assert.Throws<ArgumentException>(() => new IndexVolumeWriter(s_blocks, new MemoryStream(), Format));
    }

    private sealed class CountedFile(byte[] content) : MemoryStream(content)
    {
        public int LengthsAsked { get; private set; }

        public bool IsClosed { get; private set; }

        public override long Length
        {
            get
            {
                LengthsAsked++;
                return base.Length;
            }
        }

        protected override void Dispose(bool disposing)
        {
            IsClosed = true;
            base.Dispose(disposing);
        }
    }
}
