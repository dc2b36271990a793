// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Restore;

[TestFixture]
public class BlockMarkerTests : SampleTestBase
{
    private long m_two;
    private long m_one;
    private long m_link;

    [SetUp]
    public void SetUp()
    {
        var volume = Data.Volume("v1");
        var (a, b) = (Data.Block("a", 10, volume), Data.Block("b", 5, volume));
        var metadata = Data.Metadata(Data.Blockset("meta", 7, Data.Block("m", 7, volume)));
        m_two = Data.File("/d/two", Data.Blockset("two", 15, a, b), metadata);
        m_one = Data.File("/d/one", Data.Blockset("one", 10, a), metadata);
        m_link = Data.File("/d/link", SampleDatabase.Symlink, metadata);
        Data.Fileset(1000, m_two, m_one, m_link, Data.File("/d/empty", Data.Blockset("empty", 0)));
        Data.Close();
    }

    [Test]
    [Contract("B 1.5 IBlockMarker row 1")]
    public async Task A_mark_must_hit_exactly_one_missing_block()
    {
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);

        await marker.SetBlockRestoredAsync(m_two, 1, SampleDatabase.Hash("b"), 5, false, default);
        await marker.SetBlockRestoredAsync(m_two, 0, SampleDatabase.Hash("m"), 7, true, default);

