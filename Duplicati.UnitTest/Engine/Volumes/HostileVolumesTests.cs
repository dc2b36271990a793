// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.IO.Compression;
using System.Text;
using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.UnitTest.Golden;
using static Duplicati.UnitTest.Engine.Volumes.VolumeFixture;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>Volumes that are damaged or lie: a typed error naming the volume, or a correct answer, in bounded memory.</summary>
[TestFixture]
public sealed class HostileVolumesTests
{
    private const string VOLUME = "the-volume";

    // Buffers of zip, deflate and JSON, and the directory; none of it may depend on what a volume declares.
    private const long MEMORY_CAP = 16 * 1024 * 1024;

    [Test]
    public Task A_volume_changed_at_random_gives_a_typed_error_or_an_answer_in_bounded_memory(
        [ValueSource(typeof(VolumeFixture), nameof(Packings))] string packing
    ) => ReadChangedAsync(packing, packing == nameof(ZipMethod.Deflate) ? 1000 : 200);

    [Test, Explicit("The long run, about a minute"), Category(LongRun.Category)]
    public Task Long_run_of_changed_volumes([ValueSource(typeof(VolumeFixture), nameof(Packings))] string packing) =>
        ReadChangedAsync(packing, LongRun.Count(50_000));

    [TestCase(2)]
    [TestCase(3)]
    public Task An_encrypted_volume_changed_at_random_gives_a_typed_error_or_the_same_content(int version) =>
        DecryptChangedAsync(version, 200);

    [TestCase(2), TestCase(3), Explicit("The long run, about a minute"), Category(LongRun.Category)]
    public Task Long_run_of_changed_encrypted_volumes(int version) => DecryptChangedAsync(version, LongRun.Count(10_000));

    private static async Task ReadChangedAsync(string packing, int count)
    {
        var seed = LongRun.Seed();
        var random = new Random(seed);
        var seeds = await Volumes(packing);
        // The size of a PPMd model is in the header of each entry.
        var most = await AllocatedAsync(seeds, packing) + (packing == nameof(ZipMethod.PPMd) ? ZipCodec.MostMemory : 0);
        var errors = 0;
        for (var i = 0; i < count; i++)
        {
            var (type, original) = seeds[random.Next(seeds.Count)];
            var volume = Mutation.Apply(original, random);
            var before = GC.GetAllocatedBytesForCurrentThread();
            try
            {
                await ReadAllAsync(type, volume, packing);
            }
            catch (VolumeException ex)
            {
                Assert.That(ex.Message, Does.StartWith(VOLUME).Or.StartWith("duplicati-b"), $"seed {seed}, input {i}");
                errors++;
            }
            catch (Exception ex)
            {
                Assert.Fail($"seed {seed}, input {i}, {type}: {ex}");
            }

            Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(MEMORY_CAP + most), $"seed {seed}, input {i}");
        }

