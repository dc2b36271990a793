using Duplicati.Engine.Dump;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>Whichever index volume is lost, a recreate reads the block volume of it, also where nothing else names a block of that volume.</summary>
[TestFixture]
internal sealed class MissingIndexTests
{
    [Test]
    public async Task Without_any_one_of_the_index_volumes_a_recreate_is_complete()
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 100_000 });
        var random = new Random(7);
        for (var i = 0; i < 10; i++)
            SourceTree.Write(backup.Source, $"folder/{i}", 100_000, random);
        await backup.BackUpAsync();
        var whole = backup.File("whole.sqlite");
        await backup.RecreateAsync(whole);

        var indexes = backup.Volumes("dindex");
        Assert.That(indexes, Has.Length.GreaterThan(8));
        foreach (var index in indexes)
        {
            File.Move(index, backup.File("hidden"));
            var report = await backup.RecreateAsync(backup.File("recreated.sqlite"));
            Assert.That((report.BlockVolumes, report.Problems), Is.EqualTo((1, 0)), index);
            Assert.That(Differences(whole, backup.File("recreated.sqlite")), Is.Empty, index);
            File.Delete(backup.File("recreated.sqlite"));
            File.Move(backup.File("hidden"), index);
        }
    }

    [Test]
    public async Task Also_of_a_block_volume_that_holds_only_blocks_and_the_lists_of_them()
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 200_000 });
        SourceTree.Write(backup.Source, "folder/file", 100, new Random(8));
        await backup.BackUpAsync();
        var first = backup.Volumes("dindex");
        Grow(Path.Combine(backup.Source, "folder/file"));
        await backup.BackUpAsync();
        var index = backup.Volumes("dindex").Except(first).Single();
        Assert.That(SampleDatabase.Rows(backup.Options.DatabasePath, """
            SELECT COUNT(*) FROM "Metadataset" m JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID" JOIN "Block" b ON b."ID" = e."BlockID"
            WHERE b."VolumeID" = (SELECT MAX("ID") FROM "Remotevolume" WHERE "Type" = 'Blocks')
            """), Is.EqualTo(new[] { "0" }));
        File.Delete(index);

        var report = await backup.RecreateAsync(backup.File("recreated.sqlite"));
        Assert.That((report.BlockVolumes, report.Problems), Is.EqualTo((1, 0)));
        Assert.That(Differences(backup.Options.DatabasePath, backup.File("recreated.sqlite")), Is.Empty);
    }

    // Neither the times of the file nor those of its folder change, so that there is no new metadata.
    private static void Grow(string path)
    {
        var time = File.GetLastWriteTimeUtc(path);
        var more = new byte[60_000];
        new Random(9).NextBytes(more);
        File.AppendAllBytes(path, more);
        File.SetLastWriteTimeUtc(path, time);
    }

    private static IEnumerable<string> Differences(string whole, string other)
    {
        var options = DumpComparisonOptions.Logical with { IgnoredSections = new HashSet<string> { DumpNames.Operations, DumpNames.RemoteVolumes, DumpNames.IndexBlockLinks, DumpNames.RowCounts } };
        return DatabaseComparison.CompareDatabases(whole, other, options).Select(x => x.ToString());
    }
}
