// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Sync;

namespace Duplicati.UnitTest.Main.Sync;

public sealed class SyncPlanTests : SyncTestBase
{
    [Test]
    [Contract("C 8.2 CreateTempTableAsync")]
    [Contract("C 8.2 TempTable")]
    [Contract("C 12 row 4")]
    public async Task A_temporary_table_has_the_columns_asked_for_and_is_removed_once()
    {
        var table = await Db.CreateTempTableAsync(LOCAL_FILES, None);

        Assert.That(table.Name, Does.Match("^SyncTemp-[0-9A-Fa-f]{32}$"));
        Assert.That(await Db.CountRowsAsync(table.Name, None), Is.Zero);
        await table.DisposeAsync();
        await table.DisposeAsync();
        Assert.That(async () => await Db.CountRowsAsync(table.Name, None), Throws.InstanceOf<Microsoft.Data.Sqlite.SqliteException>());
    }

    [Test]
    [Contract("C 8.2 TempTable")]
    public async Task A_temporary_table_may_be_disposed_after_the_database()
    {
        var table = await Db.CreateTempTableAsync(LOCAL_FILES, None);
        Db.Dispose();

        Assert.That(async () => await table.DisposeAsync(), Throws.Nothing);
    }

    [Test]
    [Contract("C 8.2 InsertLocalFilesAsync")]
    [Contract("C 8.2 CountRowsAsync")]
    public async Task Of_local_files_with_one_path_the_first_stays_over_many_groups()
    {
        var files = Enumerable.Range(0, 300).Select(i => ($"f{i:000}", (long)i, 1)).Append(("f000", 999, 2)).ToArray();

        var table = await AddLocalAsync(files);

        Assert.That(await Db.CountRowsAsync(table, None), Is.EqualTo(300));
        var plan = await Db.GetUploadPlanAsync(table, None).ToListAsync();
        Assert.That(plan.Select(x => x.Size), Is.EqualTo(Enumerable.Range(0, 300)));
    }

    [Test]
    [Contract("C 8.2 GetUploadPlanAsync")]
    [Contract("C 8.2 counts of plans")]
    public async Task Uploads_are_local_files_that_the_destination_lacks_by_path()
    {
        await AddAsync("b");
        var table = await AddLocalAsync(("c", 3, 3), ("b", 9, 9), ("a", 1, 1));

        Assert.That(await Db.GetUploadPlanAsync(table, None).ToListAsync(), Is.EqualTo(new[] { Upload("a", 1), Upload("c", 3) }));
        Assert.That(await Db.CountUploadPlanAsync(table, None), Is.EqualTo(2));
    }

    // Only a file with equal size, not newer, is looked at again for its hash.
    [TestCase(1, 1, null, false, false)]
    [TestCase(1, 1, "h", false, true)]
    [TestCase(1, 0, "h", false, true)]
    [TestCase(1, 2, null, true, true)]
    [TestCase(2, 1, "h", true, true)]
    [TestCase(2, 2, null, true, true)]
    [Contract("C 8.2 GetUpdatePlanAsync")]
    [Contract("C 8.2 counts of plans")]
    public async Task Updates_are_files_of_another_size_or_newer_ones(long size, int daysNewer, string? hash, bool differs, bool withHash)
    {
        await AddAsync("a", 1, 11, hash);
        await AddAsync("remote only", 1, 1, "h");
        var table = await AddLocalAsync(("a", size, 10 + daysNewer), ("local only", 1, 1));
        var row = new LocalSyncDatabase.SyncPlanRow
        {
            RelativePath = "a",
            AbsolutePath = "/src/a",
            Size = size,
            LastModifiedUtc = Day(10 + daysNewer),
            Operation = SyncOperation.Update,
            RemoteContentHash = hash,
            HashRecheckOnly = !differs,
        };

        Assert.That(
            await Db.GetUpdatePlanAsync(table, false, None).ToListAsync(),
            Is.EqualTo(differs ? [row] : Array.Empty<LocalSyncDatabase.SyncPlanRow>())
        );
        Assert.That(
            await Db.GetUpdatePlanAsync(table, true, None).ToListAsync(),
            Is.EqualTo(withHash ? [row] : Array.Empty<LocalSyncDatabase.SyncPlanRow>())
        );
        Assert.That(await Db.CountUpdatePlanAsync(table, false, None), Is.EqualTo(differs ? 1 : 0));
        Assert.That(await Db.CountUpdatePlanAsync(table, true, None), Is.EqualTo(withHash ? 1 : 0));
    }

