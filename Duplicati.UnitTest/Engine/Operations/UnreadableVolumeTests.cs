// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Remote.Rclone;
using Duplicati.Engine.Reports;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.UnitTest.Engine.Operations;

/// <summary>
/// A folder that gives an error for some volumes and answers for all others: a disk with bad sectors, files that may not be read, a remote
/// that keeps some back. And one that ceases to answer, which is no fault of any volume.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class UnreadableVolumeTests : BackupTestBase
{
    // EIO.
    private const int BadSector = 5;

    // What a folder says of one file.
    private static readonly Dictionary<string, Func<string, Exception>> s_refusals = new()
    {
        ["denied"] = name => new RemoteFileUnreadableException("folder", name, new UnauthorizedAccessException("Access is denied.")),
        ["remote"] = name => new RcloneException($"rclone failed on {name}"),
        ["transfer"] = name => new RcloneTransferException("folder", name, "another hash"),
    };

    // What it says when it does not answer at all.
    private static readonly Dictionary<string, Func<Exception>> s_outages = new()
    {
        ["disk"] = () => new IOException("Input/output error", BadSector),
        ["folder"] = () => new RemoteFolderMissingException("folder"),
        ["network"] = () => new RcloneException("It cannot be reached.", "RcloneNetwork"),
    };

    private readonly HashSet<string> m_bad = new(StringComparer.Ordinal);
    private Func<string, Exception> m_refusal = null!;
    private Func<Exception>? m_outage;
    private int m_left;

    private static IEnumerable<string> Refusals => s_refusals.Keys;

    // What makes it a damaged one, or keeps it back.
    private static IEnumerable<string?> Reasons => [null, .. Refusals];

    private static IEnumerable<string> Outages => s_outages.Keys;

    [SetUp]
    public async Task MakeBackup()
    {
        m_bad.Clear();
        m_refusal = name => new IOException($"Input/output error : '{name}'", BadSector);
        m_outage = null;
        m_left = int.MaxValue;
        Backup = new BackupCase();
        for (var version = 0; version < 2; version++)
        {
            for (var file = 0; file < 4; file++)
                SourceTree.Write(Backup.Source, $"{version}-{file}", 40_000, new Random((10 * version) + file));
            // So that its metadata of both versions can be found again.
            Directory.SetLastWriteTimeUtc(Backup.Source, DateTime.UnixEpoch);
            await Backup.BackUpAsync();
        }
    }

    [Test]
    public async Task A_restore_gives_up_only_the_files_that_need_the_volume([ValueSource(nameof(Reasons))] string? refusal)
    {
        Refuse(refusal);
        var volume = Spoil("dblock");
        var target = Backup.File("target");

        var report = await Backup.RestoreAsync(target);

        Assert.That(report.Failed, Is.Not.Empty);
        Assert.That(report.Files, Is.EqualTo(8 - report.Failed.Count).And.Positive);
        Assert.That(report.HasLostBlocks);
        Assert.That(Backup.Warnings.Texts, Has.Some.Contains(volume));
        foreach (var path in Directory.GetFiles(Backup.Source).Where(x => !report.Failed.Contains(InTarget(target, x))))
            Assert.That(File.ReadAllBytes(InTarget(target, path)), Is.EqualTo(File.ReadAllBytes(path)), path);
    }

    [TestCase("dblock")]
    [TestCase("dindex")]
    [TestCase("dlist")]
    public async Task It_is_told_as_damaged_and_the_others_are_looked_at(string kind)
    {
        var (volume, count) = (Spoil(kind), Directory.GetFiles(Backup.Remote).Length);

        var verify = await Backup.VerifyAsync();
        Assert.That(verify.Problems, Has.Exactly(1).Contains(Advice.DamagedVolume(volume)));
        Assert.That((verify.Volumes, verify.Problems.Count), Is.EqualTo((count, 1)));

        var test = await Backup.TestAsync();
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

        var report = await Backup.RepairAsync(choices);

        Assert.That(report.Problems, Is.Empty);
        Assert.That(report.KeptDamaged, Is.EqualTo(new[] { "damaged-" + volume }));
        await Backup.AssertRecreateEqualsAsync("after the repair");
    }

    [Test]
    public async Task Of_one_with_a_bad_sector_a_restore_and_a_repair_lose_only_the_blocks_in_it([Values] bool isEncrypted)
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 400 * 1024, Passphrase = isEncrypted ? "pass" : null });
        await backup.BackUpAsync("file", 200_000, 1);
        var path = Path.Combine(backup.Source, "file");
        var content = File.ReadAllBytes(path);
        File.WriteAllBytes(path, []);
        var volume = Path.GetFileName(backup.Volumes("dblock")[0]);
        RemoteFolder.Through.Value = folder => new BadSectorFolder(folder, volume, (50_000, 50_001));
        var target = backup.File("target");
        var blocks = backup.Rows(
            $"""SELECT "Hash" FROM "Block" WHERE "VolumeID" = (SELECT "ID" FROM "Remotevolume" WHERE "Name" = '{volume}')"""
        );
        // A piece of 4 KiB, and blocks of 1 KiB with their headers.
        var few = Is.InRange(1, 5);

        await backup.RestoreAsync(target);
        var restored = File.ReadAllBytes(Path.Combine(target, "file.incomplete"));
        Assert.That(restored, Has.Length.EqualTo(content.Length));
        Assert.That(content.Chunk(1024).Zip(restored.Chunk(1024)).Count(x => !x.First.SequenceEqual(x.Second)), few);

        var report = await backup.RepairAsync(new RepairChoices { CheckVolumes = [volume] });
        Assert.That(report.LostBlocks, few);
        Assert.That(report.RecoveredBlocks + report.LostBlocks, Is.EqualTo(blocks.Length));
        Assert.That(report.KeptDamaged, Is.EqualTo(new[] { "damaged-" + volume }));
    }

    [Test]
    public async Task A_list_costs_a_recreate_its_own_version_alone()
    {
        var volume = Spoil("dlist");
        var database = Backup.File("recreated.sqlite");

        var report = await Backup.RecreateAsync(database);

        Assert.That((report.Problems, report.Filelists), Is.EqualTo((1, 1)));
        Assert.That(Backup.Warnings.Texts, Has.Some.Contains(volume));
        Assert.That(DatabaseDump.Load(database).Filesets.Select(x => x.Entries.Any()), Is.EqualTo(new[] { false, true }));
    }

    [Test]
    public async Task A_compact_leaves_it([ValueSource(nameof(Reasons))] string? refusal)
    {
        Refuse(refusal);
        var volume = Spoil("dblock");
        // All are small, so that all are written together.
        Backup.Options = Backup.Options with
        {
            SmallFileSize = Backup.Options.VolumeSize * 2,
            SmallFileMaxCount = 0,
        };

        var report = await Backup.CompactAsync();

        Assert.That(report.NewVolumes, Is.Positive);
        Assert.That(Backup.Warnings.Texts, Has.Some.StartsWith($"Left {volume} as it is"));
        m_bad.Clear();
        await Backup.AssertSoundAsync("after the compact");
        Assert.That(await Backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(Backup.Source)));
    }

    [Test]
    public async Task One_that_is_kept_back_is_named_alone_and_no_repair_touches_it(
        [ValueSource(nameof(Refusals))] string refusal,
        [Values("dblock", "dindex", "dlist")] string kind
    )
    {
        m_refusal = s_refusals[refusal];
        var (volume, count) = (Spoil(kind), Directory.GetFiles(Backup.Remote).Length);

        var verify = await Backup.VerifyAsync();
        Assert.That(verify.Volumes, Is.EqualTo(count));
        Assert.That(verify.Problems, Has.Count.EqualTo(1).And.All.Contains(volume).And.All.EndsWith(RemoteFileUnreadableException.REMEDY));
        var check = await Backup.CheckAsync(CheckDepth.Contents);
        Assert.That(check.Findings.Select(x => (x.Kind, x.Where)), Is.EqualTo(new[] { ("UnreadVolume", volume) }));

        var options = Backup.Options with { ReplaceFaultyIndexVolumes = true };
        var test = await new TestOperation(options, Backup.Warnings).RunAsync(long.MaxValue, default);
        Assert.That(test.Volumes, Has.Count.EqualTo(count));
        Assert.That(test.Differences.Select(x => x.Volume), Is.EqualTo(new[] { volume }));
        Assert.That(test.ReplacedIndexVolumes, Is.Empty);
        Assert.That(Backup.Warnings.Texts, Has.None.Contains("--check-volume"));

        var repair = await Backup.RepairAsync(new RepairChoices { CheckVolumes = [volume] });
        Assert.That(repair.KeptDamaged, Is.Empty);
        Assert.That(File.Exists(Path.Combine(Backup.Remote, volume)));
        m_bad.Clear();
        await Backup.AssertSoundAsync("when it can be read again");
    }

    [Test]
    public async Task A_restore_without_a_database_goes_on_without_one_that_is_kept_back(
        [ValueSource(nameof(Refusals))] string refusal,
        [Values("dblock", "dindex")] string kind,
        [Values] bool hasIndexes
    )
    {
        m_refusal = s_refusals[refusal];
        var volume = Spoil(kind);
        foreach (var index in Backup.Volumes("dindex").Where(x => !hasIndexes && Path.GetFileName(x) != volume))
            File.Delete(index);
        var target = Backup.File("target");

        var report = await Backup.RestoreDirectlyAsync(target);

        Assert.That(report.Failed, kind == "dblock" ? Is.Not.Empty : Is.Empty);
        Assert.That(report.Files, Is.EqualTo(8 - report.Failed.Count).And.Positive);
        Assert.That(Backup.Warnings.Texts, Has.Some.Contains(volume).And.None.Contains("--check-volume"));
        foreach (var path in Directory.GetFiles(Backup.Source).Where(x => !report.Failed.Contains(InTarget(target, x))))
        {
            Assert.That(File.ReadAllBytes(InTarget(target, path)), Is.EqualTo(File.ReadAllBytes(path)), path);
            var alone = await Backup.RestoreDirectlyAsync(
                Backup.File("alone " + Path.GetFileName(path)),
                new RestoreChoices { Include = [path] }
            );
            Assert.That((alone.Files, alone.Failed.Count), Is.EqualTo((1, 0)), path);
        }
    }

    [Test]
    public async Task A_restore_without_a_database_keeps_the_text_of_metadata_of_the_other_volumes()
    {
        m_refusal = s_refusals["denied"];
        Spoil("dblock");
        Backup.Options = Backup.Options with { StoreMetadataContent = true };

        var report = await Backup.RestoreDirectlyAsync(Backup.File("target"));

        Assert.That(report.Files, Is.EqualTo(8 - report.Failed.Count).And.Positive);
    }

    [Test]
    public async Task A_restore_without_a_database_names_the_version_whose_list_is_not_kept_back(
        [ValueSource(nameof(Refusals))] string refusal
    )
    {
        m_refusal = s_refusals[refusal];
        var list = Spoil("dlist", ^1);

        foreach (
            var choices in new RestoreChoices[]
            {
                new(),
                new() { Versions = [0] },
            }
        )
        {
            var refused = Assert.ThrowsAsync<UserInformationException>(() => Backup.RestoreDirectlyAsync(Backup.File("none"), choices));
            Assert.That(refused!.Message, Does.Contain(list).And.Contain(Advice.OtherVersion(1)));
            Assert.That(refused.Message, Does.Not.Contain("damaged").And.Not.Contain("--check-volume"));
            Assert.That(refused.HelpID, Is.EqualTo("FileNotReadable"));
        }

        var other = await Backup.RestoreDirectlyAsync(Backup.File("other"), new RestoreChoices { Versions = [1] });
        Assert.That((other.Files, other.Failed.Count, other.Version), Is.EqualTo((4, 0, 1)));
        var newest = await Backup.RestoreDirectlyAsync(Backup.File("newest"), new RestoreChoices { Versions = [0, 1] });
        Assert.That((newest.Files, newest.Failed.Count, newest.Version), Is.EqualTo((4, 0, 1)));
        Assert.That(newest.ListProblems, Has.One.Contains(list));
    }

    [Test]
    public async Task Where_all_lists_are_kept_back_a_restore_without_a_database_says_why()
    {
        m_refusal = s_refusals["denied"];
        SpoilAll("dlist");

        Assert.That(
            () => Backup.RestoreDirectlyAsync(Backup.File("none")),
            Throws
                .InstanceOf<UserInformationException>()
                .With.Message.Contains("Access is denied")
                .And.Message.EndsWith(RemoteFileUnreadableException.REMEDY)
        );
        m_bad.Clear();
        Assert.That((await Backup.RestoreDirectlyAsync(Backup.File("target"))).Files, Is.EqualTo(8));
    }

    // Blocks that it holds would count as lost.
    [TestCase("dblock")]
    [TestCase("dindex")]
    [TestCase("dlist")]
    public async Task A_recreate_ends_with_one_that_is_kept_back_and_goes_on_later(string kind)
    {
        m_refusal = s_refusals["denied"];
        var volume = Spoil(kind);
        foreach (var index in Backup.Volumes("dindex").Where(_ => kind == "dblock"))
            File.Delete(index);
        var database = Backup.File("recreated.sqlite");

        Assert.That(
            async () => await Backup.RecreateAsync(database),
            Throws.InstanceOf<RemoteFileUnreadableException>().With.Message.Contains(volume)
        );

        m_bad.Clear();
        Assert.That((await Backup.RecreateAsync(database)).Problems, Is.Zero);
    }

    // A temporary folder that is gone says nothing of the volumes.
    [Test]
    public async Task A_recreate_ends_with_the_error_of_a_local_file_and_goes_on_later()
    {
        m_refusal = static name => new DirectoryNotFoundException($"Could not find a part of the path of '{name}'");
        var index = Path.GetFileName(Backup.Volumes("dindex")[0]);
        File.Delete(Path.Combine(Backup.Remote, index));
        SpoilAll("dblock");
        var database = Backup.File("recreated.sqlite");

        Assert.That(async () => await Backup.RecreateAsync(database), Throws.InstanceOf<DirectoryNotFoundException>());

        m_bad.Clear();
        var report = await Backup.RecreateAsync(database);
        Assert.That(report.Problems, Is.Zero);
    }

    [Test]
    public async Task Where_the_folder_does_not_answer_any_more_no_volume_is_called_damaged(
        [ValueSource(nameof(Outages))] string outage,
        [Values("restore", "test", "verify", "check", "repair")] string operation,
        [Values(0, 2)] int after
    )
    {
        var before = Directory.GetFiles(Backup.Remote);
        var tested = await TestedAsync();
        RemoteFolder.Through.Value = folder => new BadFolder(folder, this);
        (m_left, m_outage) = (after, s_outages[outage]);
        var options = Backup.Options with { ReplaceFaultyIndexVolumes = true };
        var target = Backup.File("target");

        Assert.That(
            async () =>
                await (
                    operation switch
                    {
                        "restore" => (Task)Backup.RestoreAsync(target),
                        "test" => new TestOperation(options, Backup.Warnings).RunAsync(long.MaxValue, default),
                        "verify" => new VerifyOperation(options, Backup.Warnings).RunAsync(false, default),
                        "check" => new CheckOperation(options, [], Backup.Warnings).RunAsync(CheckDepth.Contents, default),
                        _ => Backup.RepairAsync(new RepairChoices { CheckVolumes = [RepairChoices.ALL] }),
                    }
                ),
            Throws.InstanceOf(s_outages[outage]().GetType())
        );

        (m_left, m_outage) = (int.MaxValue, null);
        Assert.That(Backup.Warnings.Texts, Has.None.Contains(".zip"));
        Assert.That(Directory.GetFiles(Backup.Remote), Is.EquivalentTo(before));
        Assert.That(await TestedAsync() - tested, Is.LessThanOrEqualTo(operation == "test" ? after : 0));
        if (Directory.Exists(target))
            Assert.That(Directory.GetFiles(target, "*", SearchOption.AllDirectories), Has.None.Contains("incomplete"));
        await Backup.AssertSoundAsync("when the folder is back");
    }

    [Test]
    public async Task An_unknown_one_that_is_kept_back_is_not_called_that_of_another_backup([Values] bool deletesUnknown)
    {
        var known = Backup.Volumes("dindex")[0];
        var unknown = Path.Combine(Backup.Remote, $"duplicati-i{Guid.NewGuid():N}.dindex.zip");
        File.Copy(known, unknown);
        m_refusal = s_refusals["denied"];
        m_bad.Add(Path.GetFileName(unknown));
        RemoteFolder.Through.Value = folder => new BadFolder(folder, this);

        var report = await Backup.RepairAsync(new RepairChoices { DeleteUnknownFiles = deletesUnknown });

        Assert.That(report.UnknownFiles, Is.EqualTo(new[] { Path.GetFileName(unknown) }));
        Assert.That(File.Exists(unknown));
        var left = Backup.Warnings.Texts.Single(x => x.Contains("left as it is", StringComparison.Ordinal));
        Assert.That(left, Does.EndWith(RemoteFileUnreadableException.REMEDY));
    }

    // How often volumes were tested.
    private async Task<long> TestedAsync()
    {
        await using var database = await LocalDatabase.CreateLocalDatabaseAsync(Backup.Options.DatabasePath, "Test", true, null, default);
        return long.Parse(
            database.Connection.Scalar("""SELECT SUM("VerificationCount") FROM "Remotevolume" """)!,
            CultureInfo.InvariantCulture
        );
    }

    private static string InTarget(string target, string path) => Path.Combine(target, Path.GetFileName(path));

    // The first of its kind: the largest block volume, the oldest list.
    private string Spoil(string kind, Index? which = null)
    {
        var volume = Path.GetFileName(Backup.Volumes(kind)[which ?? 0]);
        Spoil([volume]);
        return volume;
    }

    private void SpoilAll(string kind) => Spoil(Backup.Volumes(kind).Select(x => Path.GetFileName(x)));

    private void Spoil(IEnumerable<string> volumes)
    {
        m_bad.UnionWith(volumes);
        RemoteFolder.Through.Value = folder => new BadFolder(folder, this);
    }

    private void Refuse(string? refusal)
    {
        if (refusal is not null)
            m_refusal = s_refusals[refusal];
    }

    private void Fetching(string name)
    {
        if (m_bad.Contains(name))
            throw m_refusal(name);
        if (m_outage is not null && m_left-- <= 0)
            throw m_outage();
    }

    private sealed class BadFolder(IRemoteFolder folder, UnreadableVolumeTests test) : WatchedFolder(folder, test.Fetching)
    {
        public override Task<IReadOnlyList<RemoteFile>> ListAsync(CancellationToken token) =>
            test is { m_outage: { } outage, m_left: < 0 } ? throw outage() : base.ListAsync(token);
    }
}
