// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using Duplicati.Engine.Common;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A block volume is missing, and there is one that the database does not know.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnknownBlockVolumeTests
{
    private const int Versions = 2;

    private static readonly RepairChoices s_rebuild = new() { RebuildMissingBlockVolumes = true };

    private BackupCase m_backup = null!;
    private string[] m_expected = [];
    private string m_unknown = "";

    [SetUp]
    public async Task MakeBackup()
    {
        m_backup = new BackupCase();
        for (var version = 0; version < Versions; version++)
        {
            SourceTree.Write(m_backup.Source, $"file {version}", 60_000, new Random(version));
            // So that its metadata of all versions can be found again.
            Directory.SetLastWriteTimeUtc(m_backup.Source, DateTime.UnixEpoch);
            await m_backup.BackUpAsync();
        }

        m_expected = await m_backup.RestoredVersionsAsync(Versions);
        m_unknown = Path.Combine(m_backup.Remote, "duplicati-b22222222222222222222222222222222.dblock.zip");
    }

    [TearDown]
    public void RemoveBackup()
    {
        RemoteFolder.Through.Value = null;
        m_backup.Dispose();
    }

    [TestCase("nothing")]
    [TestCase("another volume")]
    [TestCase("a part")]
    [TestCase("all, and is kept back")]
    public async Task Beside_one_that_does_not_hold_all_the_sources_are_asked(string content)
    {
        Lose(content);

        var refused = Assert.ThrowsAsync<UserInformationException>(() => m_backup.RepairAsync());
        Assert.That(refused!.HelpID, Is.EqualTo("MissingDblockFiles"));
        Assert.That(refused.Message, Does.EndWith(Advice.MissingBlockVolumes()));
        AssertPurgeNames(Advice.MissingBlockVolumes());
        var report = await m_backup.RepairAsync(s_rebuild);

        Assert.That((report.LostBlocks, report.Problems), Is.EqualTo((0, Array.Empty<string>())));
        Assert.That(report.UnknownFiles, Is.EqualTo(new[] { Path.GetFileName(m_unknown) }));
        Assert.That(m_unknown, Does.Exist);
        RemoteFolder.Through.Value = null;
        File.Delete(m_unknown);
        await m_backup.AssertSoundAsync("after the repair");
        Assert.That(await m_backup.RestoredVersionsAsync(Versions), Is.EqualTo(m_expected));
    }

    [TestCase("nothing")]
    [TestCase("a part")]
    public async Task Where_the_sources_have_not_all_the_recreate_is_named_next(string content)
    {
        Lose(content);
        Directory.Delete(m_backup.Source, recursive: true);
        SourceTree.Write(m_backup.Source, "file 2", 1_000, new Random(2));

        try
        {
            Assert.That((await m_backup.RepairAsync(s_rebuild)).Problems, Has.Some.EndsWith(Advice.RecreateDatabase()));
        }
        catch (UserInformationException ex)
        {
            Assert.That(ex.HelpID, Is.EqualTo("RepairIsNotPossible"), ex.Message);
            Assert.That(ex.Message, Does.EndWith(Advice.RecreateDatabase()));
        }

        var again = Assert.ThrowsAsync<UserInformationException>(() => m_backup.RepairAsync());
        Assert.That(again!.Message, Does.EndWith(Advice.RecreateDatabase()));
        AssertPurgeNames(Advice.RecreateDatabase());
        var verify = await new VerifyOperation(m_backup.Options, SilentProgress.Instance).RunAsync(false, default);
        Assert.That(verify.Problems, Has.Some.Contains(Advice.RecreateDatabase()).And.None.Contains(Advice.MissingBlockVolumes()));
    }

    [Test]
    public async Task Where_one_holds_all_the_recreate_is_named_and_loses_nothing([Values] bool rebuild)
    {
        Lose("all");
        Directory.Delete(m_backup.Source, recursive: true);
        var before = Directory.GetFiles(m_backup.Remote);

        var refused = Assert.ThrowsAsync<UserInformationException>(() => m_backup.RepairAsync(rebuild ? s_rebuild : null));

        Assert.That(refused!.HelpID, Is.EqualTo("MissingDblockFiles"));
        Assert.That(refused.Message, Does.EndWith(Advice.RecreateDatabase()));
        Assert.That(Directory.GetFiles(m_backup.Remote), Is.EquivalentTo(before));
        await new RecreateOperation(m_backup.Options, m_backup.Warnings) { Overwrite = true }.RunAsync(default);
        Assert.That(await m_backup.RestoredVersionsAsync(Versions), Is.EqualTo(m_expected));
    }

    private void AssertPurgeNames(string advice)
    {
        var refused = Assert.ThrowsAsync<UserInformationException>(() =>
            new PurgeBrokenFilesOperation(m_backup.Options, SilentProgress.Instance).RunAsync(default)
        );
        Assert.That(refused!.HelpID, Is.EqualTo("ExtraRemoteFiles"), refused.Message);
        Assert.That(refused.Message, Does.EndWith(advice));
    }

    private void Lose(string content)
    {
        var (lost, other) = (m_backup.Volumes("dblock")[0], m_backup.Volumes("dblock")[1]);
        if (content == "nothing")
            File.WriteAllText(m_unknown, content);
        else if (content == "another volume")
            File.Copy(other, m_unknown);
        else
            Pack(VolumeEdit.Read(lost), isWhole: content != "a part");
        File.Delete(lost);
        if (!content.EndsWith("kept back", StringComparison.Ordinal))
            return;
        RemoteFolder.Through.Value = folder => new WatchedFolder(
            folder,
            x =>
            {
                if (x == Path.GetFileName(m_unknown))
                    throw new RemoteFileUnreadableException(m_backup.Remote, x, new UnauthorizedAccessException("Access is denied."));
            }
        );
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
}
