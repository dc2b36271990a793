// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Files of which only the metadata are lost: broken, unless the caller is going to replace the metadata.</summary>
[TestFixture]
[Contract("D 4.3 GetBrokenFilesetsAsync")]
internal sealed class ReplaceableMetadataTests
{
    [Test]
    public async Task A_file_is_broken_without_its_data_and_without_metadata_that_cannot_be_replaced()
    {
        using var sample = new SampleDatabase();
        var volume = sample.Volume("block");
        var good = sample.Metadata(sample.Blockset("good", 5, sample.Block("good", 5, volume)));
        var lost = sample.Metadata(sample.Blockset("lost", 5, 4711));
        var data = sample.Blockset("data", 7, sample.Block("data", 7, volume));
        var noData = sample.Blockset("no data", 7, 4712);
        var first = sample.Fileset(1000, sample.File("/whole", data, good));
        var second = sample.Fileset(2000, sample.File("/metadata", data, lost));
        var third = sample.Fileset(3000, sample.File("/data", noData, lost), sample.File("/none", data, 4713));
        sample.Close();

        await using var broken = await LocalListBrokenFilesDatabase.CreateAsync(sample.Path, null, default);
        Assert.That(await FilesetsAsync(broken, false), Is.EqualTo(new[] { (second, 1L), (third, 2L) }));
        Assert.That(await FilesetsAsync(broken, true), Is.EqualTo(new[] { (third, 2L) }));
        Assert.That(await FilesetsAsync(broken, false), Is.EqualTo(new[] { (second, 1L), (third, 2L) }), "the first answer again");
        Assert.That(await broken.GetFilesetsWithReplaceableMetadataAsync(default), Is.EquivalentTo(new[] { second, third }));
        Assert.That(await NamesAsync(broken, second, true), Is.Empty);
        Assert.That(await NamesAsync(broken, second, false), Is.EqualTo(new[] { "/metadata" }));
        Assert.That(await NamesAsync(broken, third, true), Is.EqualTo(new[] { "/data", "/none" }));
        Assert.That(await NamesAsync(broken, first, false), Is.Empty);

        broken.Connection.Execute("CREATE TEMP TABLE Ids (Id INTEGER)");
        await broken.InsertBrokenFileIDsIntoTableAsync(second, "Ids", "Id", true, default);
        Assert.That(broken.Connection.Scalar("SELECT COUNT(*) FROM Ids"), Is.EqualTo("0"));
        await broken.InsertBrokenFileIDsIntoTableAsync(second, "Ids", "Id", false, default);
        Assert.That(broken.Connection.Scalar("SELECT COUNT(*) FROM Ids"), Is.EqualTo("1"));
    }

    [TestCase("one of two blocks")]
    [TestCase("all blocks")]
    [TestCase("the list of its blocks")]
    [TestCase("a block in no block volume")]
    public async Task What_is_left_out_as_replaceable_is_replaced(string loss)
    {
        using var sample = new SampleDatabase();
        var volume = sample.Volume("block");
        var (first, second) = (sample.Block("first", 5, volume), sample.Block("second", 5, volume));
        var blocks = loss switch
        {
            "one of two blocks" => new[] { first, 4711 },
            "all blocks" => [4711, 4712],
            "a block in no block volume" => [first, sample.Block("list", 5, sample.Volume("list", "Files"))],
            _ => [first, second],
        };
        var lost = sample.Blockset("lost", 10, blocks);
        if (loss == "the list of its blocks")
            sample.Blocklist(lost, 0, "nowhere");
        var good = sample.Blockset("good", 5, first);
        sample.Metadata(good);
        var fileset = sample.Fileset(1000, sample.File("/file", sample.Blockset("data", 5, second), sample.Metadata(lost)));
        sample.Close();

        await using var broken = await LocalListBrokenFilesDatabase.CreateAsync(sample.Path, null, default);
        Assert.That(await broken.GetFilesetsWithReplaceableMetadataAsync(default), Is.EqualTo(new[] { fileset }));
        Assert.That(await FilesetsAsync(broken, true), Is.Empty);
        Assert.That(await broken.ReplaceMetadataAsync(fileset, good, default), Is.EqualTo(1));
        Assert.That(await FilesetsAsync(broken, false), Is.Empty);
        Assert.That(await broken.ReplaceMetadataAsync(fileset, good, default), Is.Zero);
    }

    private static async Task<List<(long, long)>> FilesetsAsync(LocalListBrokenFilesDatabase broken, bool ignore) =>
        await broken
            .GetBrokenFilesetsAsync(new DateTime(0), null, ignore, default)
            .Select(x => (x.FilesetID, x.RemoveFileCount))
            .ToListAsync();

    private static async Task<List<string>> NamesAsync(LocalListBrokenFilesDatabase broken, long fileset, bool ignore) =>
        await broken.GetBrokenFilenamesAsync(fileset, ignore, default).Select(x => x.Item1).ToListAsync();
}