        Assert.That(errors, Is.GreaterThan(count / 4), "the mutations do too little");
    }

    private static async Task DecryptChangedAsync(int version, int count)
    {
        var seed = LongRun.Seed();
        var random = new Random(seed);
        var content = RandomBytes(random, 5003);
        using var encrypted = new MemoryStream();
        var written = new AesCryptOptions { Version = version, Iterations = 10 };
        await AesCryptStreamWriter.EncryptAsync(new MemoryStream(content), encrypted, "p", written, default);
        for (var i = 0; i < count; i++)
        {
            var changed = Mutation.Apply(encrypted.ToArray(), random);
            using var plain = new MemoryStream();
            try
            {
                await AesCryptStreamReader.DecryptAsync(new MemoryStream(changed), plain, "p", VOLUME, default);
                // The byte that tells how much of the last block is content is not protected by version 2.
                var free = version == 2 ? 16 : 0;
                Assert.That(plain.Length, Is.InRange(content.Length - free, content.Length + free), $"seed {seed}, input {i}");
                Assert.That(
                    plain.ToArray().AsSpan().CommonPrefixLength(content),
                    Is.GreaterThanOrEqualTo(content.Length - free),
                    $"seed {seed}, input {i}"
                );
            }
            catch (VolumeException ex)
            {
                Assert.That(ex.Message, Does.StartWith(VOLUME), $"seed {seed}, input {i}");
            }
        }
    }

    [Test]
    public async Task A_volume_cut_anywhere_is_a_typed_error([ValueSource(typeof(VolumeFixture), nameof(Packings))] string packing)
    {
        foreach (var (type, volume) in await Volumes(packing))
        {
            // Every byte of the directory, and a few hundred places before.
            for (var length = 0; length < volume.Length; length += length < volume.Length - 300 ? Math.Max(1, volume.Length / 300) : 1)
            {
                var error = Assert.CatchAsync<VolumeException>(
                    () => ReadAllAsync(type, volume[..length], packing),
                    $"{type} cut to {length} of {volume.Length}"
                );
                Assert.That(error!.Message, Does.StartWith(VOLUME).Or.StartWith("duplicati-b"));
            }
        }
    }

    [Test]
    public void A_block_that_declares_100_GB_is_a_typed_error_in_little_memory()
    {
        var volume = DeclaredSize.Rewrite(Blocks(new byte[1000]), 100L << 30);
        var before = GC.GetAllocatedBytesForCurrentThread();
        using var reader = BlockVolumeReader.Open(new MemoryStream(volume), VOLUME);
        Assert.Throws<CorruptVolumeException>(() => reader.Blocks.Count());
        Assert.Throws<CorruptVolumeException>(() => reader.ReadBlock(Hash(new byte[1000]), new byte[1024]));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(MEMORY_CAP));
    }

    [Test]
    public void A_list_that_declares_100_GB_is_a_typed_error_in_little_memory()
    {
        var volume = DeclaredSize.Rewrite(FilelistJson("[]"), 100L << 30);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.Throws<CorruptVolumeException>(() => ReadFilelist(volume));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(MEMORY_CAP));
    }

    [Test]
    public void A_blocklist_that_declares_100_GB_is_passed_over_in_little_memory()
    {
        var list = new byte[320];
        var volume = DeclaredSize.Rewrite(IndexOfBlocklist(Hash(list), list), 100L << 30);
        var before = GC.GetAllocatedBytesForCurrentThread();
        using var reader = IndexVolumeReader.Open(new MemoryStream(volume), VOLUME);
        Assert.That(reader.ReadBlocklists(), Is.Empty);
        Assert.That(reader.RejectedBlocklists, Is.EqualTo(1));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(MEMORY_CAP));
    }

    // Nothing is read, nor is a buffer made for it.
    [TestCase(1_100_000L, false)]
    [TestCase(1_000_000L, true)]
    public void A_size_that_the_compressed_bytes_cannot_hold_is_refused_before_they_are_read(long declared, bool isPossible)
    {
        var stream = new MemoryStream(DeclaredSize.Rewrite(Blocks(RandomBytes(new Random(1), 1000)), declared));
        using var archive = VolumeArchive.Open(stream, VOLUME);
        var entry = archive.Entries.Last();
        var (length, position) = (entry.Length, stream.Position);
        Assert.That(length, Is.EqualTo(declared));

        Assert.That(
            () => archive.OpenEntry(entry).Dispose(),
            isPossible ? Throws.Nothing : Throws.TypeOf<CorruptVolumeException>().With.Message.Contains("declares")
        );
        Assert.That(stream.Position == position, Is.EqualTo(!isPossible));
    }

    // As the one above, and the compressed bytes lie, too: an index of 400 bytes took 200 MB, and could take 2 GB.
    [Test]
    public void A_blocklist_that_declares_more_compressed_bytes_than_the_file_has_takes_no_memory()
    {
        var path = Repository.File("Duplicati.UnitTest", "Engine", "Fuzz", "Corpus", "zip", "fault-blocklist-of-200-mb");
        using var reader = IndexVolumeReader.Open(new MemoryStream(File.ReadAllBytes(path)), VOLUME);
        var before = GC.GetAllocatedBytesForCurrentThread();
        Assert.That(reader.ReadBlocklists(), Is.Empty);
        Assert.That(reader.RejectedBlocklists, Is.EqualTo(1));
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(MEMORY_CAP));
    }

    [Test]
    public void Entries_that_share_their_bytes_are_a_typed_error_before_one_is_read()
    {
        var list = new byte[960];
        var volume = IndexOfBlocklist(Hash(list), RandomBytes(new Random(1), 640));
        var (start, end) = (volume.AsSpan().LastIndexOf("PK\u0001\u0002"u8), volume.Length - 22);
        var shared = new List<byte>(volume[..end]);
        for (var i = 0; i < 20; i++)
        {
            var entry = volume[start..end];
            entry[^1] = (byte)('A' + i);
            shared.AddRange(entry);
        }

        shared.AddRange(volume[end..]);
        var bytes = shared.ToArray();
        var last = bytes.AsSpan(bytes.Length - 22);
        BinaryPrimitives.WriteUInt16LittleEndian(last[8..], 22);
        BinaryPrimitives.WriteUInt16LittleEndian(last[10..], 22);
        BinaryPrimitives.WriteInt32LittleEndian(last[12..], BinaryPrimitives.ReadInt32LittleEndian(last[12..]) + (20 * (end - start)));

        Assert.That(
            () => IndexVolumeReader.Open(new MemoryStream(bytes), VOLUME),
            Throws.TypeOf<CorruptVolumeException>().With.Message.Contains("Its entries declare")
        );
    }

    [Test]
    public void An_entry_that_holds_more_or_less_than_it_declares_is_a_typed_error([Values(999, 1001, 1024)] int declared)
    {
        using var reader = BlockVolumeReader.Open(
            new MemoryStream(DeclaredSize.Rewrite(Blocks(RandomBytes(new Random(1), 1000)), declared)),
            VOLUME
        );
        var hash = reader.Blocks.Single().Key;
        Assert.Throws<CorruptVolumeException>(() => reader.ReadVerifiedBlock(hash, VolumeHash.Sha256, new byte[1024]));
    }

    [Test]
    public async Task Damaged_real_volumes_never_pass_for_good_ones()
    {
        foreach (
            var set in GoldenData.Sets.Where(x =>
                x is "g-corrupt-dblock" or "g-corrupt-dindex" or "g-corrupt-dlist" or "g-truncated-dblock"
            )
        )
        {
            foreach (var path in Directory.GetFiles(Path.Combine(GoldenData.Root, set, "replace")))
            {
                var name = VolumeName.Parse(Path.GetFileName(path))!;
                var good = await File.ReadAllBytesAsync(Path.Combine(GoldenData.Root, "a-plain-1k", "remote", name.FileName));
                Assert.ThrowsAsync<VolumeChangedException>(() =>
                    VolumeOpener.CheckAsync(
                        () => VolumeOpener.OpenFile(path),
                        name,
                        VolumeHash.Sha256,
                        VolumeHash.Sha256.HashToBase64(good),
                        good.Length,
                        default
                    )
                );
                var damaged = await File.ReadAllBytesAsync(path);
                Assert.Catch<VolumeException>(() => ReadAny(name.Type, damaged), $"{set} {name}");
            }
        }
    }

    [Test]
    public void A_description_with_one_letter_changed_is_a_typed_error_though_it_still_is_json()
    {
        var hash = Hash([1]);
        var json = $$"""{"blocks":[{"hash":"{{hash}}","size":1}],"volumehash":"h","volumesize":5}""";
        using var stored = new MemoryStream();
        using (var zip = new ZipArchive(stored, ZipArchiveMode.Create, leaveOpen: true))
        {
            foreach (
                var (name, content) in new[]
                {
                    ("manifest", VolumeManifest.Now(1024, VolumeHash.Sha256, VolumeHash.Sha256).ToBytes()),
                    ("vol/" + NAME, Encoding.UTF8.GetBytes(json)),
                }
            )
            {
                using var entry = zip.CreateEntry(name, CompressionLevel.NoCompression).Open();
                entry.Write(content);
            }
        }

        var volume = stored.ToArray();
        volume[volume.AsSpan().IndexOf(Encoding.UTF8.GetBytes(hash)) + 5] ^= 1;
        using var reader = IndexVolumeReader.Open(new MemoryStream(volume), VOLUME);
        Assert.Throws<CorruptVolumeException>(() => reader.ReadVolumes().Count());
    }

    private static void ReadAny(RemoteVolumeType type, byte[] volume)
    {
        if (type == RemoteVolumeType.Blocks)
        {
            ReadBlocks(new MemoryStream(volume));
        }
        else if (type == RemoteVolumeType.Index)
        {
            using var reader = IndexVolumeReader.Open(new MemoryStream(volume), VOLUME);
            Assert.That(reader.ReadVolumes().SelectMany(x => x.ReadBlocks()).Count() + reader.ReadBlocklists().Count(), Is.Positive);
            if (reader.RejectedBlocklists > 0)
                throw new CorruptVolumeException(VOLUME, "A blocklist was passed over.");
        }
        else
        {
            using var reader = FilelistReader.Open(new MemoryStream(volume), VOLUME);
            Assert.That(reader.ReadEntries().Count(), Is.Positive);
        }
    }

    /// <summary>Reads everything in a volume of this class as the operations do; what comes without an error must be right.</summary>
    private static async Task ReadAllAsync(RemoteVolumeType type, byte[] bytes, string packing)
    {
        var volume = await VolumeFixture.OpenAsync(bytes, packing);
        switch (type)
        {
            case RemoteVolumeType.Blocks:
                ReadBlocks(volume);
                break;
            case RemoteVolumeType.Index:
                ReadIndex(volume);
                break;
            default:
                ReadList(volume);
                break;
        }
    }

    private static void ReadBlocks(Stream volume)
    {
        using var reader = BlockVolumeReader.Open(volume, VOLUME);
        reader.Manifest.Require(VOLUME, Format);
        var buffer = new byte[1024];
        foreach (var (hash, _) in reader.Blocks)
            reader.ReadVerifiedBlock(hash, VolumeHash.Sha256, buffer);
    }

    private static void ReadIndex(Stream volume)
    {
        using var reader = IndexVolumeReader.Open(volume, VOLUME);
        reader.Manifest.Require(VOLUME, Format);
        var digests = new byte[100 * reader.DigestSize];
        var sizes = new long[100];
        foreach (var described in reader.ReadVolumes())
        {
            // The checksum is known to be right only at the end.
            var read = described.ReadBlocks(digests, sizes);
            Assert.That(described.ReadBlocks(new byte[digests.Length], new long[100]), Is.Zero);
            Assert.That(read, Is.EqualTo(20));
            Assert.That(sizes.Take(20), Is.All.EqualTo(100));
            Assert.That((described.Hash, described.Size), Is.EqualTo(("hash", 77L)));
        }

        foreach (var list in reader.ReadBlocklists())
            Assert.That(Hash(list.Digests.Span), Is.EqualTo(list.Hash));
    }

    private static void ReadList(Stream volume)
    {
        using var reader = FilelistReader.Open(volume, VOLUME);
        reader.Manifest.Require(VOLUME, Format);
        // The checksum is known to be right only at the end.
        var read = reader.ReadEntries().Select(x => (x.Path, Blocklists: x.BlocklistHashes?.Count() ?? 20)).ToList();
        Assert.That(read, Has.Count.EqualTo(31));
        Assert.That(read.Select(x => x.Path), Is.All.StartWith("/folder/"));
        Assert.That(read.Select(x => x.Blocklists), Is.All.EqualTo(20));
    }

    // What good ones take: some methods take megabytes for each entry.
    private static async Task<long> AllocatedAsync(List<(RemoteVolumeType Type, byte[] Volume)> volumes, string packing)
    {
        var most = 0L;
        foreach (var (type, volume) in volumes)
        {
            var before = GC.GetAllocatedBytesForCurrentThread();
            await ReadAllAsync(type, volume, packing);
            most = Math.Max(most, GC.GetAllocatedBytesForCurrentThread() - before);
        }

        return most;
    }

    private static async Task<List<(RemoteVolumeType Type, byte[] Volume)>> Volumes(string packing)
    {
        var compression = Packed(packing);
        var random = new Random(1);
        var blocks = Enumerable.Range(0, 20).Select(_ => RandomBytes(random, 100)).ToArray();
        var list = blocks.SelectMany(x => VolumeHash.Sha256.HashToBase64(x)[..32]).Select(x => (byte)x).ToArray();
        var described = blocks.Select(x => new KeyValuePair<string, long>(Hash(x), x.Length));
        return
        [
            (RemoteVolumeType.Blocks, Blocks(compression, blocks)),
            (
                RemoteVolumeType.Index,
                await Index(
                    async writer =>
                    {
                        await writer.AddVolumeAsync(VolumeName.Parse(NAME)!, described.ToAsyncEnumerable(), "hash", 77, default);
                        writer.AddBlocklist(Hash(list), list);
                    },
                    compression
                )
            ),
            (
                RemoteVolumeType.Files,
                await Filelist(
                    async writer =>
                    {
                        writer.AddDirectory("/folder/", "meta", 100, "meta", null);
                        for (var i = 0; i < 30; i++)
                            await writer.AddFileAsync(
                                $"/folder/{i}\u00e9\"",
                                "hash",
                                i * 1000,
                                DateTime.UnixEpoch,
                                "meta",
                                100,
                                null,
                                null,
                                -1,
                                described.Select(x => x.Key).ToAsyncEnumerable(),
                                null
                            );
                    },
                    compression: compression
                )
            ),
        ];
    }
}
