// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>Labels of versions, which a schema has from 20 on, and times of filesets that are set anew.</summary>
[TestFixture]
internal sealed class FilesetLabelTests : SampleTestBase
{
    private const string ToTwenty = """ALTER TABLE "Fileset" ADD COLUMN "Label" TEXT NULL; UPDATE "Version" SET "Version" = 20""";
    private const string ToTwentyOne =
        ToTwenty
        + """; CREATE TABLE "RestoreTestHistory" ("ID" INTEGER PRIMARY KEY, "Path" TEXT NOT NULL, "LastVerified" INTEGER NOT NULL, "LastResult" TEXT NOT NULL); UPDATE "Version" SET "Version" = 21""";

    private long m_older;
    private long m_newer;

    [SetUp]
    public void SetUp()
    {
        m_older = Data.Fileset(1000);
        m_newer = Data.Fileset(2000);
    }

    [TestCase(ToTwenty, "20")]
    [TestCase(ToTwentyOne, "21")]
    [Contract("D 1.3 UpdateFilesetLabelAsync")]
    [Contract("D 1.3 GetFilesetLabelsAsync")]
    public async Task A_label_is_kept_as_it_is_and_told_by_every_list(string change, string version)
    {
        Change(change);
        await using (var database = await OpenAsync())
        {
            await database.UpdateFilesetLabelAsync(m_older, "  before the move ", default);
            await database.UpdateFilesetLabelAsync(4711, "nobody's", default);
            await database.CommitAsync(default);
        }

        await using var list = await LocalListDatabase.CreateAsync(Data.Path, null, default);
        Assert.That(await LabelsAsync(list), Is.EqualTo(new[] { "1000:  before the move " }));
        var expected = new[] { null, "  before the move " };
        Assert.That(await list.ListFilesetsExtendedAsync(default).Select(x => x.Label).ToListAsync(), Is.EqualTo(expected));
        await using var sets = await list.SelectFileSetsAsync(default, [], default);
        Assert.That(await sets.QuickSetsAsync(default).Select(x => x.Label).ToListAsync(), Is.EqualTo(expected));
        Assert.That(await sets.SetsAsync(default).Select(x => x.Label).ToListAsync(), Is.EqualTo(expected));
        await using var delete = await LocalDeleteDatabase.CreateAsync(list, null, default);
        Assert.That(await delete.FilesetsWithBackupVersionAsync(default).Select(x => x.Label).ToListAsync(), Is.EqualTo(expected));
        Assert.That(Data.Rows("""SELECT "Version" FROM "Version" """), Is.EqualTo(new[] { version }), "it is used as it is");
    }

    [TestCase(null)]
    [TestCase("")]
    [TestCase(" \t ")]
    [Contract("D 1.3 UpdateFilesetLabelAsync")]
    public async Task A_blank_label_removes_the_label(string? blank)
    {
        Change(ToTwenty);
        await using var database = await OpenAsync();
        await database.UpdateFilesetLabelAsync(m_older, "one", default);
        await database.UpdateFilesetLabelAsync(m_older, blank, default);
        Assert.That(await LabelsAsync(database), Is.Empty);
        Assert.That(database.Connection.Scalar("""SELECT COUNT(*) FROM "Fileset" WHERE "Label" IS NULL"""), Is.EqualTo("2"));
    }

    [Test]
    [Contract("D 1.3 GetFilesetLabelsAsync")]
    [Contract("D 1.4 UpdateFilesetTimestampAsync")]
    public async Task Filesets_of_one_time_tell_one_label()
    {
        Change(ToTwenty);
        await using var database = await OpenAsync();
        await database.UpdateFilesetLabelAsync(m_older, "older", default);
        await database.UpdateFilesetLabelAsync(m_newer, "newer", default);
        await database.UpdateFilesetTimestampAsync(m_newer, DateTime.UnixEpoch.AddSeconds(1000.9), default);
        await database.UpdateFilesetTimestampAsync(4711, DateTime.UnixEpoch, default);
        Assert.That(await LabelsAsync(database), Is.EqualTo(new[] { "1000:newer" }));
        Assert.That(await database.FilesetTimesAsync(default).Select(x => x.Key).ToListAsync(), Is.EqualTo(new[] { m_newer, m_older }));
    }

    [Test]
    [Contract("D 5.3 UpdateFilesetLabelAsync")]
    public async Task A_schema_without_labels_has_none_and_says_so()
    {
        Data.Close();
        await using var database = await OpenAsync();
        Assert.That(await LabelsAsync(database), Is.Empty);
        await database.UpdateFilesetLabelAsync(m_older, " ", default);
        Assert.That(
            () => database.UpdateFilesetLabelAsync(m_older, "one", default),
            Throws.InvalidOperationException.With.Message.Contains("version 20")
        );
        await database.CommitAsync(default);
    }

    private void Change(string sql)
    {
        Data.Close();
        Databases.Execute(Data.Path, sql);
    }

    private Task<LocalDatabase> OpenAsync() => LocalDatabase.CreateLocalDatabaseAsync(Data.Path, "Test", true, null, default);

    private static async Task<List<string>> LabelsAsync(LocalDatabase database) =>
        await database.GetFilesetLabelsAsync(default).Select(x => $"{(x.Key - DateTime.UnixEpoch).TotalSeconds}:{x.Value}").ToListAsync();
}
