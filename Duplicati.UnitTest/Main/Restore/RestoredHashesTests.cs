// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class RestoredHashesTests
{
    [TestCase("RestoredHashes-0123456789ABCDEF")]
    [TestCase("odd \"name\"; DROP TABLE \"Fileset\" --")]
    [Contract("B 1.7 row 1")]
    [Contract("B 1.7 row 2")]
    [Contract("B 1.7 row 3")]
    [Contract("B 1.7 row 4")]
    [Contract("B 7 row 16")]
    public async Task Contents_restored_once_are_left_out_of_the_next_version(string table)
    {
        using var sample = new SampleDatabase();
        var same = sample.Blockset("same", 0);
        var verified = sample.File("/d/a", same);
        sample.Fileset(1000, verified, sample.File("/d/b", sample.Blockset("other", 0)));
        sample.Fileset(2000, sample.File("/d/c", same), sample.File("/d/", SampleDatabase.Folder));
        var path = sample.Close();
        await using (var first = await RestoreFixture.OpenAsync(path))
        {
            await first.CreateRestoredHashesTableAsync(table, default);
            await first.CreateRestoredHashesTableAsync(table, default);
        }

        await using (var old = await RestoreFixture.PrepareAsync(path, versions: [1]))
        {
            Assert.That(await old.RemoveFilesByRestoredHashesAsync(table, default), Is.Zero);
            await old.MarkFileDataVerifiedAsync(verified, default);
            await old.MarkFileDataVerifiedAsync(-5, default);
            Assert.That(await old.AddCurrentFilesToRestoredHashesAsync(table, default), Is.EqualTo(1));
            Assert.That(await old.AddCurrentFilesToRestoredHashesAsync(table, default), Is.Zero);
        }

        await using (var recent = await RestoreFixture.PrepareAsync(path, versions: [0]))
        {
            Assert.That(await recent.RemoveFilesByRestoredHashesAsync("", default), Is.Zero);
            Assert.That(await recent.RemoveFilesByRestoredHashesAsync(table, default), Is.EqualTo(1));
            Assert.That(await recent.PrepareRestoreFilelistCountAsync(default), Is.EqualTo(Tuple.Create(0L, 0L)));
            await recent.DropRestoredHashesTableAsync(table, default);
            await recent.DropRestoredHashesTableAsync(table, default);
        }

        Assert.That(sample.Rows("""SELECT name FROM sqlite_master WHERE name LIKE 'Restored%' OR name LIKE 'odd%'"""), Is.Empty);
    }

    [Test]
    [Contract("B 1.7 row 3")]
    [Contract("B 1.7 row 4")]
    public async Task Without_a_list_nothing_is_added_or_removed()
    {
        using var sample = new SampleDatabase();
        await using var db = await RestoreFixture.OpenAsync(sample.Close());

        Assert.That(await db.AddCurrentFilesToRestoredHashesAsync("none", default), Is.Zero);
        Assert.That(await db.RemoveFilesByRestoredHashesAsync("none", default), Is.Zero);
    }
}
