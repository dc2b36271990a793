// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Runtime.Versioning;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using static Duplicati.UnitTest.Engine.Volumes.VolumeFixture;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
public sealed class VolumeSealerTests : FolderTestBase
{
    [TestCase(null, 1_000)]
    [TestCase("aes", 1_000)]
    [TestCase("aes", 6_000_000)]
    [Contract("B 8.10")]
    public async Task A_sealed_volume_opens_with_its_recorded_hash_and_size(string? encryption, int length)
    {
        var content = RandomBytes(new Random(1), length);
        var name = VolumeName.New(RemoteVolumeType.Blocks, encryption: encryption);
        var volume = await VolumeSealer.SealAsync(Local(content), name, Format, "pass", default);
        Assert.That(volume.Name, Is.SameAs(name));
        Assert.That(
            await VolumeOpener.CheckAsync(
                () => VolumeOpener.OpenFile(volume.Path),
                name,
                VolumeHash.Sha256,
                volume.Hash,
                volume.Size,
                default
            ),
            Is.EqualTo((volume.Hash, volume.Size))
        );
        Assert.That(Folder.Files(), Is.EqualTo(new[] { Path.GetFileName(volume.Path) }));

        using var opened = await VolumeFixture.OpenAsync(volume.Path, name, "pass");
        Assert.That(VolumeFixture.Content(opened).AsSpan().SequenceEqual(content));
    }

    [Test]
    [Platform("Linux")]
    [SupportedOSPlatform("linux")]
    public async Task A_decrypted_volume_in_a_file_is_for_its_user_alone_and_has_no_name()
    {
        var name = VolumeName.New(RemoteVolumeType.Blocks, encryption: VolumeName.AES);
        var volume = await VolumeSealer.SealAsync(Local(RandomBytes(new Random(1), 6_000_000)), name, Format, "pass", default);
        var open = Open();

        using var opened = await VolumeFixture.OpenAsync(volume.Path, name, "pass");

        var file = Open().Except(open).Single();
        Assert.That(File.GetUnixFileMode(file), Is.EqualTo(UnixFileMode.UserRead | UnixFileMode.UserWrite));

        // What this process holds open of a decrypted volume, under names of the system.
        static List<string> Open() =>
            [
                .. Directory
                    .GetFiles("/proc/self/fd")
                    .Where(x =>
                        new FileInfo(x).LinkTarget is { } target
                        && target.StartsWith(Path.Combine(Path.GetTempPath(), "duplicati-"), StringComparison.Ordinal)
                        && target.EndsWith(" (deleted)", StringComparison.Ordinal)
                    ),
            ];
    }

    [Test]
    public async Task Volumes_are_sealed_and_opened_at_the_same_time()
    {
        await Parallel.ForAsync(
            0,
            20,
            async (i, token) =>
            {
                var content = RandomBytes(new Random(i), 10_000);
                var name = VolumeName.New(RemoteVolumeType.Blocks, encryption: VolumeName.AES);
                var path = Folder.File($"volume-{i}");
                await File.WriteAllBytesAsync(path, Blocks(content[..1000], content[1000..2000]), token);
                var volume = await VolumeSealer.SealAsync(path, name, Format, "pass", token);
                using var reader = BlockVolumeReader.Open(await VolumeFixture.OpenAsync(volume.Path, name, "pass"), name.FileName);
                Assert.That(
                    reader.Blocks.Select(x => x.Key),
                    Is.EqualTo(new[] { Hash(content.AsSpan(0, 1000)), Hash(content.AsSpan(1000, 1000)) })
                );
            }
        );
    }

    [Test]
    public async Task A_file_that_is_not_the_uploaded_one_is_a_typed_error()
    {
        var name = VolumeName.New(RemoteVolumeType.Blocks);
        var volume = await VolumeSealer.SealAsync(Local([1, 2, 3]), name, Format, null, default);
        var size = Assert.ThrowsAsync<VolumeChangedException>(() =>
            VolumeOpener.CheckAsync(() => VolumeOpener.OpenFile(volume.Path), name, VolumeHash.Sha256, volume.Hash, 4, default)
        );
        var hash = Assert.ThrowsAsync<VolumeChangedException>(() =>
            VolumeOpener.CheckAsync(() => VolumeOpener.OpenFile(volume.Path), name, VolumeHash.Sha256, Hash([]), 3, default)
        );
        Assert.That(size!.Message, Does.StartWith(name.FileName).And.Contain("3 bytes").And.Contain("4"));
        Assert.That(hash!.Message, Does.StartWith(name.FileName).And.Contain(Hash([])));
        Assert.That(
            await VolumeOpener.CheckAsync(() => VolumeOpener.OpenFile(volume.Path), name, VolumeHash.Sha256, null, -1, default),
            Is.EqualTo((volume.Hash, 3L))
        );
    }

    [Test]
    public void An_encrypted_volume_without_passphrase_is_a_typed_error_and_the_file_stays()
    {
        var path = Local([1]);
        Assert.ThrowsAsync<MissingPassphraseException>(() =>
            VolumeSealer.SealAsync(path, VolumeName.New(RemoteVolumeType.Blocks, encryption: VolumeName.AES), Format, "", default)
        );
        Assert.That(File.Exists(path));
    }

    [Test]
    public void A_cancelled_sealing_leaves_the_container_and_nothing_else()
    {
        var path = Local(new byte[1000]);
        Assert.CatchAsync<OperationCanceledException>(() =>
            VolumeSealer.SealAsync(
                path,
                VolumeName.New(RemoteVolumeType.Blocks, encryption: VolumeName.AES),
                Format,
                "pass",
                new CancellationToken(true)
            )
        );
        Assert.That(Folder.Files(), Is.EqualTo(new[] { "volume" }));
    }

    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dblock.7z")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dblock.zip.gpg")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dblock.zip.par2")]
    public void Formats_that_are_not_known_are_a_typed_error(string fileName)
    {
        var name = VolumeName.Parse(fileName)!;
        var error = Assert.ThrowsAsync<UnsupportedVolumeException>(() => VolumeFixture.OpenAsync(Local([1]), name, "pass"));
        Assert.That(error!.Message, Does.StartWith(fileName));
    }

    private string Local(byte[] content)
    {
        File.WriteAllBytes(Folder.File("volume"), content);
        return Folder.File("volume");
    }
}
