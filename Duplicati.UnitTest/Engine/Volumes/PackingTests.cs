// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Formats.Tar;
using System.IO.Compression;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using static Duplicati.UnitTest.Engine.Volumes.VolumeFixture;

namespace Duplicati.UnitTest.Engine.Volumes;

/// <summary>Volumes of all methods and modules: what others have packed is read, and nothing takes more than it may.</summary>
[TestFixture]
internal sealed class PackingTests
{
    private static readonly byte[] s_block = ForeignPackings.Block;

    [Test]
    public async Task A_volume_that_others_have_packed_is_read(
        [ValueSource(typeof(ForeignPackings), nameof(ForeignPackings.Names))] string packing
    )
    {
        var volume = ForeignPackings.Volume(packing);
        using var reader = BlockVolumeReader.Open(await OpenAsync(volume, ModuleOf(packing)), packing);
        reader.Manifest.Require(packing, Format);
        Assert.That(reader.Blocks, Is.EqualTo(new[] { KeyValuePair.Create(Hash(s_block), 1024L) }));
        var buffer = new byte[2048];
        Assert.That(reader.ReadVerifiedBlock(Hash(s_block), VolumeHash.Sha256, buffer), Is.EqualTo(s_block.Length));
        Assert.That(buffer.AsSpan(0, s_block.Length).SequenceEqual(s_block));
    }

    [Test]
    public async Task A_volume_that_others_have_packed_is_salvaged(
        [ValueSource(typeof(ForeignPackings), nameof(ForeignPackings.Names))] string packing,
        [Values(-1, 1024)] int size
    )
    {
        var volume = ForeignPackings.Volume(packing);
        var content = await VolumeOpener.OpenAsync(
            () => new MemoryStream(volume),
            NameOf(Packed(ModuleOf(packing)).Module),
            null,
            isDamaged: true,
            default
        );
        using var reader = SalvageReader.Open(content, VolumeHash.Sha256);
        Assert.That(reader.Hashes, Is.EqualTo(new[] { Hash(s_block) }));
        Assert.That(reader.Read(Hash(s_block), size, new byte[2048]), Is.EqualTo(s_block.Length));
    }

