// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Main.Restore;

namespace Duplicati.UnitTest.Main.Contract;

/// <summary>Messages that users and tests of core look for: level, id and tag of the type they come from.</summary>
[TestFixture]
internal sealed class BLogTests : SampleTestBase
{
    private long m_fileset;

    [SetUp]
    public void Create()
    {
        var blockset = Data.Blockset("content", 10, Data.Block("content", 10, Data.Volume("v")));
        Data.Fileset(1000, Data.File("/a/file", blockset), Data.File("/a/", SampleDatabase.Folder));
        m_fileset = Data.Fileset(2000, Data.File("/a/b/", SampleDatabase.Folder));
    }

    [Test]
    [Contract("B 11.3 row 1")]
    [Contract("B 1.3 PrepareRestoreFilelistAsync")]
    public async Task A_restore_says_what_it_searches_and_what_it_found()
    {
        using var log = new LogCapture();
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Close());
        await (await db.CreateBlockMarkerAsync(default)).DisposeAsync();
        await db.GetFilesAndSourceBlocksFastAsync(100, default).CountAsync();

        var searches = log.Of(LogMessageType.Information, "SearchingBackup");
        Assert.That(
            searches.Select(x => x.Tag),
            Is.All.Matches<string>(x => x.Contains(typeof(LocalRestoreDatabase).FullName!, StringComparison.Ordinal))
        );
        Assert.That(searches, Has.Count.EqualTo(2), "the newest version has no files");
        Assert.That(log.Of(LogMessageType.Verbose, "RestoreTargetFileCount"), Has.Count.EqualTo(1));
        Assert.That(log.Of(LogMessageType.Verbose, "RestoreSourceSize"), Has.Count.EqualTo(1));
        Assert.That(log.Of(LogMessageType.Verbose, "LocalSourceMissing"), Has.Count.EqualTo(2), "one a path");
        Assert.That(log.WarningsAndErrors, Is.Empty);
        Assert.That(db.RestoreTime, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1000)));
        Assert.That(db.RestoreTime.Kind, Is.EqualTo(DateTimeKind.Utc));
    }

    [Test]
    [Contract("B 11.3 row 1")]
    [Contract("B 1.3 filter strategies")]
    public async Task Filters_are_timed_and_lists_of_paths_commit_before_and_after()
    {
        var path = Data.Close();
        using var log = new LogCapture();
        await using var db = await RestoreFixture.OpenAsync(path);
        db.Connection.Execute("""INSERT INTO "Configuration" VALUES ('before', '1')""");
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, [1], new FilterExpression(["/a/file", "/a/none"]), false, default);
        Assert.That(Committed(), Does.Contain("before"));
        foreach (var id in (string[])["CommitBeforePrepareFileset", "InsertFilteredPaths", "CommitAfterPrepareFileset"])
            Assert.That(log.WithId(id), Is.Not.Empty, id);
        Assert.That(log.Of(LogMessageType.Warning, "FilesNotFoundInBackupList"), Has.Count.EqualTo(1));

        db.Connection.Execute("""INSERT INTO "Configuration" VALUES ('not yet', '1')""");
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, [1], new FilterExpression("*/file"), false, default);
        Assert.That(log.WithId("ApplyFilter"), Is.Not.Empty);
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, [1], null, false, default);
        Assert.That(Committed(), Does.Not.Contain("not yet"), "a selection with files does not commit");
        await db.PrepareRestoreFilelistAsync(RestoreFixture.AnyTime, [0], null, false, default);
        Assert.That(Committed(), Does.Contain("not yet"), "one without files does");
    }

    [Test]
    [Contract("B 1.5 IBlockMarker row 5")]
    [Contract("B 1.5 CreateProgressTrackerAsync")]
    [Contract("B 1.5 FindMissingBlocksAsync")]
    [Contract("B 10 Q8")]
    public async Task Marks_are_durable_with_their_commit_and_do_not_verify_a_file()
    {
        using var log = new LogCapture();
        await using var db = await RestoreFixture.PrepareAsync(Data.Close());
        foreach (
            var step in (Func<Task>[])
                [
                    () => db.FindMissingBlocksAsync(false, default),
                    () => db.CreateProgressTrackerAsync(false, default),
                    () => CommitMarkerAsync(db),
                ]
        )
        {
            db.Connection.Execute($"""INSERT INTO "Configuration" VALUES ('{m_fileset++}', '1')""");
            await step();
            Assert.That(Committed(), Does.Contain($"{m_fileset - 1}"));
        }

        Assert.That(log.WithId("CommitBlockMarker"), Is.Not.Empty);
        Assert.That(await db.GetFilesToRestoreAsync(true, default).CountAsync(), Is.EqualTo(1), "restored, not verified (Q8)");
    }

    [Test]
    [Contract("B 0.1")]
    [Contract("B 1.2 CreateAsync")]
    public async Task A_restore_records_its_operation_with_the_next_commit()
    {
        var path = Data.Close();
        await using (var restore = await LocalRestoreDatabase.CreateAsync(path, null, default))
        {
            Assert.That(restore.ShouldCloseConnection);
            Assert.That(restore.Connection.Scalar("""SELECT "Description" FROM "Operation" ORDER BY "ID" DESC"""), Is.EqualTo("Restore"));
            await restore.CommitAsync(default);
        }

        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), Is.EqualTo(new[] { "Backup", "Restore" }));
    }

    // Plainly: a connection of the loader would refresh statistics, and so end the snapshot of the one under test.
    private List<string> Committed()
    {
        using var connection = Databases.Open(Data.Path);
        return [.. connection.Lines("""SELECT "Key" FROM "Configuration" """)];
    }

    private static async Task CommitMarkerAsync(LocalRestoreDatabase db)
    {
        await using var marker = await db.CreateBlockMarkerAsync(default);
        await foreach (var file in db.GetExistingFilesWithBlocksAsync(default))
            await marker.SetAllBlocksRestoredAsync(file.TargetFileID, true, default);
        await marker.CommitAsync(default);
    }
}
