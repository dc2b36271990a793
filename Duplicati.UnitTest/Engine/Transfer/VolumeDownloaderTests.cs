// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Transfer;

/// <summary>
/// A volume of this machine is read into memory, one of another or a large one into a file, and nobody sees a difference.
/// </summary>
[TestFixture]
internal sealed class VolumeDownloaderTests : FolderTestBase
{
    private const string Passphrase = "pass";
    private const long Plenty = 16L << 20;
    private const long LargestInMemory = 4L << 20;
    private const string Encrypted = VolumeFixture.NAME + ".aes";

    private string Temporary => Directory.CreateDirectory(Folder.File("temporary")).FullName;

    private LocalFolder Remote
    {
        get
        {
            Directory.CreateDirectory(Folder.File("remote"));
            return LocalFolder.Parse(Folder.File("remote"));
        }
    }

    [TestCase(VolumeFixture.NAME)]
    [TestCase(Encrypted)]
    public async Task What_is_fetched_is_the_same_either_way(string name)
    {
        var random = new Random(LongRun.Seed());
        for (var i = 0; i < 20; i++)
        {
            var zip = VolumeFixture.Blocks([
                .. Enumerable.Range(0, random.Next(1, 20)).Select(_ => VolumeFixture.RandomBytes(random, random.Next(1, 1024))),
            ]);
            var stored = await PutAsync(name, zip);
            using var inMemory = await FetchAsync(Remote, name, new VolumeMemory(Plenty));
            Assert.That(FilesInUse(), Is.Zero);
            using var inFile = await FetchAsync(Remote, name, new VolumeMemory(0));
            using var fromAfar = await FetchAsync(new FarFolder(Remote), name, new VolumeMemory(Plenty));
            Assert.That(FilesInUse(), Is.EqualTo(2));
            foreach (var download in new[] { inMemory, inFile, fromAfar })
            {
                Assert.That((download.Hash, download.Length), Is.EqualTo((VolumeHash.Sha256.HashToBase64(stored), (long)stored.Length)));
                Assert.That(VolumeFixture.Content(download.Content), Is.EqualTo(zip));
                using var again = download.Volume.Open();
                Assert.That(VolumeFixture.Content(again), Is.EqualTo(stored));
            }
        }

        Assert.That(FilesInUse(), Is.Zero);
    }

    [TestCase(LargestInMemory, 0)]
    [TestCase(LargestInMemory + 1, 1)]
    public async Task A_large_volume_goes_into_a_file(long length, int files)
    {
        await PutAsync(VolumeFixture.NAME, new byte[length]);
        using var download = await FetchAsync(Remote, VolumeFixture.NAME, VolumeMemory.OfPreset());
        Assert.That((FilesInUse(), download.Length), Is.EqualTo((files, length)));
    }

    [Test]
    public async Task Memory_is_bounded_and_given_back()
    {
        var volume = VolumeFixture.Blocks(new byte[1000]);
        await PutAsync(VolumeFixture.NAME, volume);
        var memory = new VolumeMemory(2 * (long)System.Numerics.BitOperations.RoundUpToPowerOf2((ulong)volume.Length));
        for (var i = 0; i < 5; i++)
        {
            using var first = await FetchAsync(Remote, VolumeFixture.NAME, memory);
            using var second = await FetchAsync(Remote, VolumeFixture.NAME, memory);
            Assert.That(FilesInUse(), Is.Zero);
            using var third = await FetchAsync(Remote, VolumeFixture.NAME, memory);
            Assert.That(FilesInUse(), Is.EqualTo(1));
            second.Dispose();
            second.Dispose();
            using var fourth = await FetchAsync(Remote, VolumeFixture.NAME, memory);
            using var fifth = await FetchAsync(Remote, VolumeFixture.NAME, memory);
            Assert.That(FilesInUse(), Is.EqualTo(2));
        }

        await Task.WhenAll(
            Enumerable
                .Range(0, 8)
                .Select(_ =>
                    Task.Run(async () =>
                    {
                        for (var i = 0; i < 50; i++)
                        {
                            using var download = await FetchAsync(Remote, VolumeFixture.NAME, memory);
                            Assert.That(VolumeFixture.Content(download.Content), Is.EqualTo(volume));
                        }
                    })
                )
        );
        foreach (var isLeft in new[] { true, true, false })
            Assert.That(memory.TryRent(volume.Length) is not null, Is.EqualTo(isLeft));
    }

    [Test]
    public async Task What_fails_gives_memory_back_and_leaves_no_file()
    {
        var volume = VolumeFixture.Blocks(new byte[1000]);
        await PutAsync(VolumeFixture.NAME, volume);
        await PutAsync(Encrypted, volume);
        foreach (var (memory, files) in new[] { (new VolumeMemory(8192), 0), (new VolumeMemory(0), 1) })
        {
            var downloader = new VolumeDownloader(Remote, "another", Temporary, memory);
            for (var i = 0; i < 3; i++)
            {
                Assert.ThrowsAsync<VolumeChangedException>(() => downloader.FetchAsync(VolumeFixture.NAME, "other", -1, default));
                Assert.ThrowsAsync<VolumeChangedException>(() => downloader.FetchAsync(VolumeFixture.NAME, null, 5, default));
                Assert.ThrowsAsync<WrongPassphraseException>(() => downloader.FetchAsync(Encrypted, default));
                Assert.CatchAsync<OperationCanceledException>(() =>
                    downloader.FetchAsync(VolumeFixture.NAME, new CancellationToken(canceled: true))
                );
                Assert.ThrowsAsync<RemoteFileMissingException>(() =>
                    downloader.FetchAsync(VolumeFixture.NAME.Replace("b0", "b1", StringComparison.Ordinal), default)
                );
            }

            Assert.That(FilesInUse(), Is.Zero);
            using var download = await FetchAsync(Remote, VolumeFixture.NAME, memory);
            Assert.That((FilesInUse(), VolumeFixture.Content(download.Content).SequenceEqual(volume)), Is.EqualTo((files, true)));
        }
    }