    [Test]
    [Contract("C 8.2 GetDeletePlanAsync")]
    [Contract("C 8.2 counts of plans")]
    public async Task Deletions_are_files_of_the_destination_that_are_neither_local_nor_in_transfer()
    {
        foreach (var path in new[] { "d", "c", "b", "a" })
            await AddAsync(path, 7, 7, "hash");
        await Db.UpsertPendingOperationAsync("b", SyncOperation.Upload, null, null, None);
        var table = await AddLocalAsync(("c", 1, 1));

        var plan = await Db.GetDeletePlanAsync(table, None).ToListAsync();

        Assert.That(
            plan,
            Is.EqualTo(new[] { "a", "d" }.Select(x => Upload(x, 7) with { AbsolutePath = "", Operation = SyncOperation.Delete }))
        );
        Assert.That(await Db.CountDeletePlanAsync(table, None), Is.EqualTo(2));
    }

    [Test]
    [Contract("C 8.1 stored formats")]
    [Contract("C 8.2 InsertLocalFilesAsync")]
    public async Task Times_are_text_in_utc_but_local_files_keep_theirs()
    {
        await Db.UpsertInventoryAsync("a", 1, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc), null, None);
        await using var table = await Db.CreateTempTableAsync(LOCAL_FILES, None);
        await Db.InsertLocalFilesAsync(
            table.Name,
            [
                ("a", "/a", 1, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Unspecified)),
                ("b", "/b", 1, new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc)),
            ],
            None
        );

        var plan = await Db.GetUpdatePlanAsync(table.Name, false, None).ToListAsync(None);
        var uploads = await Db.GetUploadPlanAsync(table.Name, None).ToListAsync(None);

        Assert.That(plan, Is.Empty, "as text, the stored time ends in Z and is not earlier");
        Assert.That(
            uploads.Single(),
            Is.EqualTo(
                new LocalSyncDatabase.SyncPlanRow
                {
                    RelativePath = "b",
                    AbsolutePath = "/b",
                    Size = 1,
                    LastModifiedUtc = new DateTime(2026, 1, 2, 3, 4, 5, DateTimeKind.Utc),
                    Operation = SyncOperation.Upload,
                    RemoteContentHash = null,
                }
            )
        );
        Assert.That(await Db.CountRowsAsync(table.Name, None), Is.EqualTo(2));
    }

    [Test]
    public async Task A_plan_may_be_carried_out_while_it_is_read()
    {
        var table = await AddLocalAsync(("a", 1, 1), ("b", 1, 1));

        await foreach (var row in Db.GetUploadPlanAsync(table, None))
            await Db.UpsertInventoryAsync(row.RelativePath, row.Size, row.LastModifiedUtc, null, None);

        Assert.That(await Db.CountUploadPlanAsync(table, None), Is.Zero);
        Assert.That(await Db.CountUpdatePlanAsync(table, true, None), Is.Zero);
    }

    private static LocalSyncDatabase.SyncPlanRow Upload(string path, int sizeAndDay) =>
        new()
        {
            RelativePath = path,
            AbsolutePath = "/src/" + path,
            Size = sizeAndDay,
            LastModifiedUtc = Day(sizeAndDay),
            Operation = SyncOperation.Upload,
            RemoteContentHash = null,
        };
}
