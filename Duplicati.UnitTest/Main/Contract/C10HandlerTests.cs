// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

#pragma warning disable RS0030 // Task.Result is what core's operations read, and what must not wait for ever.

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>
/// The calls that core's operations make, in their order and with their habits: blocking waits, streams in streams, streams left early,
/// rollbacks.
/// </summary>
[TestFixture]
public sealed class C10HandlerTests : SampleTestBase
{
    private long m_old;
    private long m_new;
    private long m_lost;

    /// <summary>
    /// Two versions. Volume "good" holds all but one block of /d/a, and the metadata of /d/b, which are in "lost". The newest version
    /// also has /e/c. An index volume describes each.
    /// </summary>
    [SetUp]
    public void Make()
    {
        var good = Data.Volume("good.dblock");
        m_lost = Data.Volume("lost.dblock");
        Data.Link(Data.Volume("good.dindex", "Index"), good);
        Data.Link(Data.Volume("lost.dindex", "Index"), m_lost);
        var meta = Data.Metadata(Data.Blockset("meta", 3, Data.Block("meta", 3, good)));
        var metaB = Data.Metadata(Data.Blockset("meta-b", 4, Data.Block("meta-b", 4, m_lost)));
        var folder = Data.File("/d/", SampleDatabase.Folder, meta);
        var a = Data.File("/d/a", Data.Blockset("a", 15, Data.Block("a1", 10, good), Data.Block("a2", 5, m_lost)), meta);
        var b = Data.File("/d/b", Data.Blockset("b", 20, Data.Block("b", 20, good)), metaB);
        var c = Data.File("/e/c", Data.Blockset("c", 30, Data.Block("c", 30, good)), meta);
        m_old = Data.Fileset(1000, folder, a, b);
        m_new = Data.Fileset(2000, folder, a, b, c);
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 ListFilesHandler")]
    [Contract("C 0.8 blocking on tasks inside LINQ")]
    public async Task Files_are_listed_with_sizes_that_are_waited_for(CancellationToken token)
    {
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, token);
        await using var sets = await db.SelectFileSetsAsync(new DateTime(0, DateTimeKind.Utc), null!, token);
        var files = sets.SelectFilesAsync(new FilterExpression("*"), token);
        var filesets = await sets.SetsAsync(token).ToArrayAsync(token);

        var listed = await files
            .Select(async x => (x.Path, Sizes: await x.SizesAsync(token).ToArrayAsync(token)))
            .Select(x => $"{x.Result.Path}:{string.Join(',', x.Result.Sizes)}")
            .ToArrayAsync(token);

        Assert.That(filesets.Select(x => (x.Version, x.FileCount, x.FileSizes)), Is.EqualTo(new[] { (0L, 3L, 65L), (1L, 2L, 35L) }));
        Assert.That(listed, Is.EqualTo(new[] { "/d/:-1,-1", "/d/a:15,15", "/d/b:20,20", "/e/c:30,-1" }));
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 11 Q19")]
    public async Task Sizes_may_be_read_late_twice_partly_or_never(CancellationToken token)
    {
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, token);
        var sets = await db.SelectFileSetsAsync(default, [], token);
        var files = await sets.SelectFilesAsync(new FilterExpression("*"), token).ToListAsync(token);
        Assert.That(files.Select(x => x.Path), Is.EqualTo(new[] { "/d/", "/d/a", "/d/b", "/e/c" }));
        sets.Dispose();
        await sets.DisposeAsync();
        await db.DisposeAsync();

        Assert.That(await files[3].SizesAsync(token).FirstAsync(token), Is.EqualTo(30));
        Assert.That(await files[3].SizesAsync(token).ToListAsync(token), Is.EqualTo(new[] { 30L, -1L }));
        Assert.That(files[1].SizesAsync(token).ToBlockingEnumerable(token), Is.EqualTo(new[] { 15L, 15L }));
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 ListFolderHandler")]
    [Contract("C 0.8 ToBlockingEnumerable")]
    [Contract("C 1.6")]
    public async Task A_folder_is_listed_by_prefixes_that_are_looked_up_meanwhile(CancellationToken token)
    {
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, token);
        var fileset = (await db.GetFilesetIDsAsync(new DateTime(0, DateTimeKind.Utc), [0], true, token).ToListAsync(token)).Single();

        var page = await db.ListFolderAsync(
                db.GetPrefixIdsAsync(["/d/", "/D/", "/d", "/e/"], token).ToBlockingEnumerable(token),
                fileset,
                0,
                1000,
                token
            )
            .WaitAsync(token);
        var metadata = await db.GetMetadataForFilesetIdsAsync(page.Items.Cast<LocalListDatabase.FolderEntry>().Select(x => x.FileId), token)
            .WaitAsync(token);

        Assert.That(
            page.Items.Select(x => x.Path),
            Is.EqualTo(new[] { "/d/a", "/d/b", "/e/c" }),
            "the folder itself is stored below the root"
        );
        Assert.That(
            page.Items.Cast<LocalListDatabase.FolderEntry>().Select(x => (x with { Metadata = [] }).Path).First(),
            Is.EqualTo("/d/a")
        );
        Assert.That(metadata, Is.Empty);
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 0.8 sequences that ask the same database")]
    public async Task Every_member_takes_sequences_that_ask_the_same_database(CancellationToken token)
    {
        var path = Data.Close();
        IEnumerable<T> Asking<T>(LocalDatabase db, params T[] values)
        {
            foreach (var value in values)
            {
                Assert.That(db.GetRemoteVolumesAsync(token).ToBlockingEnumerable(token), Is.Not.Empty);
                yield return value;
            }
        }

        await using (var db = await LocalListDatabase.CreateAsync(path, null, token))
        {
            Assert.That(await db.GetPrefixIdsAsync(Asking(db, "/d/"), token).CountAsync(token).AsTask().WaitAsync(token), Is.EqualTo(1));
            Assert.That(
                (
                    await db.SearchEntriesAsync(Asking(db, "/d/"), new FilterExpression("a"), true, null, false, 0, 0, token)
                        .WaitAsync(token)
                ).TotalCount,
                Is.EqualTo(2)
            );
            Assert.That((await db.ListFileVersionsAsync(Asking(db, "a"), null, 0, 0, token).WaitAsync(token)).TotalCount, Is.EqualTo(2));
        }

        await using (var db = await LocalListAffectedDatabase.CreateAsync(path, null, token))
        {
            Assert.That(
                await db.GetFilesetsAsync(Asking(db, "lost.dblock"), token).CountAsync(token).AsTask().WaitAsync(token),
                Is.EqualTo(2)
            );
            Assert.That(
                await db.GetVolumesAsync(Asking(db, "duplicati-1000.dlist.zip"), token).CountAsync(token).AsTask().WaitAsync(token),
                Is.EqualTo(2)
            );
        }

        await using (var db = await LocalListBrokenFilesDatabase.CreateAsync(path, null, token))
        {
            Assert.That(
                await db.GetRemoteVolumeIDsAsync(Asking(db, "lost.dblock"), token).CountAsync(token).AsTask().WaitAsync(token),
                Is.EqualTo(1)
            );
            Assert.That(
                await db.GetRemoteVolumesDependingOnFilesetsAsync(Asking(db, m_old), token).CountAsync(token).AsTask().WaitAsync(token),
                Is.EqualTo(5)
            );
            await db.RemoveMissingBlocksAsync(Asking(db, "lost.dblock"), token).WaitAsync(token);
            await db.RemoveRemoteVolumesAsync(Asking(db, "lost.dindex"), token).WaitAsync(token);
        }
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 ListBrokenFilesHandler")]
    [Contract("C 2.2")]
    [Contract("C 2.3")]
    [Contract("C 2.4")]
    [Contract("C 2.7")]
    [Contract("C 0.8 writing while a stream is open")]
    [Contract("C 0.8 several enumerations with WhenAll")]
    [Contract("C 0.8 leaving early")]
    public async Task Broken_files_are_listed_and_leave_no_trace(CancellationToken token)
    {
        var path = Data.Close();
        await using (var db = await LocalListBrokenFilesDatabase.CreateAsync(path, null, token))
        {
            Assert.That(await db.PartiallyRecreatedAsync(token), Is.False);
            Assert.That(await db.GetBrokenFilesetsAsync(new DateTime(0), null, token).ToArrayAsync(token), Is.Empty);
            await db.UpdateRemoteVolumeAsync("lost.dblock", RemoteVolumeState.Deleting, -1, null, token);
            await db.RemoveMissingBlocksAsync(["lost.dblock", "unknown"], token);
            await foreach (var orphan in db.GetOrphanedIndexFilesAsync(token))
            {
                Assert.That((orphan.Name, orphan.Hash, orphan.Size), Is.EqualTo(("lost.dindex", "volume-hash", 1000L)));
                await db.UpdateRemoteVolumeAsync(orphan.Name, RemoteVolumeState.Deleting, orphan.Size, orphan.Hash, token);
            }

            var broken = await db.GetBrokenFilesetsAsync(default, [], token).ToArrayAsync(token);
            Assert.That(
                broken.Select(x => (x.FilesetID, x.RemoveFileCount)),
                Is.EqualTo(new[] { (m_old, 2L), (m_new, 2L) }),
                "older ones first"
            );
            Assert.That(
                broken[0].FilesetTime,
                Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1000)).And.Property("Kind").EqualTo(DateTimeKind.Utc)
            );
            Assert.That(await db.GetBrokenFilesetsAsync(default, [1], token).ToArrayAsync(token), Is.EqualTo(broken[..1]));

            var names = await Task.WhenAll(
                broken.Select(async x => await db.GetBrokenFilenamesAsync(x.FilesetID, token).ToListAsync(token))
            );
            Assert.That(names, Has.All.EquivalentTo(new[] { Tuple.Create("/d/a", 15L), Tuple.Create("/d/b", 20L) }));
            Assert.That(broken.Select(x => db.GetFilesetFileCountAsync(x.FilesetID, token).Result), Is.EqualTo(new[] { 3L, 4L }));
            await foreach (var _ in db.GetBrokenFilenamesAsync(m_new, token))
                break;
            await db.Transaction.RollBackAsync(token);
        }

        Assert.That(Data.Rows("""SELECT "State" FROM "Remotevolume" WHERE "State" <> 'Verified'"""), Is.Empty);
        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), Is.EqualTo(new[] { "Backup" }));
        Assert.That(Data.Rows("""SELECT COUNT(*) FROM "Block" """), Is.EqualTo(new[] { "6" }));
    }

    [TestCase(true)]
    [TestCase(false)]
    [CancelAfter(60_000)]
    [Contract("C 10 PurgeBrokenFilesHandler")]
    [Contract("C 10 PurgeFilesHandler")]
    [Contract("C 12 row 8")]
    [Contract("C 2.5")]
    public async Task Broken_files_are_purged_version_by_version_unless_it_is_only_tried(bool dryRun, CancellationToken token)
    {
        var path = Data.Close();
        var before = Data.Rows("""SELECT * FROM "FilesetEntry" """);
        await using (var db = await LocalListBrokenFilesDatabase.CreateAsync(path, null, token))
        {
            await db.RemoveMissingBlocksAsync(["lost.dblock"], token);
            var broken = await db.GetBrokenFilesetsAsync(new DateTime(0), null, token).ToArrayAsync(token);
            var empty = await db.GetEmptyMetadataBlocksetIdAsync([m_lost], "none", 2, token);
            if (!dryRun)
                await db.Transaction.CommitAsync("PurgeBroken", true, token);
            var updated = new List<long>();
            foreach (var fileset in broken)
                updated.Add(await PurgeVersionAsync(db, fileset.FilesetID, empty, dryRun, token));

            Assert.That(
                updated,
                Is.EqualTo(dryRun ? new[] { 1L, 1L } : [1L, 0L]),
                "metadata is shared: after the first version nothing is left to replace, unless that was rolled back"
            );
            await (dryRun ? db.Transaction.RollBackAsync(token) : db.Transaction.CommitAsync(token));
        }

        Assert.That(
            Data.Rows("""SELECT "Path" FROM "FilesetEntry" e JOIN "FileLookup" l ON l."ID" = e."FileID" """),
            dryRun ? Has.Length.EqualTo(before.Length) : Is.EqualTo(new[] { "b", "b", "c", "d/", "d/" })
        );
        Assert.That(Data.Rows("""SELECT "Timestamp" FROM "Fileset" """), Is.EqualTo(dryRun ? new[] { "1000", "2000" } : ["1001", "2001"]));
        Assert.That(
            Data.Rows("""SELECT "Name" || ' ' || "State" FROM "Remotevolume" WHERE "Name" LIKE 'new-%'"""),
            dryRun ? Is.Empty : Is.EqualTo(new[] { $"new-{m_old} Uploading", $"new-{m_new} Uploading" })
        );
    }

    // What the purge handler does for one version, with the delegate of the handler for broken files.
    private static async Task<long> PurgeVersionAsync(
        LocalListBrokenFilesDatabase broken,
        long filesetId,
        long emptyBlockset,
        bool dryRun,
        CancellationToken token
    )
    {
        await using var db = await LocalPurgeDatabase.CreateAsync(broken, null, token);
        Assert.That(await db.CountOrphanFilesAsync(token), Is.Zero);
        var time = (await db.FilesetTimesAsync(token).ToListAsync(token)).Single(x => x.Key == filesetId).Value;
        var oldName = await db.GetRemoteVolumeNameForFilesetAsync(filesetId, token);
        await using var temporary = await db.CreateTemporaryFilesetAsync(filesetId, token);
        temporary.ReducedPurgeStatistics = true;
        await temporary.ApplyFilterAsync(
            async (command, id, table) =>
            {
                var updated = await broken.ReplaceMetadataAsync(id, emptyBlockset, token);
                await broken.InsertBrokenFileIDsIntoTableAsync(id, table, "FileID", token);
                command.CommandText = $"""SELECT COUNT(*) FROM "{table}" """;
                Assert.That(
                    command.ExecuteScalar(),
                    Is.EqualTo(1),
                    "what another object wrote is seen, and the file whose metadata was replaced is whole again"
                );
                return updated;
            },
            token
        );
        Assert.That((temporary.RemovedFileCount, temporary.RemovedFileSize), Is.EqualTo((1L, -1L)));
        var updatedCount = temporary.UpdatedFileCount;
        var (volume, rewritten) = await temporary.ConvertToPermanentFilesetAsync(
            $"new-{filesetId}",
            time.AddSeconds(1),
            await db.IsFilesetFullBackupAsync(time, token),
            token
        );
        Assert.That(await temporary.ListAllDeletedFilesAsync(token).Select(x => x.Key).ToListAsync(token), Is.EqualTo(new[] { "/d/a" }));
        if (dryRun)
        {
            await db.Transaction.RollBackAsync("DryRun", true, token);
            await broken.RemoveMissingBlocksAsync(["lost.dblock"], token);
            return updatedCount;
        }

        Assert.That((volume, rewritten), Is.Not.EqualTo((0L, 0L)));
        await db.UpdateRemoteVolumeAsync($"new-{filesetId}", RemoteVolumeState.Uploading, -1, null, token);
        foreach (var (name, _) in await db.DropFilesetsFromTableAsync([time.ToUniversalTime()], token).ToListAsync(token))
            await db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Deleting, -1, null, token);
        await db.Transaction.CommitAsync("CommitFileset", true, token);
        await db.UpdateRemoteVolumeAsync(oldName, RemoteVolumeState.Deleted, -1, null, token);
        return updatedCount;
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 PurgeFilesHandler")]
    [Contract("C 5 disposal")]
    public async Task A_version_that_loses_nothing_is_rolled_back_within_its_temporary_fileset(CancellationToken token)
    {
        await using var db = await LocalPurgeDatabase.CreateAsync(Data.Close(), null, token);
        var removed = new List<long>();
        foreach (var id in await db.GetFilesetIDsAsync(new DateTime(0, DateTimeKind.Utc), [], false, token).Order().ToListAsync(token))
        {
            await using var temporary = await db.CreateTemporaryFilesetAsync(id, token);
            await temporary.ApplyFilterAsync(new FilterExpression("/e/c"), token);
            removed.Add(temporary.RemovedFileCount);
            if (temporary.RemovedFileCount == 0)
                await db.Transaction.RollBackAsync(token);
        }

        Assert.That(removed, Is.EqualTo(new[] { 0L, 1L }));
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 ListAffected")]
    [Contract("C 3 GetFilesetsAsync")]
    [Contract("C 3 GetFilesAsync")]
    [Contract("C 11 Q10")]
    public async Task What_a_volume_hits_is_listed(CancellationToken token)
    {
        await using var db = await LocalListAffectedDatabase.CreateAsync(Data.Close(), null, token);
        string[] names = ["lost.dblock"];

        var filesets = await db.GetFilesetsAsync(names, token).ToArrayAsync(token);
        var files = await db.GetFilesAsync(names, token).ToArrayAsync(token);
        Assert.That(await db.GetLogLinesAsync(names, token).ToArrayAsync(token), Is.Empty);
        Assert.That(await db.GetVolumesAsync(names, token).ToArrayAsync(token), Is.Empty, "it is no list");

        Assert.That(
            filesets.Select(x => (x.Version, x.Time.ToUniversalTime(), x.Time.Kind)),
            Is.EquivalentTo(
                new[]
                {
                    (0L, DateTime.UnixEpoch.AddSeconds(2000), DateTimeKind.Local),
                    (1L, DateTime.UnixEpoch.AddSeconds(1000), DateTimeKind.Local),
                }
            )
        );
        Assert.That(filesets.Select(x => (x.IsFullBackup, x.FileCount, x.FileSizes)), Has.All.EqualTo((0, 0L, 0L)));
        Assert.That(files.Select(x => x.Path), Is.EqualTo(new[] { "/d/a", "/d/b" }));
        Assert.That(files.Select(x => x.Sizes), Has.All.Null);
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 ListChangesHandler")]
    [Contract("C 12 row 13")]
    [Contract("C 4 CreateChangedFileReportAsync")]
    public async Task Two_versions_are_compared_and_the_report_is_walked_through_repeatedly(CancellationToken token)
    {
        await using var db = await LocalListChangesDatabase.CreateAsync(Data.Close(), null, token);
        await using (var storage = await db.CreateStorageHelperAsync(token))
        {
            Assert.That(await db.FilesetTimesAsync(token).CountAsync(token), Is.EqualTo(2));
            await storage.AddFromDbAsync(m_old, false, null!, token);
            await storage.AddFromDbAsync(m_new, true, new FilterExpression(), token);
            Assert.That((await storage.CreateChangeCountReportAsync(token)).AddedFiles, Is.EqualTo(1));
            Assert.That((await storage.CreateChangeSizeReportAsync(token)).AddedSize, Is.EqualTo(30));

            var report = storage.CreateChangedFileReportAsync(token);
            var array = await report.ToArrayAsync(token);
            var blocking = report.ToBlockingEnumerable(token);

            Assert.That(array, Is.EqualTo(new[] { Tuple.Create(ListChangesChangeType.Added, ListChangesElementType.File, "/e/c") }));
            Assert.That(blocking.Count(), Is.EqualTo(1));
            Assert.That(blocking.Count(x => x.Item1 == ListChangesChangeType.Added), Is.EqualTo(1));
            Assert.That(blocking.First().Item3, Is.EqualTo("/e/c"));
        }

        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM sqlite_temp_master"""), Is.EqualTo("0"));
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 TestHandler")]
    [Contract("C 12 row 10")]
    public async Task Volumes_are_tested_one_after_the_other_and_the_counts_committed(CancellationToken token)
    {
        var path = Data.Close();
        await using (var db = await LocalTestDatabase.CreateAsync(path, null, token))
        {
            var targets = await db.SelectTestTargetsAsync(long.MaxValue, new Options([]), token).ToListAsync(token);
            Assert.That(targets.Select(x => x.Name), Is.Unique.And.EquivalentTo(Data.Rows("""SELECT "Name" FROM "Remotevolume" """)));
            foreach (var target in targets)
            {
                await using (var list = await db.CreateIndexlistAsync(target.Name, token))
                    await list.CompareAsync(token).ToListAsync(token);
                await using (var blocks = await db.CreateBlocklistAsync(target.Name, token))
                    await foreach (var _ in blocks.CompareAsync(token))
                        break;
                await db.UpdateRemoteVolumeAsync(target.Name, RemoteVolumeState.Verified, target.Size, target.Hash, token);
                await db.UpdateVerificationCountAsync(target.Name, token);
            }

            await db.Transaction.CommitAsync("TestHandlerComplete", true, token);
        }

        Assert.That(Data.Rows("""SELECT DISTINCT "VerificationCount" FROM "Remotevolume" """), Is.EqualTo(new[] { "1" }));
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 12 row 9")]
    [Contract("C 2 from a parent")]
    public async Task A_recreated_database_is_asked_for_broken_files_through_a_child(CancellationToken token)
    {
        await using var parent = await LocalDatabase.CreateLocalDatabaseAsync(Data.Close(), "Recreate", true, null, token);
        parent.Connection.Execute("""DELETE FROM "Block" WHERE "Size" = 5""");

        await using (var child = await LocalListBrokenFilesDatabase.CreateAsync(parent, null, token))
            Assert.That(
                await child.GetBrokenFilesetsAsync(new DateTime(0), null, token).Select(x => x.RemoveFileCount).ToListAsync(token),
                Is.EqualTo(new[] { 1L, 1L })
            );

        Assert.That(parent.Connection.State, Is.EqualTo(System.Data.ConnectionState.Open));
    }

    [Test]
    [CancelAfter(60_000)]
    [Contract("C 10 ListFilesetsHandler")]
    [Contract("C 10 SearchEntriesHandler")]
    [Contract("C 10 ListFileVersionsHandler")]
    [Contract("C 12 row 14")]
    public async Task Filesets_versions_and_searches_are_listed_one_after_the_other(CancellationToken token)
    {
        await using var db = await LocalListDatabase.CreateAsync(Data.Close(), null, token);
        var ids = await db.GetFilesetIDsAsync(new DateTime(0, DateTimeKind.Utc), null, false, token).ToArrayAsync(token);

        Assert.That(
            await db.ListFilesetsExtendedAsync(token).Select(x => (x.Version, x.FileCount, x.FileSizes)).ToArrayAsync(token),
            Is.EqualTo(new (long, long?, long?)[] { (0, 4, 65), (1, 3, 35) })
        );
        Assert.That(ids, Is.EqualTo(new[] { m_new, m_old }));
        Assert.That(
            (await db.ListFileVersionsAsync(["/d/a/"], ids, 0, 1000, token)).Items.Select(x => (x.Version, x.Path)),
            Is.EqualTo(new[] { (1L, "a"), (0L, "a") })
        );
        var hits = await db.SearchEntriesAsync(["/d/"], new FilterExpression("*"), false, ids[..1], false, 0, 1000, token);
        Assert.That(
            hits.Items.Cast<SearchFileVersion>().Select(x => (x.Path, x.MatchedPathRange)),
            Is.EqualTo(new[] { ("/d/a", new Range(0, 0)), ("/d/b", new Range(0, 0)) })
        );
    }
}
