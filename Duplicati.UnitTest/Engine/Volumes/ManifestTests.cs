// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using static Duplicati.UnitTest.Engine.Volumes.VolumeFixture;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
public sealed class ManifestTests
{
    private const string GOOD =
        "{\"Version\":2,\"Created\":\"20260814T101112Z\",\"Encoding\":\"utf8\",\"Blocksize\":1024,\"BlockHash\":\"SHA256\",\"FileHash\":\"SHA256\",\"AppVersion\":\"2.3.0.109\"}";

    [Test]
    [Contract("B 8.3")]
    public void A_manifest_is_read_with_or_without_byte_order_mark()
    {
        foreach (var bytes in new[] { Encoding.UTF8.GetBytes(GOOD), Encoding.UTF8.GetBytes("\uFEFF" + GOOD) })
        {
            var manifest = VolumeManifest.Parse(bytes, NAME);
            Assert.That(
                manifest,
                Is.EqualTo(
                    new VolumeManifest(
                        2,
                        new DateTime(2026, 8, 14, 10, 11, 12, DateTimeKind.Utc),
                        "utf8",
                        1024,
                        "SHA256",
                        "SHA256",
                        "2.3.0.109"
                    )
                )
            );
            Assert.That(manifest.ToBytes(), Is.EqualTo(Encoding.UTF8.GetBytes("\uFEFF" + GOOD)));
        }
    }

    [TestCase("\"Version\":2", "\"Version\":3")]
    [TestCase("\"Version\":2", "\"Version\":0")]
    [TestCase("\"Version\":2", "\"Version\":\"2\"")]
    [TestCase("\"Version\":2,", "")]
    [TestCase("\"Blocksize\":1024,", "")]
    [TestCase("1024", "1e99")]
    [TestCase("1024", "\"1024\"")]
    [TestCase("{", "[")]
    [TestCase("}", "")]
    public void An_unreadable_manifest_is_a_typed_error(string part, string instead)
    {
        var error = Assert.Throws<InvalidManifestException>(() =>
            VolumeManifest.Parse(Encoding.UTF8.GetBytes(GOOD.Replace(part, instead, StringComparison.Ordinal)), NAME)
        );
        Assert.That((error!.HelpID, error.Volume), Is.EqualTo(("InvalidManifest", NAME)));
    }

    [TestCase("utf8", "utf16", "Encoding")]
    [TestCase("1024", "2048", "Blocksize")]
    [TestCase("\"BlockHash\":\"SHA256\"", "\"BlockHash\":\"MD5\"", "BlockHash")]
    [TestCase("\"FileHash\":\"SHA256\"", "\"FileHash\":\"MD5\"", "FileHash")]
    [Contract("B 8.3")]
    public void A_manifest_that_does_not_fit_the_backup_is_a_typed_error(string part, string instead, string property)
    {
        var manifest = VolumeManifest.Parse(Encoding.UTF8.GetBytes(GOOD.Replace(part, instead, StringComparison.Ordinal)), NAME);
        var error = Assert.Throws<InvalidManifestException>(() => manifest.Require(NAME, Format));
        Assert.That(error!.Message, Does.Contain(property).And.Contain(NAME));
        VolumeManifest.Parse(Encoding.UTF8.GetBytes(GOOD), NAME).Require(NAME, Format);
    }

    [Test]
    [Contract("B 8.3")]
    public void A_hash_algorithm_named_in_another_case_is_the_same_one()
    {
        var manifest = VolumeManifest.Parse(Encoding.UTF8.GetBytes(GOOD.Replace("SHA256", "sha256", StringComparison.Ordinal)), NAME);
        var format = new VolumeFormat { BlockHash = VolumeHash.Find("MD5")!, FileHash = VolumeHash.Find("MD5")! }.Adopt(manifest, NAME);
        Assert.That((format.BlockHash, format.FileHash), Is.EqualTo((VolumeHash.Sha256, VolumeHash.Sha256)));
        Assert.DoesNotThrow(() => manifest.Require(NAME, format));
    }

    [Test]
    public void A_volume_without_manifest_is_a_typed_error() =>
        Assert.Throws<InvalidManifestException>(() => BlockVolumeReader.Open(new MemoryStream(ZipWithout(("abcd", [1]))), NAME));

    [TestCase("1024", "1023")]
    [TestCase("1024", "9999999999")]
    [TestCase("\"BlockHash\":\"SHA256\"", "\"BlockHash\":\"CRC\"")]
    public void A_format_is_not_adopted_from_an_impossible_manifest(string part, string instead)
    {
        var manifest = VolumeManifest.Parse(Encoding.UTF8.GetBytes(GOOD.Replace(part, instead, StringComparison.Ordinal)), NAME);
        Assert.Throws<InvalidManifestException>(() => new VolumeFormat().Adopt(manifest, NAME));
    }
}
