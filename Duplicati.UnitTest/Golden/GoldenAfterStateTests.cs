// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;

namespace Duplicati.UnitTest.Golden;

/// <summary>
/// Operations on copies of real backups leave what the real program left after the same operation, up to the names of new volumes.
/// </summary>
[TestFixture]
internal sealed class GoldenAfterStateTests
{
    private static readonly string[] s_killed = ["f-killed-first-backup", "f-killed-later-backup", "f-killed-at-dlist"];

    [TestCase("e-delete-nocompact", "backup-after", "after-backup")]
    [TestCase("l-duplicate-blocks", "backup", "after-backup")]
    [TestCase("f-killed-at-dlist", "backup", "after-backup")]
    [TestCase("f-killed-at-dlist", "backup-nosynthetic", "after-backup-nosynthetic")]
    [TestCase("f-killed-first-backup", "backup", "after-backup")]
    [TestCase("f-killed-first-backup", "backup-nosynthetic", "after-backup-nosynthetic")]
    [TestCase("f-killed-later-backup", "backup-nosynthetic", "after-backup-nosynthetic")]
    public async Task A_backup_leaves_what_the_real_program_left(string set, string command, string state)
    {
        using var after = new AfterState(set, command, state);
        await BackUpAsync(after);

        Assert.That(after.Differences(), Is.Empty);
        after.AssertKnownVolumesAreEqual();
        after.AssertFolderIsComplete();
    }

    [Test]
    public async Task The_version_of_an_interrupted_backup_holds_what_that_had_recorded_and_the_rest_of_the_version_before()
    {
        using var after = new AfterState("f-killed-later-backup", "backup", "after-backup");
        await BackUpAsync(after);

        var actual = after.Actual;
        var interrupted = after.Before.Filesets.Single(x => x.IsFull == 0);
        var previous = after.Before.Filesets.Last(x => x.IsFull == 1);
        var made = actual.Filesets.Single(x => x.IsFull == 0);
        var recorded = after.Expected.Filesets.Single(x => x.IsFull == 0);
        Assert.That((made.Timestamp, made.Volume), Is.EqualTo((recorded.Timestamp, recorded.Volume)));
        Assert.That(interrupted.Entries, Is.SubsetOf(made.Entries));
        Assert.That(made.Entries.Except(interrupted.Entries), Is.SubsetOf(previous.Entries));
        // The real program lost the paths that the version before did not have, and took other forms of some: contract A, Q2.
        var clashing = Clashing(interrupted).ToList();
        Assert.That(recorded.Entries.Select(x => x.Path).Except(clashing), Is.SubsetOf(made.Entries.Select(x => x.Path)));
        Assert.That(made.Entries.Select(x => x.Path.TrimEnd('/')), Is.Unique);

        var counts = after.Differences(AfterState.Without(after.Expected, recorded), AfterState.Without(actual, made));
        Assert.That(
            counts,
            Is.EquivalentTo(
                (string[])
                    [
                        $"row_counts - filesetentry={after.Expected.RowCounts["filesetentry"]}",
                        $"row_counts + filesetentry={actual.RowCounts["filesetentry"]}",
                    ]
            )
        );
        after.AssertKnownVolumesAreEqual();
        after.AssertFolderIsComplete();

        // Paths of the version before that cannot be beside those recorded: other kinds of the same name, and what was in a folder that is
        // a file now.
        IEnumerable<string> Clashing(DumpFileset fileset)
        {
            var files = fileset.Entries.Select(x => x.Path).ToHashSet(StringComparer.Ordinal);
            return previous
                .Entries.Select(x => x.Path)
                .Where(x =>
                    !files.Contains(x)
                    && (
                        files.Contains(x.TrimEnd('/'))
                        || files.Contains(x + "/")
                        || files.Any(y => y[^1] != '/' && x.StartsWith(y + "/", StringComparison.Ordinal))
                    )
                );
        }
    }

    [TestCase("f-killed-first-backup")]
    [TestCase("f-killed-later-backup")]
    [TestCase("f-killed-at-dlist")]
    public async Task All_versions_of_a_continued_backup_restore_and_recreate(string set)
    {
        using var after = new AfterState(set, "backup", "after-backup");
        var source = GoldenSource.Unpack(after.Folder, "tree1", "tree1", "v5");
        source.MovePaths(after.Options.DatabasePath);
        await new BackupOperation(after.Options, SilentProgress.Instance).RunAsync([source.Path], default);

        var recreated = after.Options with { DatabasePath = after.Folder.File("recreated.sqlite") };
        Assert.That((await new RecreateOperation(recreated, SilentProgress.Instance).RunAsync(default)).Problems, Is.Zero);
        var versions = await new RemoteListing(after.Options).VersionsAsync(default);
        foreach (var version in versions)
        {
            var target = after.Folder.File($"restored-{version.Version}");
            Assert.That(
                (await new RestoreOperation(recreated, SilentProgress.Instance).RunAsync(target, version.Version, null, default)).Failed,
                Is.Empty
            );
        }

        Assert.That(
            SourceManifest.VersionsEqualTo(after.Folder.File("restored-0")),
            Does.Contain(Path.Combine(GoldenData.Root, "sources", "tree1-v5.manifest.json"))
        );
    }