    [Test]
    public async Task A_foreign_volume_changed_at_random_gives_a_typed_error_or_the_block(
        [ValueSource(typeof(ForeignPackings), nameof(ForeignPackings.Names))] string packing
    )
    {
        var seed = LongRun.Seed();
        var random = new Random(seed);
        var original = ForeignPackings.Volume(packing);
        for (var i = 0; i < 300; i++)
        {
            var volume = Mutation.Apply(original, random);
            var before = GC.GetAllocatedBytesForCurrentThread();
            try
            {
                using var reader = BlockVolumeReader.Open(await OpenAsync(volume, ModuleOf(packing)), packing);
                reader.ReadVerifiedBlock(Hash(s_block), VolumeHash.Sha256, new byte[2048]);
            }
            catch (VolumeException)
            {
                // As it should be.
            }
            catch (Exception ex)
            {
                Assert.Fail($"seed {seed}, input {i}: {ex}");
            }

            Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(160 << 20), $"seed {seed}, input {i}");
        }
    }

    [Test]
    public void A_method_that_is_not_known_is_a_typed_error()
    {
        using var reader = BlockVolumeReader.Open(new MemoryStream(ForeignPackings.Zip((ZipMethod)19, s_block, s_block)), NAME);
        var error = Assert.Throws<CorruptVolumeException>(() => reader.ReadBlock(Hash(s_block), new byte[1024]));
        Assert.That(error!.Message, Does.StartWith(NAME).And.Contain("method 19"));
    }

    // The dictionary of LZMA and the model of PPMd: their sizes are in the first bytes.
    [TestCase(nameof(ZipMethod.LZMA), 8, 0x7F)]
    [TestCase(nameof(ZipMethod.PPMd), 1, 0x0F)]
    public void A_method_that_wants_much_memory_does_not_get_it(string packing, int at, byte value)
    {
        var packed = ForeignPackings.Packed(packing);
        packed[at] = value;
        var before = GC.GetAllocatedBytesForCurrentThread();
        using var reader = BlockVolumeReader.Open(
            new MemoryStream(ForeignPackings.Zip(Enum.Parse<ZipMethod>(packing), packed, s_block)),
            NAME
        );
        try
        {
            reader.ReadVerifiedBlock(Hash(s_block), VolumeHash.Sha256, new byte[1024]);
        }
        catch (CorruptVolumeException)
        {
            // Or the block, where what it says does not matter.
        }

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(100 << 20));
    }

    [Test]
    public async Task Every_form_of_tar_is_read(
        [Values(TarEntryFormat.V7, TarEntryFormat.Ustar, TarEntryFormat.Pax, TarEntryFormat.Gnu)] TarEntryFormat form
    )
    {
        var longName = "extra/" + new string('n', 200);
        var isLong = form is TarEntryFormat.Pax or TarEntryFormat.Gnu;
        var volume = Tar(form, writer => Add(writer, form, isLong ? longName : "extra/short", [1, 2, 3]));
        using var archive = VolumeArchive.Open(await OpenAsync(volume, VolumeName.TGZ), NAME);
        var entry = archive.Find(isLong ? longName : "extra/short")!.Value;
        Assert.That(entry.Length, Is.EqualTo(3));
        using var content = archive.OpenEntry(entry);
        Assert.That(content.ReadByte(), Is.EqualTo(1));
    }

    [Test]
    public async Task What_is_no_file_in_a_tar_container_is_passed_over_and_nothing_is_made_outside()
    {
        using var folder = new TestFolder();
        var outside = folder.File("outside");
        var volume = Tar(
            TarEntryFormat.Pax,
            writer =>
            {
                foreach (var name in new[] { "../up", "a/../../up", outside, "/etc/passwd", "C:\\up", "nul\0l" })
                    Add(writer, TarEntryFormat.Pax, name, [1]);
                foreach (var type in new[] { TarEntryType.SymbolicLink, TarEntryType.HardLink })
                    writer.WriteEntry(new PaxTarEntry(type, HashEncoding.ToEntryName(Hash([7]))) { LinkName = outside });
                foreach (
                    var type in new[] { TarEntryType.CharacterDevice, TarEntryType.BlockDevice, TarEntryType.Fifo, TarEntryType.Directory }
                )
                    writer.WriteEntry(new PaxTarEntry(type, HashEncoding.ToEntryName(Hash([8]))));
                Add(writer, TarEntryFormat.Pax, HashEncoding.ToEntryName(Hash(s_block)), s_block);
            }
        );
        using (var reader = BlockVolumeReader.Open(await OpenAsync(volume, VolumeName.TGZ), NAME))
        {
            Assert.That(reader.Blocks.Select(x => x.Key), Is.EqualTo(new[] { Hash(s_block) }));
            Assert.That(reader.ReadVerifiedBlock(Hash(s_block), VolumeHash.Sha256, new byte[1024]), Is.EqualTo(1024));
        }

        var left = await VolumeOpener.OpenAsync(() => new MemoryStream(volume), NameOf(VolumeName.TGZ), null, isDamaged: true, default);
        using var salvaged = SalvageReader.Open(left, VolumeHash.Sha256);
        Assert.That(salvaged.Hashes, Is.EqualTo(new[] { Hash(s_block) }));
        Assert.That(folder.Files(), Is.Empty);
    }

    [TestCase(100L << 30)]
    [TestCase(long.MaxValue)]
    public async Task A_tar_entry_that_declares_far_too_much_is_a_typed_error_in_little_memory(long size)
    {
        foreach (var type in "0xL7")
        {
            var tar = new byte[4096];
            "manifest"u8.CopyTo(tar);
            tar[124] = 0x80;
            System.Buffers.Binary.BinaryPrimitives.WriteInt64BigEndian(tar.AsSpan(128), size);
            tar[156] = (byte)type;
            tar.AsSpan(148, 8).Fill((byte)' ');
            System.Text.Encoding.ASCII.GetBytes(Convert.ToString(tar.Take(512).Sum(x => x), 8).PadLeft(6, '0') + "\0 ").CopyTo(tar, 148);
            var volume = await OpenAsync(Gzip(tar), VolumeName.TGZ);
            var before = GC.GetAllocatedBytesForCurrentThread();
            Assert.Throws<CorruptVolumeException>(() => BlockVolumeReader.Open(volume, NAME));
            Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(1 << 20));
        }
    }

    // What is unpacked takes room in the temporary folder.
    [Test]
    public async Task A_container_that_unpacks_to_far_more_than_a_volume_is_a_typed_error_and_leaves_no_file(
        [Values("tzstd", "tgz")] string module
    )
    {
        using var folder = new TestFolder();
        using var scope = new EnvironmentVariable("TMPDIR", folder.File(""));
        var zeros = new byte[1 << 20];
        using var packed = new MemoryStream();
        using (var packing = TarPacking.Pack(Packed(module), packed))
        {
            for (var i = 0; i < 40; i++)
                packing.Write(zeros);
        }

        packed.Position = 0;
        Assert.That(packed.Length, Is.LessThan(1 << 20));
        const long most = 20 << 20;
        var error = Assert.ThrowsAsync<CorruptVolumeException>(() => TarPacking.UnpackAsync(packed, NameOf(module), false, most, default));
        Assert.That(error!.InnerException!.Message, Does.Contain($"{most}"));
        using var left = await TarPacking.UnpackAsync(new MemoryStream(packed.ToArray()), NameOf(module), true, most, default);
        Assert.That(left.Length, Is.GreaterThan(most - zeros.Length).And.AtMost(most));
        Assert.That(folder.Files(), Is.Empty);
    }

    private static string ModuleOf(string packing) => VolumeName.Modules.Contains(packing) ? packing : nameof(ZipMethod.Deflate);

    private static byte[] Gzip(ReadOnlySpan<byte> content)
    {
        using var packed = new MemoryStream();
        using (var gzip = new GZipStream(packed, CompressionLevel.Optimal, leaveOpen: true))
            gzip.Write(content);
        return packed.ToArray();
    }

    private static byte[] Tar(TarEntryFormat form, Action<TarWriter> fill)
    {
        using var tar = new MemoryStream();
        using (var writer = new TarWriter(tar, form, leaveOpen: true))
        {
            Add(writer, form, "manifest", VolumeManifest.Now(1024, VolumeHash.Sha256, VolumeHash.Sha256).ToBytes());
            fill(writer);
        }

        return Gzip(tar.ToArray());
    }

    private static void Add(TarWriter writer, TarEntryFormat form, string name, byte[] content)
    {
        TarEntry entry = form switch
        {
            TarEntryFormat.V7 => new V7TarEntry(TarEntryType.V7RegularFile, name),
            TarEntryFormat.Ustar => new UstarTarEntry(TarEntryType.RegularFile, name),
            TarEntryFormat.Pax => new PaxTarEntry(TarEntryType.RegularFile, name),
            _ => new GnuTarEntry(TarEntryType.RegularFile, name),
        };
        entry.DataStream = new MemoryStream(content);
        writer.WriteEntry(entry);
    }
}
