// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Recreate;
using Duplicati.Engine.Volumes;
using Duplicati.Library.SQLiteHelper.Connections;
using static Duplicati.UnitTest.Engine.Volumes.VolumeFixture;

namespace Duplicati.UnitTest.Engine.Recreate;

/// <summary>
/// Index volumes that are small and say much: what a recreate keeps of one in memory is in proportion to its bytes, not to what it says.
/// </summary>
[TestFixture]
internal sealed class IndexMemoryTests
{
    private const string VOLUME = "the-index";
    private const long MEMORY_CAP = 32L << 20;

    [Test]
    public void Very_many_volumes_of_few_blocks_take_little_memory()
    {
        var index = Zip([.. Enumerable.Range(0, 20_000).Select(x => ($"vol/duplicati-b{x:x32}.dblock.zip", Describe(1)))]);
        var before = GC.GetTotalMemory(forceFullCollection: true);

        using var parsed = Read(index);

        Assert.That(parsed.Volumes, Has.Count.EqualTo(20_000));
        Assert.That(GC.GetTotalMemory(forceFullCollection: true) - before, Is.LessThan(MEMORY_CAP));
        GC.KeepAlive(parsed);
    }

    [Test]
    public void More_blocks_than_can_be_in_its_bytes_are_a_typed_error_in_little_memory([Values(1, 200)] int volumes)
    {
        var index = Zip([.. Enumerable.Range(0, volumes).Select(x => ($"vol/duplicati-b{x:x32}.dblock.zip", Describe(500_000 / volumes)))]);
        Assert.That(index, Has.Length.LessThan(1 << 20));
        var before = GC.GetAllocatedBytesForCurrentThread();

        Assert.Throws<CorruptVolumeException>(() => Read(index));

        Assert.That(GC.GetAllocatedBytesForCurrentThread() - before, Is.LessThan(MEMORY_CAP));
    }

    // Of files of zeros each list has the same digest again and again.
    [TestCase("small")]
    [TestCase("default")]
    public void Blocklists_that_pack_well_are_read_when_their_turn_comes(string preset)
    {
        using var scope = ConnectionPreset.Use(preset);
        const int Blocksize = 256 * 1024;
        var format = Format with { Blocksize = Blocksize };
        var zeros = VolumeHash.Sha256.HashToBase64(new byte[Blocksize]);
        var lists = Enumerable
            .Range(1, 400)
            .Select(x => (byte[])[.. Enumerable.Repeat(Convert.FromBase64String(zeros), (Blocksize / 32) - x).SelectMany(y => y)])
            .ToList();
        var index = ZipWithout([
            (VolumeManifest.ENTRY_NAME, VolumeManifest.Now(Blocksize, format.BlockHash, format.FileHash).ToBytes()),
            .. lists.Select(x => ("list/" + HashEncoding.ToEntryName(VolumeHash.Sha256.HashToBase64(x)), x)),
        ]);
        var total = lists.Sum(x => (long)x.Length);
        lists.Clear();
        Assert.That((index.Length < 2 << 20, total > 90 << 20), Is.EqualTo((true, true)), "small in the archive, large when read");
        var before = GC.GetTotalMemory(forceFullCollection: true);

        using var parsed = ParsedIndex.Read(VOLUME, "", index.Length, new MemoryStream(index), format);

        var kept = GC.GetTotalMemory(forceFullCollection: true) - before;
        Assert.That(kept, Is.LessThan(MEMORY_CAP));
        Assert.That(parsed.Blocklists.Sum(x => (long)x.Content.Length), Is.EqualTo(total));
        Assert.That(parsed.RejectedBlocklists, Is.Zero);
    }

    private static ParsedIndex Read(byte[] index) => ParsedIndex.Read(VOLUME, "", index.Length, new MemoryStream(index), Format);

    private static byte[] Describe(int blocks)
    {
        var hash = Hash([1, 2, 3]);
        var text = new StringBuilder("{\"blocks\":[");
        for (var i = 0; i < blocks; i++)
            text.Append(i == 0 ? "" : ",").Append($"{{\"hash\":\"{hash}\",\"size\":3}}");
        return Encoding.UTF8.GetBytes(text.Append("],\"volumehash\":\"h\",\"volumesize\":5}").ToString());
    }
}
