// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
public sealed class GoldenVolumesTests
{
    private static IEnumerable<string> Sets => GoldenData.Sets.Where(GoldenData.HasRemote);

    [TestCaseSource(nameof(Sets))]
    [Contract("B 8.6")]
    public async Task Every_block_of_every_block_volume_has_the_hash_it_is_named_by(string set)
    {
        var blocks = 0;
        foreach (var (path, name) in Files(set, RemoteVolumeType.Blocks))
        {
            using var reader = BlockVolumeReader.Open(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase), name.FileName);
            var format = new VolumeFormat().Adopt(reader.Manifest, name.FileName);
            reader.Manifest.Require(name.FileName, format);
            var buffer = new byte[format.Blocksize];
            foreach (var (hash, size) in reader.Blocks)
            {
                Assert.That(reader.ReadVerifiedBlock(hash, format.BlockHash, buffer), Is.EqualTo(size));
                blocks++;
            }
        }

        Assert.That(blocks, Is.GreaterThan(100));
    }

    [TestCaseSource(nameof(Sets))]
    [Contract("B 8.7 point 1")]
    public async Task Every_index_says_what_is_in_its_block_volumes(string set)
    {
        var described = new HashSet<string>();
        foreach (var (path, name) in Files(set, RemoteVolumeType.Index))
        {
            using var reader = IndexVolumeReader.Open(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase), name.FileName);
            foreach (var volume in reader.ReadVolumes())
            {
                var blocks = volume.ReadBlocks().ToDictionary();
                var (hash, size) = await Uploaded(set, volume.Name, reader.Manifest);
                Assert.That((volume.Hash, volume.Size), Is.EqualTo((hash, size)));
                Assert.That(blocks, Is.EquivalentTo(await BlocksOf(set, volume.Name)));
                described.Add(volume.Name.FileName);
            }
        }

        var missing = Files(set, RemoteVolumeType.Blocks).Select(file => file.Name.FileName).Except(described).ToList();
        Assert.That(
            missing,
            set is "d-index-none" ? Is.Not.Empty : Has.Count.LessThanOrEqualTo(set.StartsWith("f-", StringComparison.Ordinal) ? 1 : 0)
        );
    }

    [TestCaseSource(nameof(Sets))]
    public async Task The_fast_way_of_reading_an_index_gives_the_same_blocks(string set)
    {
        foreach (var (path, name) in Files(set, RemoteVolumeType.Index))
        {
            List<KeyValuePair<string, long>> slow,
                fast = [];
            using (var reader = IndexVolumeReader.Open(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase), name.FileName))
                slow = [.. reader.ReadVolumes().SelectMany(volume => volume.ReadBlocks())];
            using (var reader = IndexVolumeReader.Open(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase), name.FileName))
            {
                var digests = new byte[7 * reader.DigestSize];
                var sizes = new long[8];
                foreach (var volume in reader.ReadVolumes())
                    for (int count; (count = volume.ReadBlocks(digests, sizes)) > 0; )
                    for (var i = 0; i < count; i++)
                        fast.Add(new(Convert.ToBase64String(digests, i * reader.DigestSize, reader.DigestSize), sizes[i]));
            }

            Assert.That(fast, Is.EqualTo(slow));
        }
    }

    [TestCaseSource(nameof(Sets))]
    [Contract("B 8.7 point 2")]
    public async Task Every_blocklist_of_every_index_fits_its_hash(string set)
    {
        var blocklists = 0;
        foreach (var (path, name) in Files(set, RemoteVolumeType.Index))
        {
            using var reader = IndexVolumeReader.Open(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase), name.FileName);
            blocklists += reader.ReadBlocklists().Count();
            Assert.That(reader.RejectedBlocklists, Is.Zero);
        }

        Assert.That(blocklists, set.StartsWith("d-index", StringComparison.Ordinal) ? Is.Zero : Is.GreaterThan(5));
    }

    [TestCaseSource(nameof(Sets))]
    [Contract("B 8.5")]
    public async Task A_file_list_written_from_what_was_read_is_the_same_byte_for_byte(string set)
    {
        foreach (var (path, name) in Files(set, RemoteVolumeType.Files))
        {
            using var copy = new MemoryStream();
            using (var reader = FilelistReader.Open(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase), name.FileName))
            {
                using var writer = new FilelistWriter(copy, new VolumeFormat().Adopt(reader.Manifest, name.FileName), reader.IsFullBackup);
                foreach (var entry in reader.ReadEntries())
                    await FilelistCopy.AddAsync(writer, entry);
                Assert.That(reader.SkippedEntries, Is.Zero);
            }

            using var original = new ZipArchive(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase));
            using var written = new ZipArchive(new MemoryStream(copy.ToArray()));
            Assert.That(written.Entries.Select(entry => entry.FullName), Is.EqualTo(original.Entries.Select(entry => entry.FullName)));
            Assert.That(Content(written, FilelistReader.FILELIST), Is.EqualTo(Content(original, FilelistReader.FILELIST)));
            Assert.That(Content(written, FilelistReader.FILESET), Is.EqualTo(Content(original, FilelistReader.FILESET)));
        }
    }

    [TestCaseSource(nameof(Sets))]
    [Contract("B 8.3")]
    public async Task A_manifest_written_from_what_was_read_is_the_same_byte_for_byte(string set)
    {
        foreach (var (path, name) in Files(set, null))
        {
            using var original = new ZipArchive(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase));
            var content = Content(original, VolumeManifest.ENTRY_NAME);
            Assert.That(VolumeManifest.Parse(content, name.FileName).ToBytes(), Is.EqualTo(content));
        }
    }

    [TestCase("a-plain-1k")]
    [TestCase("i-md5-sha1")]
    [TestCase("i-sha512")]
    [Contract("B 8.9")]
    [Contract("B 10 Q24")]
    public async Task The_size_rule_closes_volumes_where_real_ones_were_closed(string set)
    {
        const int VOLUME_SIZE = 50 * 1024,
            BLOCKSIZE = 1024,
            LOCAL_HEADER = 30;
        var full = 0;
        foreach (var (path, name) in Files(set, RemoteVolumeType.Blocks))
        {
            using var zip = new ZipArchive(await VolumeFixture.OpenAsync(path, name, null));
            var sizes = zip.Entries.Select(entry => LOCAL_HEADER + entry.FullName.Length + entry.CompressedLength).ToList();
            var whole = sizes.Sum() + BlockVolumeWriter.DIRECTORY_ESTIMATE;
            Assert.That(
                whole - sizes[^1],
                Is.LessThanOrEqualTo(VOLUME_SIZE - BLOCKSIZE),
                $"{name} would have been closed before its last block"
            );
            // The others are the last ones of their backup, and far from full.
            Assert.That(
                whole,
                Is.GreaterThan(VOLUME_SIZE - BLOCKSIZE).Or.LessThan(VOLUME_SIZE - (2 * BLOCKSIZE)),
                $"{name} would not have been closed"
            );
            full += whole > VOLUME_SIZE - BLOCKSIZE ? 1 : 0;
        }

        Assert.That(full, Is.GreaterThan(8));
    }

    [Test]
    public async Task An_empty_file_left_by_a_killed_upload_is_a_corrupt_volume()
    {
        var empty = Directory
            .GetFiles(Path.Combine(GoldenData.Root, "f-killed-first-backup", "remote"))
            .Where(path => new FileInfo(path).Length == 0)
            .ToList();
        Assert.That(empty, Has.Count.EqualTo(2));
        foreach (var path in empty)
        {
            var name = VolumeName.Parse(Path.GetFileName(path))!;
            var stream = await VolumeFixture.OpenAsync(path, name, null);
            var error = Assert.Throws<CorruptVolumeException>(() => BlockVolumeReader.Open(stream, name.FileName));
            Assert.That(error!.Message, Does.Contain(name.FileName));
        }
    }

    internal static IEnumerable<(string Path, VolumeName Name)> Files(string set, RemoteVolumeType? type)
    {
        foreach (var path in Directory.GetFiles(Path.Combine(GoldenData.Root, set, "remote")).Order(StringComparer.Ordinal))
        {
            var name = VolumeName.Parse(Path.GetFileName(path));
            Assert.That(name, Is.Not.Null, path);
            // A killed upload leaves empty files; they have a test of their own.
            if ((type is null || name!.Type == type) && new FileInfo(path).Length > 0)
                yield return (path, name!);
        }
    }

    internal static byte[] Content(ZipArchive zip, string entry)
    {
        using var content = zip.GetEntry(entry)!.Open();
        return VolumeFixture.Content(content);
    }

    private static async Task<(string Hash, long Size)> Uploaded(string set, VolumeName name, VolumeManifest manifest) =>
        await VolumeOpener.CheckAsync(
            () => VolumeOpener.OpenFile(Path.Combine(GoldenData.Root, set, "remote", name.FileName)),
            name,
            VolumeHash.Find(manifest.FileHash)!,
            null,
            -1,
            default
        );

    private static async Task<Dictionary<string, long>> BlocksOf(string set, VolumeName name)
    {
        var path = Path.Combine(GoldenData.Root, set, "remote", name.FileName);
        using var reader = BlockVolumeReader.Open(await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase), name.FileName);
        return reader.Blocks.ToDictionary();
    }
}
