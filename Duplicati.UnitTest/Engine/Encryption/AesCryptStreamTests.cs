// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.UnitTest.Engine.Volumes;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Engine.Encryption;

[TestFixture(2)]
[TestFixture(3)]
public sealed class AesCryptStreamTests(int version)
{
    private const string PASSPHRASE = "päss 🎉";
    private const string NAME = "duplicati-20260814T101112Z.dlist.zip.aes";

    // Few, so that the tests are quick; a changed bit asks for many.
    private AesCryptOptions Written => new() { Version = version, Iterations = 10 };

    private int Trailer => version == 2 ? 33 : 32;

    [Test]
    [Contract("B 8.10")]
    public async Task What_was_encrypted_comes_back(
        [Values(0, 1, 15, 16, 17, 31, 32, 1000, 128 * 1024 - 1, 128 * 1024, 128 * 1024 + 1, 128 * 1024 + 16, 128 * 1024 + 17, 300_000)]
            int length
    )
    {
        var content = VolumeFixture.RandomBytes(new Random(length), length);
        var encrypted = await Encrypt(content);
        Assert.That(await Decrypt(encrypted), Is.EqualTo(content));
    }

    [Test]
    public async Task Streams_that_give_little_at_a_time_make_no_difference()
    {
        var content = VolumeFixture.RandomBytes(new Random(1), 200_000);
        using var target = new MemoryStream();
        await AesCryptStreamWriter.EncryptAsync(new DrippingStream(content), target, PASSPHRASE, Written, default);
        using var back = new MemoryStream();
        await AesCryptStreamReader.DecryptAsync(new DrippingStream(target.ToArray()), back, PASSPHRASE, NAME, default);
        Assert.That(back.ToArray(), Is.EqualTo(content));
    }

    [Test]
    public async Task Two_encryptions_of_the_same_content_share_nothing_but_the_head()
    {
        var content = new byte[1000];
        var first = await Encrypt(content);
        var second = await Encrypt(content);
        Assert.That(first[^900..], Is.Not.EqualTo(second[^900..]));
    }

    [Test]
    public async Task A_wrong_passphrase_is_told_before_anything_is_written()
    {
        foreach (var wrong in new[] { PASSPHRASE + " ", "pass", "" })
        {
            var encrypted = await Encrypt(new byte[1000]);
            using var target = new MemoryStream();
            var error = Assert.ThrowsAsync<WrongPassphraseException>(() =>
                AesCryptStreamReader.DecryptAsync(new MemoryStream(encrypted), target, wrong, NAME, default)
            );
            Assert.That(error!.Message, Does.Contain(NAME).And.Contain("passphrase"));
            Assert.That((error.HelpID, error.Volume, target.Length), Is.EqualTo(("WrongPassphrase", NAME, 0L)));
        }
    }

    [Test]
    public async Task A_stream_cut_anywhere_is_a_typed_error()
    {
        var encrypted = await Encrypt(VolumeFixture.RandomBytes(new Random(2), 50));
        for (var length = 0; length < encrypted.Length; length++)
        {
            var error = Assert.ThrowsAsync<CorruptVolumeException>(() => Decrypt(encrypted[..length]), $"cut to {length}");
            Assert.That(error!.Message, Does.Contain(NAME));
        }
    }

    [Test]
    public async Task A_large_stream_cut_around_the_units_of_reading_is_a_typed_error()
    {
        var encrypted = await Encrypt(VolumeFixture.RandomBytes(new Random(2), 400_000));
        for (var length = 131072 - 40; length < encrypted.Length; length += 131072 / 3)
            Assert.ThrowsAsync<CorruptVolumeException>(() => Decrypt(encrypted[..length]), $"cut to {length}");
    }

    [Test]
    public async Task A_changed_bit_is_a_typed_error_or_was_in_free_text()
    {
        var content = VolumeFixture.RandomBytes(new Random(3), 50);
        var encrypted = await Encrypt(content);
        // Before: magic, version, a reserved byte, extensions. After: iterations, IV, session, HMAC, four blocks, trailer.
        var secret = encrypted.Length - Trailer - 64 - 32 - 48 - 16 - (version == 2 ? 0 : 4);
        for (var at = 0; at < encrypted.Length; at++)
        {
            encrypted[at] ^= 0x10;
            var decrypted = await DecryptOrNull(encrypted);
            if (at is >= 4 && at < secret)
                Assert.That(decrypted, Is.Null.Or.EqualTo(content), $"byte {at}");
            else
                Assert.That(decrypted, Is.Null, $"byte {at}");
            encrypted[at] ^= 0x10;
        }
    }

    [Test]
    public async Task Other_versions_are_named()
    {
        foreach (var other in new byte[] { 0, 1, 4, 255 })
        {
            var encrypted = await Encrypt(new byte[10]);
            encrypted[3] = other;
            var error = Assert.ThrowsAsync<UnsupportedVolumeException>(() => Decrypt(encrypted));
            Assert.That(error!.Message, Does.Contain($"version {other}").And.Contain(NAME));
        }
    }