        foreach (
            var (file, index, hash, size, isMetadata, what) in new[]
            {
                (m_two, 1, "b", 5, false, "marked already"),
                (m_two, 0, "b", 10, false, "another hash"),
                (m_two, 0, "a", 11, false, "another size"),
                (m_two, 0, "a", 10, true, "metadata for data"),
                (99, 0, "a", 10, false, "another file"),
            }
        )
            Assert.That(
                () => marker.SetBlockRestoredAsync(file, index, SampleDatabase.Hash(hash), size, isMetadata, default),
                Throws.Exception,
                what
            );
        await marker.SetBlockRestoredAsync(m_two, 0, SampleDatabase.Hash("a"), 10, false, default);
    }

    [Test]
    [Contract("B 1.5 IBlockMarker row 6")]
    public async Task Progress_counts_complete_files_and_bytes_of_data()
    {
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        var progress = new ReportedProgress();

        await marker.UpdateProcessedAsync(progress, default);
        Assert.That(progress.Reports, Is.Empty, "nothing was marked");
        await marker.SetBlockRestoredAsync(m_two, 0, SampleDatabase.Hash("a"), 10, false, default);
        await marker.UpdateProcessedAsync(progress, default);
        await marker.SetBlockRestoredAsync(m_link, 0, SampleDatabase.Hash("m"), 7, true, default);
        await marker.UpdateProcessedAsync(progress, default);
        await marker.SetBlockRestoredAsync(m_two, 1, SampleDatabase.Hash("b"), 5, false, default);
        await marker.UpdateProcessedAsync(progress, default);
        await marker.SetAllBlocksMissingAsync(m_two, default);
        await marker.UpdateProcessedAsync(progress, default);
        await marker.SetAllBlocksRestoredAsync(m_one, true, default);
        await marker.SetAllBlocksRestoredAsync(m_one, true, default);
        await marker.UpdateProcessedAsync(progress, default);
        await marker.UpdateProcessedAsync(progress, default);

        Assert.That(progress.Reports, Is.EqualTo(new[] { (0L, 10L), (0L, 10L), (1L, 15L), (0L, 0L), (1L, 10L) }));
    }

    [Test]
    [Contract("B 1.5 IBlockMarker row 6")]
    public async Task Totals_go_on_with_the_next_marker()
    {
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        var progress = new ReportedProgress();
        await using (var first = await db.CreateBlockMarkerAsync(default))
            await first.SetBlockRestoredAsync(m_one, 0, SampleDatabase.Hash("a"), 10, false, default);

        await using var second = await db.CreateBlockMarkerAsync(default);
        await second.SetBlockRestoredAsync(m_two, 0, SampleDatabase.Hash("a"), 10, false, default);
        await second.UpdateProcessedAsync(progress, default);

        Assert.That(progress.Reports, Is.EqualTo(new[] { (1L, 20L) }));
    }

    [Test]
    [Contract("B 1.5 IBlockMarker row 2")]
    [Contract("B 1.5 IBlockMarker row 3")]
    [Contract("B 1.5 IBlockMarker row 4")]
    public async Task Whole_files_need_at_least_one_row()
    {
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);

        await marker.SetAllBlocksMissingAsync(m_link, default);
        await marker.SetAllBlocksRestoredAsync(m_link, true, default);
        Assert.That(() => marker.SetAllBlocksRestoredAsync(m_link, false, default), Throws.Exception, "a link has no data");
        Assert.That(() => marker.SetAllBlocksMissingAsync(99, default), Throws.Exception);
        await marker.SetFileDataVerifiedAsync(m_one, default);
        Assert.That(() => marker.SetFileDataVerifiedAsync(99, default), Throws.Exception);
        await marker.CommitAsync(default);
        Assert.That(await db.GetFilesToRestoreAsync(true, default).CountAsync(), Is.EqualTo(2));
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task Marks_that_were_rolled_back_do_not_count()
    {
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        await marker.SetAllBlocksRestoredAsync(m_one, false, default);
        await marker.CommitAsync(default);
        await marker.SetAllBlocksRestoredAsync(m_two, false, default);

        await db.Transaction.RollBackAsync();

        var progress = new ReportedProgress();
        await marker.UpdateProcessedAsync(progress, default);
        Assert.That(progress.Reports, Is.EqualTo(new[] { (1L, 10L) }));
        await marker.SetBlockRestoredAsync(m_two, 1, SampleDatabase.Hash("b"), 5, false, default);
        await marker.UpdateProcessedAsync(progress, default);
        Assert.That(progress.Reports[^1], Is.EqualTo((1L, 15L)));
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task A_marker_goes_on_after_a_rollback_that_takes_the_block_list_with_it(
        [Values("block", "all", "missing", "verified", "progress")] string member
    )
    {
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        if (member == "progress")
            await marker.SetBlockRestoredAsync(m_one, 0, SampleDatabase.Hash("a"), 10, false, default);

        await db.Transaction.RollBackAsync();

        var progress = new ReportedProgress();
        await (
            member switch
            {
                "block" => marker.SetBlockRestoredAsync(m_one, 0, SampleDatabase.Hash("a"), 10, false, default),
                "all" => marker.SetAllBlocksRestoredAsync(m_one, true, default),
                "missing" => marker.SetAllBlocksMissingAsync(m_one, default),
                "verified" => marker.SetFileDataVerifiedAsync(m_one, default),
                _ => marker.UpdateProcessedAsync(progress, default),
            }
        );
        await marker.SetBlockRestoredAsync(m_two, 1, SampleDatabase.Hash("b"), 5, false, default);
        await marker.UpdateProcessedAsync(progress, default);
        Assert.That(
            progress.Reports[0],
            Is.EqualTo(
                member switch
                {
                    "block" or "all" => (1L, 15L),
                    "progress" => (0L, 0L),
                    _ => (0L, 5L),
                }
            )
        );
    }

    [Test]
    [Contract("B 9.8 rule 2")]
    public async Task A_mark_after_a_rollback_of_the_engine_tells_of_it_once()
    {
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        await db.Transaction.CommitAsync(default);
        await marker.SetAllBlocksRestoredAsync(m_one, false, default);
        Assert.That(
            () => db.Connection.Execute("""INSERT OR ROLLBACK INTO "Configuration" ("Key", "Value") VALUES ('a', ''), ('a', '')"""),
            Throws.TypeOf<SqliteException>()
        );

        Assert.That(MarkAsync, Throws.InvalidOperationException);
        await MarkAsync();

        var progress = new ReportedProgress();
        await marker.UpdateProcessedAsync(progress, default);
        Assert.That(progress.Reports, Is.EqualTo(new[] { (0L, 5L) }), "what was marked before is lost");

        Task MarkAsync() => marker.SetBlockRestoredAsync(m_two, 1, SampleDatabase.Hash("b"), 5, false, default);
    }

    [Test]
    [Contract("B 1.5 CreateBlockMarkerAsync")]
    public async Task Without_a_tracker_there_is_no_marker()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path);
        await db.FindMissingBlocksAsync(false, default);

        Assert.That(() => db.CreateBlockMarkerAsync(default), Throws.InvalidOperationException);
    }

    [Test]
    [Contract("B 1.5 CreateProgressTrackerAsync")]
    [Contract("B 11.3 row 1")]
    public async Task A_tracker_without_a_list_warns_and_fails()
    {
        await using var db = await RestoreFixture.OpenAsync(Data.Path);
        using var log = new LogCapture();

        Assert.That(() => db.CreateProgressTrackerAsync(false, default), Throws.InvalidOperationException);
        Assert.That(() => db.FindMissingBlocksAsync(false, default), Throws.InvalidOperationException);
        Assert.That(log.Of(LogMessageType.Warning, "ProgressTrackerSetupError"), Has.Count.EqualTo(1));
    }

    [Test]
    [Contract("B 1.5 FindMissingBlocksAsync")]
    [Contract("B 10 Q4")]
    [Contract("B 9.7 idea 14")]
    public async Task The_block_list_is_built_when_it_is_first_used()
    {
        using var log = new LogCapture();
        await using var db = await RestoreFixture.PrepareBlocksAsync(Data.Path);
        Assert.That(log.WithId("RestoreSourceSize"), Is.Empty);

        await (await db.CreateBlockMarkerAsync(default)).DisposeAsync();
        await (await db.CreateBlockMarkerAsync(default)).DisposeAsync();

        Assert.That(
            log.WithId("RestoreSourceSize").Single().FormattedMessage,
            Does.Contain("46"),
            "25 bytes of data and 3 times 7 of metadata"
        );
        Assert.That(log.WarningsAndErrors, Is.Empty);
    }

    [Test]
    [Contract("B 1.5 CreateProgressTrackerAsync")]
    public async Task Files_that_become_complete_can_be_collected()
    {
        await using var db = await RestoreFixture.PrepareAsync(Data.Path);
        await db.FindMissingBlocksAsync(true, default);
        await db.CreateProgressTrackerAsync(true, default);
        await using var marker = await db.CreateBlockMarkerAsync(default);

        await marker.SetAllBlocksRestoredAsync(m_one, false, default);

        Assert.That(db.Connection.Scalar("""SELECT group_concat("ID") FROM "RestoreNewlyDone" """), Is.EqualTo($"{m_one}"));
    }

    [Test]
    public async Task Random_marks_give_the_totals_of_a_plain_count()
    {
        using var backup = new RandomBackup(LongRun.Seed());
        await using var db = await RestoreFixture.PrepareBlocksAsync(backup.Path);
        await using var marker = await db.CreateBlockMarkerAsync(default);
        var files = await db.GetExistingFilesWithBlocksAsync(default).ToListAsync();
        var random = new Random(5);
        var restored = new Dictionary<(long, long), long>();
        var progress = new ReportedProgress();
        for (var i = 0; i < 400; i++)
        {
            var file = files[random.Next(files.Count)];
            var blocks = await file.BlocksAsync(default).ToListAsync();
            var block = blocks[random.Next(blocks.Count)];
            if (random.Next(10) == 0)
            {
                await marker.SetAllBlocksMissingAsync(file.TargetFileID, default);
                blocks.ForEach(x => restored.Remove((file.TargetFileID, x.Index)));
            }
            else if (restored.TryAdd((file.TargetFileID, block.Index), block.Size))
            {
                await marker.SetBlockRestoredAsync(file.TargetFileID, block.Index, block.Hash, block.Size, false, default);
            }
        }

        await marker.UpdateProcessedAsync(progress, default);
        var complete = 0L;
        foreach (var file in files)
            complete += await file.BlocksAsync(default).AllAsync(x => restored.ContainsKey((file.TargetFileID, x.Index))) ? 1 : 0;
        Assert.That(progress.Reports, Is.EqualTo(new[] { (complete, restored.Values.Sum()) }));
    }
}
