// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Restore;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class FileSelectionTests : SampleTestBase
{
    [SetUp]
    public void SetUp()
    {
        var block = Data.Block("one", 10, Data.Volume("b1"));
        var metadata = Data.Metadata(Data.Blockset("meta", 10, block));
        var small = Data.Blockset("small", 10, block);
        var large = Data.Blockset("large", 30, block, block, block);
        var folder = Data.File("/data/docs/", SampleDatabase.Folder, metadata);
        var link = Data.File("/data/docs/link", SampleDatabase.Symlink, metadata);
        var old = Data.File("/data/docs/a.txt", small, metadata);
        var changed = Data.File("/data/docs/a.txt", large, metadata);
        var other = Data.File("/data/other/b.bin", large, metadata);
        Data.Fileset(1000, folder, old, other);
        Data.Fileset(2000, folder, link, changed);
        Data.Fileset(3000, folder, link);
        Data.Close();
    }

    [Test]
    [Contract("B 1.3 PrepareRestoreFilelistAsync")]
    public async Task Without_a_filter_everything_of_the_newest_version_with_files_is_chosen()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);

        var found = await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default);

        Assert.That(found, Is.EqualTo(Tuple.Create(1L, 30L)));
        Assert.That(db.RestoreTime, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(2000)));
        Assert.That(db.RestoreTime.Kind, Is.EqualTo(DateTimeKind.Utc));
        Assert.That(await db.PrepareRestoreFilelistCountAsync(default), Is.EqualTo(found));
        Assert.That(await db.GetFirstPathAsync(default), Is.EqualTo("/data/docs/a.txt"));
        Assert.That(await db.GetLargestPrefixAsync(default), Is.EqualTo("/data/docs/"));
    }

    [Test]
    [Contract("B 1.3 PrepareRestoreFilelistAsync")]
    public async Task A_version_and_a_time_choose_the_candidates()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);

        Assert.That(
            await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, [2], null, false, default),
            Is.EqualTo(Tuple.Create(2L, 40L))
        );
        Assert.That(
            await db.PrepareRestoreFilelistAsync(DateTime.UnixEpoch.AddSeconds(1999.9), null, null, false, default),
            Is.EqualTo(Tuple.Create(2L, 40L))
        );
    }

    [Test]
    [Contract("B 1.3 filter strategies")]
    [Contract("B 11.3 row 1")]
    public async Task A_list_of_paths_is_looked_up_and_what_is_missing_is_named()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);
        using var log = new LogCapture();

        var found = await db.PrepareRestoreFilelistAsync(
            RestoreFixture.AnyTime,
            [1],
            new FilterExpression(["/data/docs/a.txt", "/data/docs/", "/data/none", "/data/other/b.bin"]),
            false,
            default
        );

        Assert.That(found, Is.EqualTo(Tuple.Create(1L, 30L)));
        var warning = log.Of(LogMessageType.Warning, "FilesNotFoundInBackupList").Single().FormattedMessage;
        Assert.That(warning, Does.Contain("2 files").And.Contain("/data/none").And.Contain("/data/other/b.bin").And.Not.Contain("a.txt"));
    }

    [Test]
    [Contract("B 1.3 filter strategies")]
    public async Task A_list_of_paths_of_which_none_exists_warns_of_nothing()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);
        using var log = new LogCapture();

        var found = await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, new FilterExpression(["/nowhere"]), false, default);

        Assert.That(found, Is.EqualTo(Tuple.Create(0L, 0L)));
        Assert.That(await db.GetFirstPathAsync(default), Is.Null);
        Assert.That(await db.GetLargestPrefixAsync(default), Is.Empty);
        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(log.WithId("SearchingBackup"), Has.Count.EqualTo(3));
    }

    [Test]
    [Contract("B 1.3 filter strategies")]
    public async Task A_pattern_is_tried_on_every_entry()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);

        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, [2], new FilterExpression("*b.bin"), false, default);

        Assert.That(await db.GetFirstPathAsync(default), Is.EqualTo("/data/other/b.bin"));
        Assert.That(await db.GetLargestPrefixAsync(default), Is.EqualTo("/data/other/"));
    }

    [Test]
    public async Task A_list_of_excluded_paths_leaves_these_out()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);

        var found = await db.PrepareRestoreFilelistAsync(
            RestoreFixture.AnyTime,
            [2],
            new FilterExpression(["/data/other/b.bin"], false),
            false,
            default
        );

        Assert.That(found, Is.EqualTo(Tuple.Create(1L, 10L)));
        Assert.That(await db.GetFirstPathAsync(default), Is.EqualTo("/data/docs/a.txt"));
    }

    [Test]
    [Contract("B 10 Q2")]
    public async Task A_selection_of_folders_only_ends_with_the_oldest_version()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);

        var found = await db.PrepareRestoreFilelistAsync(
            RestoreFixture.AnyTime,
            null,
            new FilterExpression(["/data/docs/"]),
            false,
            default
        );

        Assert.That(found, Is.EqualTo(Tuple.Create(0L, 0L)));
        Assert.That(db.RestoreTime, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1000)));
        Assert.That(await db.GetFirstPathAsync(default), Is.EqualTo("/data/docs/"));
        Assert.That(await db.GetLargestPrefixAsync(default), Is.EqualTo("/data/docs/"));
    }

    [Test]
    [Contract("B 1.3 PrepareRestoreFilelistAsync")]
    public async Task A_time_without_a_kind_is_refused()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);

        Assert.That(
            async () => await db.PrepareRestoreFilelistAsync(new DateTime(2020, 1, 1), null, null, false, default),
            Throws.Exception
        );
    }

    [Test]
    [Contract("B 11.2 NoBackupAtDate")]
    public async Task A_database_without_versions_has_no_backup_at_any_date()
    {
        using var empty = new SampleDatabase();
        await using var db = await RestoreFixture.OpenAsync(empty.Close());

        Assert.That(
            () => db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default),
            Refused.HelpId("NoBackupAtDate")
        );
        Assert.That(await db.HasEntriesOutsideFolderAsync(RestoreFixture.AnyTime, null, "/data/", default), Is.False);
    }

    [TestCase("/data/", null, ExpectedResult = false)]
    [TestCase("/data/docs/", null, ExpectedResult = true)]
    [TestCase("/data/docs/", 0, ExpectedResult = false)]
    [TestCase("/data/docs/", 2, ExpectedResult = true)]
    [TestCase("/DATA/", null, ExpectedResult = true)]
    [TestCase("", null, ExpectedResult = false)]
    [Contract("B 1.3 HasEntriesOutsideFolderAsync")]
    public async Task<bool> Entries_outside_a_folder_are_looked_for_in_the_candidates_only(string folder, int? version)
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);
        return await db.HasEntriesOutsideFolderAsync(RestoreFixture.AnyTime, version is { } v ? [v] : null, folder, default);
    }

    [Test]
    [Contract("B 1.3 RemoveAlternateDataStreamsAsync")]
    public async Task On_this_system_no_path_is_an_alternate_data_stream()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path, versions: [2]);

        await db.RemoveAlternateDataStreamsAsync(default);

        Assert.That(await db.PrepareRestoreFilelistCountAsync(default), Is.EqualTo(Tuple.Create(2L, 40L)));
    }

    [Test]
    [Contract("B 1.3 PrepareRestoreFilelistCountAsync")]
    public async Task Before_a_list_is_prepared_counts_are_zero_and_streams_empty()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);

        Assert.That(await db.PrepareRestoreFilelistCountAsync(default), Is.EqualTo(Tuple.Create(0L, 0L)));
        Assert.That(await db.RemoveFilesLargerThanAsync(1, default), Is.Zero);
        Assert.That(await db.GetFilesAndSymlinksToRestoreAsync(default).CountAsync(), Is.Zero);
        await db.RemoveAlternateDataStreamsAsync(default);
        await db.DropRestoreTableAsync(default);
        Assert.That(() => db.GetExistingFilesWithBlocksAsync(default), Throws.InvalidOperationException);
        Assert.That(() => db.GetFilesAndSourceBlocksAsync(false, 10, default), Throws.InvalidOperationException);
        Assert.That(() => db.CreateBlockMarkerAsync(default), Throws.InvalidOperationException);
    }

    [Test]
    [Contract("B 1.3 PrepareRestoreFilelistAsync")]
    [Contract("B 1.8 DropRestoreTableAsync")]
    public async Task A_list_can_be_prepared_again_after_it_was_dropped()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path, versions: [2]);
        await db.DropRestoreTableAsync(default);

        Assert.That(await db.GetTargetFoldersAsync(default).CountAsync(), Is.Zero);
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, [1], null, false, default);
        Assert.That(
            async () => await db.GetTargetFoldersAsync(default).CountAsync(),
            Throws.InvalidOperationException,
            "targets belong to the list they were chosen for"
        );
        await db.SetTargetPathsAsync("", "", default);
        Assert.That(await db.GetTargetFoldersAsync(default).ToListAsync(), Is.EqualTo(new[] { "/data/docs/" }));
    }

    [Test]
    public async Task Two_objects_on_one_connection_do_not_share_a_list()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path);
        await using var child = await LocalRestoreDatabase.CreateAsync(db, null, default);

        Assert.That(
            () => child.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default),
            Throws.InvalidOperationException
        );
        await child.DisposeAsync();
        Assert.That(await db.GetTargetFoldersAsync(default).CountAsync(), Is.EqualTo(1), "the parent's list survives the child");
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task A_list_that_was_rolled_back_is_gone()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default);

        await db.Transaction.RollBackAsync();

        Assert.That(await db.PrepareRestoreFilelistCountAsync(default), Is.EqualTo(Tuple.Create(0L, 0L)));
        Assert.That(
            await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, null, null, false, default),
            Is.EqualTo(Tuple.Create(1L, 30L))
        );
    }

    [Test]
    [Contract("B 1.4")]
    public async Task With_streams_the_files_they_belong_to_are_chosen_too()
    {
        using var sample = new SampleDatabase();
        var set = sample.Blockset("x", 0);
        sample.Fileset(
            1000,
            sample.File(@"C:\d\A.txt", set),
            sample.File(@"C:\d\a.txt:s", set),
            sample.File(@"C:\d\z.txt", set),
            sample.File(@"C:\d\f\", SampleDatabase.Folder),
            sample.File(@"C:\d\f:s", set)
        );
        await using var db = await RestoreFixture.OpenAsync(sample.Close());
        var streams = new AlternateStreams(path => path.LastIndexOf(':') > 1);

        var count = db.Session.Do(
            session =>
            {
                var list = new RestoreFileList(session);
                list.Begin();
                new FileSelection(session, new FilterExpression("*:s"), streams).Fill(1);
                var found = list.Count().Count;
                list.RemoveStreams(streams);
                return (found, list.Count().Count, list.LongestPath());
            },
            default
        );

        Assert.That(count.found, Is.EqualTo(2), "two streams; letter case counts on this system");
        Assert.That(count.Item2, Is.Zero);
        Assert.That(count.Item3, Is.EqualTo(@"C:\d\f\"), "the folder of the stream came along");
    }
}