    // The key derivation is another one, and where the iterations of version 3 are, version 2 has a random number.
    [Test]
    public async Task A_stream_is_not_taken_for_one_of_the_other_version()
    {
        var encrypted = await Encrypt(new byte[1000]);
        encrypted[3] = (byte)(5 - version);
        if (version == 2)
            encrypted[^(Trailer + 1008 + 32 + 48 + 16)] = 0x7f;
        using var target = new MemoryStream();
        Assert.CatchAsync<VolumeException>(() =>
            AesCryptStreamReader.DecryptAsync(new MemoryStream(encrypted), target, PASSPHRASE, NAME, default)
        );
        Assert.That(target.Length, Is.Zero);
    }

    [Test]
    public async Task A_minimal_header_tells_nothing_of_who_wrote_it()
    {
        using var target = new MemoryStream();
        var content = new byte[1000];
        await AesCryptStreamWriter.EncryptAsync(
            new MemoryStream(content),
            target,
            PASSPHRASE,
            Written with
            {
                IsHeaderMinimal = true,
            },
            default
        );
        var encrypted = target.ToArray();
        Assert.That(encrypted[..7], Is.EqualTo(new byte[] { 0x41, 0x45, 0x53, (byte)version, 0, 0, 0 }));
        Assert.That(encrypted, Has.Length.EqualTo(7 + (version == 2 ? 0 : 4) + 16 + 48 + 32 + 1008 + Trailer));
        Assert.That(await Decrypt(encrypted), Is.EqualTo(content));
    }

    [Test]
    public void Options_out_of_their_bounds_write_nothing()
    {
        foreach (var (wrong, iterations) in ((int, int)[])[(1, 10), (4, 10), (version, 0), (version, AesCryptOptions.MAX_ITERATIONS + 1)])
        {
            using var target = new MemoryStream();
            var options = new AesCryptOptions { Version = wrong, Iterations = iterations };
            Assert.CatchAsync<ArgumentException>(() =>
                AesCryptStreamWriter.EncryptAsync(new MemoryStream([1]), target, PASSPHRASE, options, default)
            );
            Assert.That(target.Length, Is.Zero);
        }
    }

    [Test]
    public async Task Memory_does_not_grow_with_the_stream()
    {
        const int LENGTH = 32 * 1024 * 1024;
        await Encrypt(new byte[10]);
        var before = GC.GetAllocatedBytesForCurrentThread();
        await AesCryptStreamWriter.EncryptAsync(new DrippingStream(new byte[LENGTH], 64 * 1024), Stream.Null, PASSPHRASE, Written, default);
        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before - LENGTH, Is.LessThan(2 * 1024 * 1024));
    }

    [Test]
    [Contract("B 8.10")]
    public async Task Real_volumes_written_again_open_with_the_new_passphrase()
    {
        foreach (var (path, name) in GoldenVolumesTests.Files("b-aes-1k", null))
        {
            using var plain = await VolumeFixture.OpenAsync(path, name, GoldenData.Passphrase);
            var content = VolumeFixture.Content(plain);
            Assert.That(await Decrypt(await Encrypt(content)), Is.EqualTo(content));
        }
    }

    [Test]
    public void Real_volumes_refuse_another_passphrase()
    {
        var (path, name) = GoldenVolumesTests.Files("b-aes-1k", null).First();
        Assert.ThrowsAsync<WrongPassphraseException>(() => VolumeFixture.OpenAsync(path, name, "golden pass e 1"));
        Assert.ThrowsAsync<MissingPassphraseException>(() => VolumeFixture.OpenAsync(path, name, null));
    }

    private async Task<byte[]> Encrypt(byte[] content)
    {
        using var target = new MemoryStream();
        await AesCryptStreamWriter.EncryptAsync(new MemoryStream(content), target, PASSPHRASE, Written, default);
        return target.ToArray();
    }

    private static async Task<byte[]> Decrypt(byte[] encrypted)
    {
        using var target = new MemoryStream();
        await AesCryptStreamReader.DecryptAsync(new MemoryStream(encrypted), target, PASSPHRASE, NAME, default);
        return target.ToArray();
    }

    private static async Task<byte[]?> DecryptOrNull(byte[] encrypted)
    {
        try
        {
            return await Decrypt(encrypted);
        }
        catch (VolumeException ex)
        {
            Assert.That(ex.Message, Does.Contain(NAME));
            return null;
        }
    }

    /// <summary>Gives a few bytes a read, as networks do.</summary>
    private sealed class DrippingStream(byte[] content, int most = 777) : MemoryStream(content)
    {
        public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
            base.ReadAsync(buffer[..Math.Min(buffer.Length, most)], cancellationToken);
    }
}
