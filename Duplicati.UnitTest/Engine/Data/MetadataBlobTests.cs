// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Data;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.UnitTest.Engine.Volumes;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Engine.Data;

[TestFixture]
public sealed class MetadataBlobTests
{
    [TestCase("a-plain-1k")]
    [TestCase("c-plain-10k-1mb")]
    [TestCase("x120-plain")]
    public async Task Metadata_of_real_backups_is_written_as_it_was_read_byte_for_byte(string set)
    {
        var blobs = 0;
        foreach (var (path, name) in GoldenVolumesTests.Files(set, RemoteVolumeType.Blocks))
        {
            using var reader = BlockVolumeReader.Open(await VolumeFixture.OpenAsync(path, name, null), name.FileName);
            var buffer = new byte[reader.Manifest.Blocksize];
            foreach (var (hash, size) in reader.Blocks)
            {
                var content = buffer.AsMemory(0, reader.ReadBlock(hash, buffer));
                Assert.That(content.Length, Is.EqualTo(size));
                if (!MetadataBlob.TryParse(content.Span, out var blob) || !blob.Values.ContainsKey(MetadataBlob.AttributesKey))
                    continue;
                Assert.That(blob.ToBytes(), Is.EqualTo(content.ToArray()));
                Assert.That(blob.Attributes, Is.Not.Null);
                Assert.That(blob.LastWrite, Is.Not.Null);
                Assert.That(blob.OwnerAndMode, Is.Not.Null);
                Assert.That(blob.SymlinkTarget is not null, Is.EqualTo(blob.Attributes!.Value.HasFlag(FileAttributes.ReparsePoint)));
                blobs++;
            }
        }

        Assert.That(blobs, Is.GreaterThan(50));
    }

    [Test]
    public void The_empty_set_is_a_byte_order_mark_and_two_braces() =>
        Assert.That(new MetadataBlob().ToBytes(), Is.EqualTo(new byte[] { 0xEF, 0xBB, 0xBF, (byte)'{', (byte)'}' }));

    [Test]
    public void Values_keep_their_order_and_every_character()
    {
        var blob = new MetadataBlob();
        blob.Set("z", "\0\u0001\"\\\b\f\n\r\t\u007f\u0085\u2028é中🎉\ud800 lone");
        blob.Set("a", "");
        blob.Set("removed", "x");
        blob.Set("removed", null);
        Assert.That(MetadataBlob.TryParse(blob.ToBytes(), out var read), Is.True);
        Assert.That(read.Values, Is.EqualTo(blob.Values));
        Assert.That(read.Values.Keys, Is.EqualTo(new[] { "z", "a" }));
    }

    [TestCase("")]
    [TestCase("[]")]
    [TestCase("{")]
    [TestCase("{\"a\":1}")]
    [TestCase("{\"a\":{}}")]
    [TestCase("{\"a\":\"b\"} x")]
    [TestCase("{\"a\":\"b\",}")]
    public void What_is_no_object_of_texts_is_refused(string json) =>
        Assert.That(MetadataBlob.TryParse(System.Text.Encoding.UTF8.GetBytes(json), out _), Is.False);

    [TestCase("unix:uid-gid-perm", "1-2-4294967296")]
    [TestCase("unix:uid-gid-perm", "1-2")]
    [TestCase("unix:uid-gid-perm", "-1-2-3")]
    [TestCase("CoreLastWritetime", "99999999999999999999")]
    [TestCase("CoreLastWritetime", "9223372036854775807")]
    [TestCase("CoreLastWritetime", "-5")]
    [TestCase("CoreAttributes", "Fancy")]
    public void Unreadable_values_are_absent(string key, string value)
    {
        var blob = new MetadataBlob();
        blob.Set(key, value);
        Assert.That(
            (blob.OwnerAndMode, blob.LastWrite, blob.Attributes),
            Is.EqualTo(((ValueTuple<uint, uint, UnixFileMode>?)null, (DateTime?)null, (FileAttributes?)null))
        );
    }

    [Test]
    public void Special_bits_of_the_mode_are_never_read()
    {
        var blob = new MetadataBlob();
        blob.Set(MetadataBlob.OwnerAndModeKey, "0-0-2541");
        Assert.That(blob.OwnerAndMode!.Value.Mode, Is.EqualTo((UnixFileMode)(2541 & 511)));
    }
}