    [TestCase("g-missing-dblock")]
    [TestCase("g-missing-dblock-and-dindex")]
    public void A_backup_with_missing_volumes_is_refused_as_by_the_real_program_and_changes_nothing(string set)
    {
        using var after = new AfterState(set, "backup", "after-backup");
        var files = Directory.GetFiles(after.Options.Remote);

        Assert.That(
            () => new BackupOperation(after.Options, SilentProgress.Instance).RunAsync([after.Folder.Path], default),
            Refused.HelpId(GoldenCommand.HelpId(set, "backup"))
        );
        Assert.That(after.Differences(), Is.Empty);
        Assert.That(Directory.GetFiles(after.Options.Remote), Is.EquivalentTo(files));
    }

    [TestCaseSource(nameof(s_killed))]
    public async Task Purging_broken_files_leaves_an_interrupted_backup_to_the_next_one(string set)
    {
        using var after = new AfterState(set, "purge-broken-files", "after-purge-broken-files");
        await new PurgeBrokenFilesOperation(after.Options, SilentProgress.Instance).RunAsync(default);

        Assert.That(after.Differences(), Is.Empty);
        after.AssertKnownVolumesAreEqual();
    }

    [TestCase("e-delete-nocompact")]
    [TestCase("j-purge")]
    [TestCase("l-duplicate-blocks")]
    public async Task A_compact_leaves_what_the_real_program_left(string set)
    {
        using var after = new AfterState(set, "compact-real", "after-compact");
        await new CompactOperation(after.Options, SilentProgress.Instance).RunAsync(default);

        Assert.That(after.Differences(AfterState.WithoutGoneCopies(after.Expected), after.Actual), Is.Empty);
        after.AssertKnownVolumesAreEqual();
        Assert.That(
            (await new TestOperation(after.Options, SilentProgress.Instance).RunAsync(long.MaxValue, default)).Differences,
            Is.Empty
        );
    }

    [Test]
    public async Task A_delete_without_compact_leaves_what_the_real_program_left()
    {
        using var after = new AfterState("l-duplicate-blocks", "delete-v0-nocompact", "after-delete-v0");
        await new DeleteOperation(after.Options, SilentProgress.Instance).RunAsync([0], false, default);

        Assert.That(after.Differences(), Is.Empty);
        after.AssertKnownVolumesAreEqual();
    }

    [Test]
    public void A_vacuum_leaves_what_the_real_program_left_without_a_write_ahead_log()
    {
        using var after = new AfterState("e-delete-nocompact", "vacuum", "after-vacuum");
        VacuumOperation.Run(after.Options.DatabasePath, SilentProgress.Instance, default);

        // The real program leaves the log behind.
        Assert.That(Directory.GetFiles(after.Folder.Path, Path.GetFileName(after.Options.DatabasePath) + "*"), Has.Length.EqualTo(1));
        Assert.That(after.Differences(), Is.Empty);
    }

    [TestCase("x120-plain")]
    [TestCase("x125-plain")]
    public async Task A_backup_to_one_of_an_older_release_leaves_what_the_real_program_left(string set)
    {
        using var after = new AfterState(set, "backup-by-109", "after-backup-by-109");
        var source = GoldenSource.Unpack(after.Folder, "tree3-subset", "tree3", "v3");
        source.MoveHere(after.Options.DatabasePath, after.Expected);
        var report = await new BackupOperation(after.Options, SilentProgress.Instance).RunAsync(
            [.. Directory.GetDirectories(source.Path)],
            default
        );
        source.MoveBack(after.Options.DatabasePath, after.Expected);

        Assert.That(report.NewVersion, Is.False);
        Assert.That(after.Differences(), Is.Empty);
    }

    private static async Task<BackupReport> BackUpAsync(AfterState after)
    {
        var source = GoldenSource.Unpack(after.Folder, "tree1", "tree1", "v5");
        source.MoveHere(after.Options.DatabasePath, after.Expected);
        var report = await new BackupOperation(after.Options, SilentProgress.Instance).RunAsync([source.Path], default);
        source.MoveBack(after.Options.DatabasePath, after.Expected);
        Assert.That(report.Skipped, Is.Zero);
        return report;
    }
}
