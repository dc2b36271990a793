// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Volumes;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Volumes;

[TestFixture]
internal sealed class KnownLengthStreamTests
{
    [Test]
    public void The_length_of_a_volume_is_asked_once_however_many_blocks_are_read()
    {
        var random = new Random(LongRun.Seed());
        var blocks = Enumerable.Range(0, 50).Select(_ => VolumeFixture.RandomBytes(random, random.Next(1, 1024))).ToArray();
        var file = new CountedFile(VolumeFixture.Blocks(blocks));
        using (var reader = BlockVolumeReader.Open(new KnownLengthStream(file), VolumeFixture.NAME))
        {
            var buffer = new byte[1024];
            foreach (var block in blocks)
            {
                var length = reader.ReadVerifiedBlock(VolumeFixture.Hash(block), VolumeHash.Sha256, buffer);
                Assert.That(buffer[..length], Is.EqualTo(block));
            }
        }

        Assert.That((file.LengthsAsked, file.IsClosed), Is.EqualTo((1, true)));
    }

    [Test]
    public async Task An_opened_volume_is_for_reading_and_closes_its_file()
    {
        using var folder = new TestFolder();
        var content = VolumeFixture.Blocks([1, 2, 3], [4, 5]);
        var path = folder.File("volume");
        File.WriteAllBytes(path, content);
        await using (var opened = await VolumeFixture.OpenAsync(path, VolumeName.Parse(VolumeFixture.NAME)!, null))
        {
            Assert.That(
                (opened.CanRead, opened.CanSeek, opened.CanWrite, opened.Length, opened.Position),
                Is.EqualTo((true, true, false, (long)content.Length, 0L))
            );
            opened.Position = 2;
            Assert.That((opened.ReadByte(), opened.Seek(-1, SeekOrigin.End)), Is.EqualTo((content[2], content.Length - 1L)));
            var buffer = new byte[10];
            Assert.That((await opened.ReadAsync(buffer), opened.Read(buffer, 0, 10), buffer[0]), Is.EqualTo((1, 0, content[^1])));
            Assert.That(() => opened.Write([1], 0, 1), Throws.TypeOf<NotSupportedException>());
            Assert.That(() => opened.SetLength(1), Throws.TypeOf<NotSupportedException>());
        }

        using var again = File.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None);
        Assert.That(again.Length, Is.EqualTo(content.Length));
    }

    private sealed class CountedFile(byte[] content) : MemoryStream(content)
    {
        public int LengthsAsked { get; private set; }

        public bool IsClosed { get; private set; }

        public override long Length
        {
            get
            {
                LengthsAsked++;
                return base.Length;
            }
        }

        protected override void Dispose(bool disposing)
        {
            IsClosed = true;
            base.Dispose(disposing);
        }
    }
}
