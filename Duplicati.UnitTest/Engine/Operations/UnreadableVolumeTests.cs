// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using NUnit.Framework;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>A disk that gives an error for some volumes and answers for all others, as one with bad sectors does.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnreadableVolumeTests
{
    // EIO.
    private const int BadSector = 5;

    private readonly HashSet<string> m_bad = new(StringComparer.Ordinal);
    private BackupCase m_backup = null!;
    private bool m_isGone;

    [SetUp]
    public async Task MakeBackup()
    {
        m_bad.Clear();
        m_isGone = false;
        m_backup = new BackupCase();
        for (var version = 0; version < 2; version++)
        {
            for (var file = 0; file < 4; file++)
                SourceTree.Write(m_backup.Source, $"{version}-{file}", 40_000, new Random((10 * version) + file));
            // So that its metadata of both versions can be found again.
            Directory.SetLastWriteTimeUtc(m_backup.Source, DateTime.UnixEpoch);
            await m_backup.BackUpAsync();
        }
    }

    [TearDown]
    public void RemoveBackup()
    {
        RemoteFolder.Through.Value = null;
        m_backup.Dispose();
    }

    [Test]
    public async Task A_restore_gives_up_only_the_files_that_need_the_volume()
    {
        var volume = Spoil("dblock");
        var target = m_backup.File("target");

        var report = await m_backup.RestoreAsync(target);

        Assert.That(report.Failed, Is.Not.Empty);
        Assert.That(report.Files, Is.EqualTo(8 - report.Failed.Count).And.Positive);
        Assert.That(m_backup.Warnings.Texts, Has.Some.Contains(volume));
        foreach (var path in Directory.GetFiles(m_backup.Source).Where(x => !report.Failed.Contains(InTarget(target, x))))
            Assert.That(File.ReadAllBytes(InTarget(target, path)), Is.EqualTo(File.ReadAllBytes(path)), path);
    }

    [TestCase("dblock")]
    [TestCase("dindex")]
    [TestCase("dlist")]
    public async Task It_is_told_as_damaged_and_the_others_are_looked_at(string kind)
    {
        var (volume, count) = (Spoil(kind), Directory.GetFiles(m_backup.Remote).Length);

        var verify = await new VerifyOperation(m_backup.Options, SilentProgress.Instance).RunAsync(false, default);
        Assert.That(verify.Problems, Has.Exactly(1).Contains(Advice.DamagedVolume(volume)));
        Assert.That((verify.Volumes, verify.Problems.Count), Is.EqualTo((count, 1)));

        var test = await new TestOperation(m_backup.Options, SilentProgress.Instance).RunAsync(long.MaxValue, default);
        Assert.That(test.Volumes, Has.Count.EqualTo(count));
        Assert.That(test.Differences.Select(x => (x.Volume, x.Status)), Is.EqualTo(new[] { (volume, TestEntryStatus.Error) }));
    }

    [TestCase("dblock")]
    [TestCase("dindex")]
    [TestCase("dlist")]
    public async Task The_repair_that_is_advised_replaces_it_and_keeps_the_file(string kind)
    {
        var volume = Spoil(kind);
        var choices = new RepairChoices { CheckVolumes = [volume] };

        var report = await m_backup.RepairAsync(choices);

        Assert.That(report.Problems, Is.Empty);
        Assert.That(report.KeptDamaged, Is.EqualTo(new[] { "damaged-" + volume }));
        await m_backup.AssertSoundAsync("after the repair");
        await m_backup.AssertRecreateEqualsAsync("after the repair");
    }

    [Test]
    public async Task A_list_costs_a_recreate_its_own_version_alone()
    {
        var volume = Spoil("dlist");
        var database = m_backup.File("recreated.sqlite");

        var report = await m_backup.RecreateAsync(database);

        Assert.That((report.Problems, report.Filelists), Is.EqualTo((1, 1)));
        Assert.That(m_backup.Warnings.Texts, Has.Some.Contains(volume));
        Assert.That(DatabaseDump.Load(database).Filesets.Select(x => x.Entries.Any()), Is.EqualTo(new[] { false, true }));
    }

    [Test]
    public async Task A_compact_leaves_it()
    {
        var volume = Spoil("dblock");
        // All are small, so that all are written together.
        m_backup.Options = m_backup.Options with
        {
            SmallFileSize = m_backup.Options.VolumeSize * 2,
            SmallFileMaxCount = 0,
        };

        var report = await new CompactOperation(m_backup.Options, m_backup.Warnings).RunAsync(default);

        Assert.That(report.NewVolumes, Is.Positive);
        Assert.That(m_backup.Warnings.Texts, Has.Some.StartsWith($"Left {volume} as it is"));
        m_bad.Clear();
        await m_backup.AssertSoundAsync("after the compact");
        Assert.That(await m_backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(m_backup.Source)));
    }

    [Test]
    public void Where_the_folder_does_not_answer_no_volume_is_called_damaged()
    {
        Spoil("dblock");
        m_isGone = true;

        Assert.That(async () => await m_backup.RestoreAsync(m_backup.File("target")), Throws.InstanceOf<IOException>());
        Assert.That(m_backup.Warnings.Texts, Has.None.Contains("dblock"));
    }

    private static string InTarget(string target, string path) => Path.Combine(target, Path.GetFileName(path));

    // The first of its kind: the largest block volume, the oldest list.
    private string Spoil(string kind)
    {
        var volume = Path.GetFileName(m_backup.Volumes(kind)[0]);
        m_bad.Add(volume);
        RemoteFolder.Through.Value = folder => new BadFolder(folder, this);
        return volume;
    }

    private void Fetching(string name)
    {
        if (m_bad.Contains(name))
            throw new IOException($"Input/output error : '{name}'", BadSector);
    }

    private sealed class BadFolder(IRemoteFolder folder, UnreadableVolumeTests test) : WatchedFolder(folder, test.Fetching)
    {
        public override Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) =>
            test.m_isGone ? throw new IOException("Input/output error", BadSector) : base.ListAsync(token);
    }
}