    [Test]
    public async Task A_volume_that_changes_after_it_was_checked_stays_as_it_was()
    {
        var volume = VolumeFixture.Blocks([1, 2, 3]);
        await PutAsync(VolumeFixture.NAME, volume);
        using var download = await FetchAsync(Remote, VolumeFixture.NAME, new VolumeMemory(Plenty));
        await File.WriteAllBytesAsync(Path.Combine(Remote.Address, VolumeFixture.NAME), new byte[volume.Length]);
        Assert.That(VolumeFixture.Content(download.Content), Is.EqualTo(volume));
    }

    [Test]
    public async Task What_was_fetched_cannot_be_read_once_it_is_given_back()
    {
        await PutAsync(VolumeFixture.NAME, VolumeFixture.Blocks([1, 2, 3]));
        var download = await FetchAsync(Remote, VolumeFixture.NAME, new VolumeMemory(Plenty));
        download.Dispose();
        Assert.That(() => download.Content.ReadByte(), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(download.Volume.Open, Throws.TypeOf<ObjectDisposedException>());
    }

    [TestCase(Plenty)]
    [TestCase(0)]
    public async Task Of_a_damaged_volume_only_pieces_of_four_kibibytes_that_the_disk_cannot_read_are_zeros(long memory)
    {
        var expected = await PutAsync(VolumeFixture.NAME, VolumeFixture.RandomBytes(new Random(1), 200_000));
        expected.AsSpan(17 * 4096, 4096).Clear();
        expected.AsSpan(48 * 4096).Clear();
        var bad = new BadSectorFolder(Remote, VolumeFixture.NAME, (70_000, 70_001), (199_999, 200_000));

        using (var download = await Downloader(bad, memory).FetchDamagedAsync(VolumeFixture.NAME, default))
            Assert.That(VolumeFixture.Content(download.Content), Is.EqualTo(expected));

        Assert.That(
            async () => (await FetchAsync(bad, VolumeFixture.NAME, new VolumeMemory(memory))).Dispose(),
            Throws.TypeOf<CorruptVolumeException>()
        );
        Assert.That(FilesInUse(), Is.Zero);
    }

    [TestCase(Plenty)]
    [TestCase(0)]
    public async Task A_disk_that_can_read_nothing_or_goes_away_gives_no_zeros(long memory)
    {
        await PutAsync(VolumeFixture.NAME, new byte[200_000]);
        var nothing = new BadSectorFolder(Remote, VolumeFixture.NAME, (0, long.MaxValue));
        var gone = new BadSectorFolder(Remote, VolumeFixture.NAME, (70_000, long.MaxValue))
        {
            Outage = new RemoteFolderMissingException("folder"),
        };

        foreach (var (folder, error) in new[] { (nothing, typeof(CorruptVolumeException)), (gone, typeof(RemoteFolderMissingException)) })
        {
            Assert.That(() => Downloader(folder, memory).FetchDamagedAsync(VolumeFixture.NAME, default), Throws.TypeOf(error));
        }

        Assert.That(FilesInUse(), Is.Zero);
    }

    [Test]
    [Platform("Linux")]
    public async Task A_disk_that_cannot_write_the_temporary_file_says_nothing_of_the_volume()
    {
        await PutAsync(VolumeFixture.NAME, [1, 2, 3]);
        var downloader = Downloader(Remote, 0);
        // Whoever writes where a process has no memory gets EIO.
        File.CreateSymbolicLink(Path.Combine(Temporary, "get-1"), "/proc/self/mem");

        Assert.That(
            () => downloader.FetchAsync(VolumeFixture.NAME, default),
            Throws.TypeOf<IOException>().With.Property("HResult").EqualTo(5)
        );
    }

    private VolumeDownloader Downloader(IRemoteFolder folder, long memory) => new(folder, Passphrase, Temporary, new VolumeMemory(memory));

    private int FilesInUse() => Directory.GetFiles(Temporary, "*", SearchOption.AllDirectories).Length;

    private Task<VolumeDownloader.Download> FetchAsync(IRemoteFolder folder, string name, VolumeMemory memory) =>
        new VolumeDownloader(
            folder,
            Passphrase,
            Directory.CreateDirectory(Path.Combine(Temporary, Guid.NewGuid().ToString("N"))).FullName,
            memory
        ).FetchAsync(name, default);

    private async Task<byte[]> PutAsync(string name, byte[] content)
    {
        var stored = content;
        if (name == Encrypted)
        {
            using var encrypted = new MemoryStream();
            await AesCryptStreamWriter.EncryptAsync(new MemoryStream(content), encrypted, Passphrase, new AesCryptOptions(), default);
            stored = encrypted.ToArray();
        }

        await File.WriteAllBytesAsync(Path.Combine(Remote.Address, name), stored);
        return stored;
    }

    // A folder whose files have to be fetched.
    private sealed class FarFolder(IRemoteFolder folder) : WatchedFolder(folder, static _ => { })
    {
        public override Stream? OpenLocal(string name) => null;
    }
}
