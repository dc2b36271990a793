// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A block volume is missing, and there is one that the database does not know.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnknownBlockVolumeTests : BackupTestBase
{
    private const int Versions = 2;

    private static readonly RepairChoices s_rebuild = new() { RebuildMissingBlockVolumes = true };

    private string[] m_expected = [];
    private string m_unknown = "";

    [SetUp]
    public async Task MakeBackup()
    {
        Backup = new BackupCase();
        for (var version = 0; version < Versions; version++)
        {
            SourceTree.Write(Backup.Source, $"file {version}", 60_000, new Random(version));
            // So that its metadata of all versions can be found again.
            Directory.SetLastWriteTimeUtc(Backup.Source, DateTime.UnixEpoch);
            await Backup.BackUpAsync();
        }

        m_expected = await Backup.RestoredVersionsAsync(Versions);
        m_unknown = Path.Combine(Backup.Remote, "duplicati-b22222222222222222222222222222222.dblock.zip");
    }

    [TestCase("nothing")]
    [TestCase("another volume")]
    [TestCase("a part")]
    [TestCase("all, and is kept back")]
    public async Task Beside_one_that_does_not_hold_all_the_sources_are_asked(string content)
    {
        Lose(content);

        AssertRefused(null, Advice.MissingBlockVolumes());
        AssertPurgeNames(Advice.MissingBlockVolumes());
        var report = await Backup.RepairAsync(s_rebuild);

        Assert.That((report.LostBlocks, report.Problems), Is.EqualTo((0, Array.Empty<string>())));
        Assert.That(report.UnknownFiles, Is.EqualTo(new[] { Path.GetFileName(m_unknown) }));
        Assert.That(
            Backup.Warnings.Texts.Single(x => x.Contains("left as it is", StringComparison.Ordinal)),
            Does.EndWith(Advice.UnknownVolume())
        );
        Assert.That(m_unknown, Does.Exist);
        RemoteFolder.Through.Value = null;
        File.Delete(m_unknown);
        await Backup.AssertSoundAsync("after the repair");
        Assert.That(await Backup.RestoredVersionsAsync(Versions), Is.EqualTo(m_expected));
    }

    [TestCase("nothing")]
    [TestCase("a part")]
    public async Task Where_the_sources_have_not_all_the_recreate_is_named_next(string content)
    {
        Lose(content);
        Directory.Delete(Backup.Source, recursive: true);
        SourceTree.Write(Backup.Source, "file 2", 1_000, new Random(2));

        try
        {
            Assert.That((await Backup.RepairAsync(s_rebuild)).Problems, Has.Some.EndsWith(Advice.RecreateDatabase()));
        }
        catch (UserInformationException ex)
        {
            Assert.That(ex.HelpID, Is.EqualTo("RepairIsNotPossible"), ex.Message);
            Assert.That(ex.Message, Does.EndWith(Advice.RecreateDatabase()));
        }

        var again = Assert.ThrowsAsync<UserInformationException>(() => Backup.RepairAsync());
        Assert.That(again!.Message, Does.EndWith(Advice.RecreateDatabase()));
        AssertPurgeNames(Advice.RecreateDatabase());
        var verify = await Backup.VerifyAsync();
        Assert.That(verify.Problems, Has.Some.Contains(Advice.RecreateDatabase()).And.None.Contains(Advice.MissingBlockVolumes()));
    }

    [Test]
    public async Task Where_one_holds_all_the_rebuild_names_the_recreate_which_loses_nothing()
    {
        Lose("all");
        Directory.Delete(Backup.Source, recursive: true);
        var before = Directory.GetFiles(Backup.Remote);

        AssertRefused(null, Advice.MissingBlockVolumes());
        AssertRefused(s_rebuild, Advice.RecreateDatabase());
        Assert.That(Directory.GetFiles(Backup.Remote), Is.EquivalentTo(before));
        await Backup.RecreateInPlaceAsync();
        Assert.That(await Backup.RestoredVersionsAsync(Versions), Is.EqualTo(m_expected));
    }

    private void AssertPurgeNames(string advice)
    {
        var refused = BackupCase.Refused("ExtraRemoteFiles", () => Backup.PurgeBrokenAsync());
        Assert.That(refused.Message, Does.EndWith(advice));
    }

    private void Lose(string content)
    {
        var (lost, other) = (Backup.Volumes("dblock")[0], Backup.Volumes("dblock")[1]);
        if (content == "nothing")
            File.WriteAllText(m_unknown, content);
        else if (content == "another volume")
            File.Copy(other, m_unknown);
        else
            Pack(VolumeEdit.Read(lost), isWhole: content != "a part");
        File.Delete(lost);
        if (content.EndsWith("kept back", StringComparison.Ordinal))
            WatchedFolder.KeepBack(Path.GetFileName(m_unknown));
    }

    // Not as it was uploaded, or it would get its name back.
    private void Pack(List<(string Name, byte[] Content)> entries, bool isWhole)
    {
        using var zip = ZipFile.Open(m_unknown, ZipArchiveMode.Create);
        zip.Comment = "another";
        foreach (var (name, content) in entries.Where((x, i) => isWhole || x.Name == "manifest" || i % 2 == 0))
        {
            using var entry = zip.CreateEntry(name).Open();
            entry.Write(content);
        }
    }

    // Metadata may be found.
    private async Task RebuildInVainAsync()
    {
        try
        {
            Assert.That((await Backup.RepairAsync(s_rebuild)).LostBlocks, Is.Positive);
        }
        catch (UserInformationException ex)
        {
            Assert.That(ex.HelpID, Is.EqualTo("RepairIsNotPossible"), ex.Message);
        }
    }

    private void AssertRefused(RepairChoices? choices, string remedy)
    {
        var refused = BackupCase.Refused("MissingDblockFiles", () => Backup.RepairAsync(choices));
        Assert.That(refused.Message, Does.EndWith(remedy));
    }

    // The database is of before the repair that made the unknown volumes.
    [Test]
    public async Task Those_that_an_unknown_index_describes_are_not_fetched([Values] bool isDescribed)
    {
        var before = Backup.File("before.sqlite");
        var lost = Backup.Volumes("dblock")[0];
        File.Copy(Backup.Options.DatabasePath, before);
        File.Delete(lost);
        var report = await Backup.RepairAsync(s_rebuild);
        File.Copy(before, Backup.Options.DatabasePath, overwrite: true);
        // So that nothing has its size, and may be it under another name.
        Backup.Sql($"""UPDATE "Remotevolume" SET "Size" = "Size" + 1 WHERE "Name" = '{Path.GetFileName(lost)}'""");
        var index = report.Uploaded.Single(x => x.Contains(".dindex.", StringComparison.Ordinal));
        if (!isDescribed)
            File.WriteAllText(Path.Combine(Backup.Remote, index), "damaged");
        var fetched = new List<string>();
        RemoteFolder.Through.Value = folder => new WatchedFolder(folder, fetched.Add);

        AssertRefused(null, Advice.MissingBlockVolumes());
        Assert.That(fetched.Intersect(report.Uploaded), Is.Empty);
        AssertRefused(s_rebuild, Advice.RecreateDatabase());
        Assert.That(fetched.Intersect(report.Uploaded), isDescribed ? Is.EqualTo(new[] { index }) : Is.EquivalentTo(report.Uploaded));
    }

    [Test]
    public async Task A_source_that_was_not_there_comes_before_the_recreate()
    {
        Lose("nothing");
        Directory.Move(Backup.Source, Backup.File("elsewhere"));
        await RebuildInVainAsync();
        var remedy = Advice.UnseenSource(Backup.Source) + " " + Advice.RecreateDatabase();

        Assert.That(
            Backup.Warnings.Texts.Where(x => x.Contains("left as it is", StringComparison.Ordinal)),
            Is.Not.Empty.And.All.EndsWith(remedy)
        );
        AssertRefused(null, remedy);
        var check = await Backup.CheckAsync(CheckDepth.Names);
        Assert.That(check.Findings[0].Mend, Is.EqualTo(remedy));
        Assert.That(check.Findings.Select(x => x.Mend), Has.All.StartsWith(Advice.UnseenSource(Backup.Source)));
        var verify = await Backup.VerifyAsync(quick: true);
        Assert.That(verify.Problems, Is.Not.Empty.And.All.EndsWith(remedy));
        var compact = Assert.ThrowsAsync<UserInformationException>(() => Backup.CompactAsync());
        Assert.That(compact!.Message, Does.EndWith(remedy));
        await Backup.RestoreAsync(Backup.File("restored"));
        Assert.That(Backup.Warnings.Texts, Has.Some.StartsWith("Failed to restore from ").And.EndsWith(remedy));

        Directory.Move(Backup.File("elsewhere"), Backup.Source);
        Assert.That((await Backup.RepairAsync(s_rebuild)).LostBlocks, Is.Zero);
        Assert.That(await Backup.RestoredVersionsAsync(Versions), Is.EqualTo(m_expected));
    }

    // The copy of a list stands for a version that another database has made.
    [Test]
    public async Task A_source_that_was_not_there_comes_before_the_recreate_of_a_database_that_is_outdated_or_lacks_entries(
        [Values] bool isOutdated,
        [Values] bool lacksEntries
    )
    {
        File.Delete(Backup.Volumes("dblock")[0]);
        Directory.Move(Backup.Source, Backup.File("elsewhere"));
        await RebuildInVainAsync();
        if (isOutdated)
            File.Copy(Backup.Volumes("dlist")[^1], Path.Combine(Backup.Remote, "duplicati-20990101T000000Z.dlist.zip"));
        if (lacksEntries)
            Backup.Sql("""DELETE FROM "FilesetEntry" WHERE "FilesetID" = 1""");
        var before = Advice.UnseenSource(Backup.Source) + " ";

        var refused = Assert.ThrowsAsync<UserInformationException>(() => Backup.RepairAsync());
        if (isOutdated)
            Assert.That(refused!.HelpID, Is.EqualTo("RemoteFilesNewerThanLocalDatabase"));
        var check = await Backup.CheckAsync(CheckDepth.Contents);
        var verify = await Backup.VerifyAsync();
        string[] texts = [refused!.Message, .. check.Findings.Select(x => x.Mend), .. verify.Problems];

        if (lacksEntries)
            Assert.That(check.Findings.Select(x => x.Kind), Has.Member("EmptyVersion"));
        texts = [.. texts.Where(x => x.Contains(Advice.RecreateDatabase(), StringComparison.Ordinal))];
        Assert.That(texts, isOutdated || lacksEntries ? Is.Not.Empty : Is.Empty);
        Assert.That(texts, Has.All.Contains(before + Advice.RecreateDatabase()));
    }

    // With it what they held is found when the disk is there again.
    [Test]
    public async Task A_recreate_keeps_a_database_of_which_not_all_sources_were_there([Values] bool isThere)
    {
        Lose("nothing");
        Directory.Move(Backup.Source, Backup.File("elsewhere"));
        if (isThere)
            SourceTree.Write(Backup.Source, "another", 1, new Random(0));
        await RebuildInVainAsync();

        BackupCase.Refused("DatabaseIsBrokenConsiderPurge", () => Backup.RecreateInPlaceAsync());
        Assert.That(File.Exists(Backup.Options.DatabasePath + ".backup"), Is.EqualTo(!isThere));
    }
}
