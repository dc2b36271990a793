// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
public sealed class VolumeNameTests
{
    private const string GUID = "0123456789abcdef0123456789abcdef";

    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dblock.zip", RemoteVolumeType.Blocks, null)]
    [TestCase("duplicati-b0123456789ABCDEF0123456789abcdef.dblock.zip.aes", RemoteVolumeType.Blocks, "aes")]
    [TestCase("duplicati-B0123456789abcdef0123456789abcdef.dblock.zip", RemoteVolumeType.Blocks, null)]
    [TestCase("duplicati-i0123456789abcdef0123456789abcdef.dblock.zip", RemoteVolumeType.Blocks, null)]
    [TestCase("duplicati-I0123456789abcdef0123456789abcdef.dindex.tgz.gpg", RemoteVolumeType.Index, "gpg")]
    [TestCase("duplicati-i0123456789abcdef0123456789abcdef-dindex.zip.a.b", RemoteVolumeType.Index, "a.b")]
    [TestCase("my prefix.1-20260814T101112Z.dlist.zip.aes", RemoteVolumeType.Files, "aes")]
    [Contract("B 8.1")]
    public void Names_of_all_forms_are_taken_apart(string fileName, RemoteVolumeType type, string? encryption)
    {
        var name = VolumeName.Parse(fileName);
        Assert.That(name, Is.Not.Null);
        Assert.That((name!.Type, name.Encryption, name.FileName, name.IsParityCompanion), Is.EqualTo((type, encryption, fileName, false)));
        Assert.That(name.Prefix, Is.EqualTo(fileName[..fileName.IndexOf('-', StringComparison.Ordinal)]));
    }

    [Test]
    public void A_file_list_knows_its_time()
    {
        Assert.That(
            VolumeName.Parse("duplicati-20260814T101112Z.dlist.zip")!.Time,
            Is.EqualTo(new DateTime(2026, 8, 14, 10, 11, 12, DateTimeKind.Utc))
        );
    }

    [Test]
    [Contract("B 8.1")]
    [Contract("B 10 Q12")]
    public void A_parity_companion_is_told_from_its_volume()
    {
        var name = VolumeName.Parse($"duplicati-b{GUID}.dblock.zip.aes.par2");
        Assert.That((name!.IsParityCompanion, name.Encryption), Is.EqualTo((true, "aes")));
    }

    [TestCase(null)]
    [TestCase("")]
    [TestCase("duplicati")]
    [TestCase("duplicati-verification.json")]
    [TestCase("-b0123456789abcdef0123456789abcdef.dblock.zip")]
    [TestCase("a-b-b0123456789abcdef0123456789abcdef.dblock.zip")]
    [TestCase("duplicati-x0123456789abcdef0123456789abcdef.dblock.zip")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcde.dblock.zip")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcdeg.dblock.zip")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dblock")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dblock.")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dblock.zip.")]
    [TestCase("duplicati-b0123456789abcdef0123456789abcdef.dlist.zip")]
    [TestCase("duplicati-20260814T101112Z.dblock.zip")]
    [TestCase("duplicati-20261314T101112Z.dlist.zip")]
    [TestCase("duplicati-20260230T101112Z.dlist.zip")]
    [TestCase("duplicati-20260814T241112Z.dlist.zip")]
    [TestCase("duplicati-２０２６0814T101112Z.dlist.zip")]
    [Contract("B 8.1")]
    public void Other_names_are_none_of_volumes(string? fileName) => Assert.That(VolumeName.Parse(fileName), Is.Null);

    [Test]
    [Contract("B 8.1")]
    public void Made_names_are_read_back()
    {
        foreach (var type in new[] { RemoteVolumeType.Blocks, RemoteVolumeType.Index })
        {
            var name = VolumeName.New(type, "p", VolumeName.AES);
            Assert.That((name.Type, name.Prefix, name.Encryption, name.Compression), Is.EqualTo((type, "p", "aes", "zip")));
            Assert.That(name.FileName, Does.Match("^p-[bi][0-9a-f]{32}\\."));
            Assert.That(VolumeName.Parse(name.FileName), Is.EqualTo(name));
        }

        var list = VolumeName.ForFilelist(new DateTime(2026, 8, 14, 10, 11, 12, 999, DateTimeKind.Utc));
        Assert.That(list.FileName, Is.EqualTo("duplicati-20260814T101112Z.dlist.zip"));
    }

    [Test]
    public void No_two_made_names_are_the_same() =>
        Assert.That(Enumerable.Range(0, 1000).Select(_ => VolumeName.New(RemoteVolumeType.Blocks).FileName), Is.Unique);

    [TestCase("a-b")]
    [TestCase("")]
    [TestCase("../a")]
    [TestCase("a\\b")]
    public void A_prefix_that_cannot_be_read_back_is_refused(string prefix)
    {
        Assert.Throws<ArgumentException>(() => VolumeName.New(RemoteVolumeType.Blocks, prefix));
        Assert.Throws<ArgumentException>(() => VolumeName.ForFilelist(DateTime.UtcNow, prefix));
    }

    [Test]
    public void A_file_list_has_no_guid_to_make() => Assert.Throws<ArgumentException>(() => VolumeName.New(RemoteVolumeType.Files));

    [Test]
    public void Any_text_is_either_refused_or_kept_as_it_is()
    {
        var seed = LongRun.Seed();
        var random = new Random(seed);
        var parts = new[]
        {
            "duplicati",
            "-",
            "b",
            "I",
            GUID,
            ".",
            "dblock",
            "dlist",
            "zip",
            "aes",
            ".par2",
            "20260814T101112Z",
            "\n",
            "é",
            "\0",
            "%",
            "..",
            "/",
        };
        for (var i = 0; i < 20_000; i++)
        {
            var text = string.Concat(Enumerable.Range(0, random.Next(1, 12)).Select(_ => parts[random.Next(parts.Length)]));
            var name = VolumeName.Parse(text);
            Assert.That(name?.FileName ?? text, Is.EqualTo(text), $"seed {seed}");
        }
    }
}
