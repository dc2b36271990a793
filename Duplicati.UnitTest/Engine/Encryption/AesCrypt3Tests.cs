// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using System.Text;
using Duplicati.Engine.Encryption;
using Duplicati.Engine.Errors;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Engine.Encryption;

/// <summary>What is special to AES Crypt 3, against an implementation of the format that shares nothing with the engine's.</summary>
[TestFixture]
internal sealed class AesCrypt3Tests
{
    private const string NAME = "duplicati-20260814T101112Z.dlist.zip.aes";
    private const uint ITERATIONS = 1000;

    // Where the iterations are if there are no extensions.
    private const int ITERATIONS_AT = 7;

    // The sample that is published beside the format, https://www.aescrypt.com/aes_stream_format.html.
    private const string SAMPLE = """
        41455303 00001F43 52454154 45445F42 59006165 73637279 70745F63 6C692034 2E302E30 2E300000 000493E0 947021F8
        EEB32EA4 4EA82372 0A912A18 D5EC63F1 417B7737 B00C450C E3A6CE10 77897895 ED48B456 7A360462 FB242D5C 8ABC448D
        47852EEB 9DC3B791 1F4BF002 E9EE26BF EA2FFC47 12D36198 85505345 F5357363 D90B6A2F AC2B37D1 DB8F34F6 06A2DE1E
        8C662A94 C03B15FD F94ACE23 835B909E 3FEF96A7 071411FD 72517862 CB008CB5 90A40565 4BA8D3A7 18D3A8FA
        """;

    [Test]
    [Contract("B 8.10")]
    public async Task The_published_sample_is_read()
    {
        var sample = Convert.FromHexString(string.Concat(SAMPLE.Where(char.IsAsciiHexDigit)));
        Assert.That(Encoding.ASCII.GetString(await DecryptAsync(sample, "apples")), Is.EqualTo("Hello, World!\n"));
        Assert.That(AesCrypt3.Read(sample, "apples"), Is.EqualTo("Hello, World!\n"u8.ToArray()));
        Assert.ThrowsAsync<WrongPassphraseException>(() => DecryptAsync(sample, "pears"));
    }

    [TestCase("", "apples")]
    [TestCase("Hello, World! 16", "päss 🎉")]
    [Contract("B 8.10")]
    public async Task A_stream_written_from_the_format_is_read(string text, string password)
    {
        var content = Encoding.UTF8.GetBytes(text);
        byte[] creator = [.. "CREATED_BY"u8, 0, .. "somebody 1.0"u8];
        foreach (var extensions in new byte[][][] { [], [creator], [creator, new byte[128], new byte[ushort.MaxValue]] })
            Assert.That(await DecryptAsync(AesCrypt3.Write(content, password, ITERATIONS, extensions), password), Is.EqualTo(content));
    }

    [TestCase(13, "apples", false)]
    [TestCase(0, "apples", true)]
    [TestCase(16, "päss 🎉", true)]
    [TestCase(300_000, "päss 🎉", false)]
    public async Task A_stream_that_is_written_is_read_from_the_format(int length, string password, bool isMinimal)
    {
        var content = VolumeFixture.RandomBytes(new Random(length), length);
        using var target = new MemoryStream();
        var options = new AesCryptOptions
        {
            Version = 3,
            Iterations = (int)ITERATIONS,
            IsHeaderMinimal = isMinimal,
        };
        await AesCryptStreamWriter.EncryptAsync(new MemoryStream(content), target, password, options, default);
        Assert.That(AesCrypt3.Read(target.ToArray(), password), Is.EqualTo(content));
    }

    [TestCase(0u)]
    [TestCase(AesCryptOptions.MAX_ITERATIONS + 1u)]
    [TestCase(0x8000_0000u)]
    [TestCase(uint.MaxValue)]
    public void A_stream_that_asks_for_no_work_or_for_endless_work_is_a_typed_error(uint iterations)
    {
        var encrypted = AesCrypt3.Write(new byte[100], "apples", 1);
        BinaryPrimitives.WriteUInt32BigEndian(encrypted.AsSpan(ITERATIONS_AT), iterations);
        var error = Assert.ThrowsAsync<CorruptVolumeException>(() => DecryptAsync(encrypted, "apples"));
        Assert.That(error!.Message, Does.StartWith(NAME).And.Contain($"{iterations} iterations"));
        Assert.ThrowsAsync<CorruptVolumeException>(() =>
            AesCryptStreamReader.SalvageAsync(new MemoryStream(encrypted), Stream.Null, "apples", NAME, default)
        );
    }

    [Test]
    public void Other_iterations_than_it_was_written_with_open_nothing()
    {
        var encrypted = AesCrypt3.Write(new byte[100], "apples", 10);
        BinaryPrimitives.WriteUInt32BigEndian(encrypted.AsSpan(ITERATIONS_AT), 11);
        Assert.ThrowsAsync<WrongPassphraseException>(() => DecryptAsync(encrypted, "apples"));
    }

    // Of a writer that pads otherwise; its authentication code is right.
    [TestCase("")]
    [TestCase("000102030405060708090A0B0C0D0E00")]
    [TestCase("000102030405060708090A0B0C0D0E11")]
    [TestCase("000102030405060708090A0B0C030203")]
    public void A_last_block_that_is_not_padded_by_the_rule_is_a_typed_error(string last)
    {
        var encrypted = AesCrypt3.WritePadded(Convert.FromHexString(last), "apples", 1);
        var error = Assert.ThrowsAsync<CorruptVolumeException>(() => DecryptAsync(encrypted, "apples"));
        Assert.That(error!.Message, Does.StartWith(NAME).And.Contain("last block"));
    }

    private static async Task<byte[]> DecryptAsync(byte[] encrypted, string password)
    {
        using var target = new MemoryStream();
        await AesCryptStreamReader.DecryptAsync(new MemoryStream(encrypted), target, password, NAME, default);
        return target.ToArray();
    }
}
