// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using Microsoft.Data.Sqlite;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>Comparisons of versions, and versions rewritten without some files: the details that no other test holds.</summary>
[TestFixture]
public sealed class C04ChangesAndPurgeTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    private SampleDatabase m_data = null!;

    [SetUp]
    public void Make() => m_data = new SampleDatabase();

    [TearDown]
    public void Remove() => m_data.Dispose();

    [Test]
    [Contract("C 4 CreateChangedFileReportAsync")]
    [Contract("C 4 counts")]
    public async Task Changes_come_in_the_fixed_order_each_kind_in_the_order_it_was_entered()
    {
        await using var db = await LocalListChangesDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var storage = await db.CreateStorageHelperAsync(s_none);
        var kinds = new[] { ListChangesElementType.File, ListChangesElementType.Symlink, ListChangesElementType.Folder };
        foreach (var name in new[] { "z", "a" })
        foreach (var kind in kinds)
        {
            await AddAsync(storage, true, $"/added/{kind}/{name}", kind);
            await AddAsync(storage, false, $"/deleted/{kind}/{name}", kind);
            await AddAsync(storage, false, $"/modified/{kind}/{name}", kind, "before");
            await AddAsync(storage, true, $"/modified/{kind}/{name}", kind, "after");
            await AddAsync(storage, false, $"/same/{kind}/{name}", kind);
            await AddAsync(storage, true, $"/same/{kind}/{name}", kind);
        }

        var report = await storage.CreateChangedFileReportAsync(s_none).Select(x => x.Item3).ToListAsync(s_none);
        var counts = await storage.CreateChangeCountReportAsync(s_none);

        Assert.That(
            report,
            Is.EqualTo(
                from change in new[] { "added", "deleted", "modified" }
                from kind in new[] { "Folder", "Symlink", "File" }
                from name in new[] { "z", "a" }
                select $"/{change}/{kind}/{name}"
            )
        );
        Assert.That(
            new[]
            {
                counts.AddedFolders,
                counts.AddedSymlinks,
                counts.AddedFiles,
                counts.DeletedFolders,
                counts.DeletedSymlinks,
                counts.DeletedFiles,
                counts.ModifiedFolders,
                counts.ModifiedSymlinks,
                counts.ModifiedFiles,
            },
            Is.All.EqualTo(2)
        );
    }

    // File hash and metadata hash before and after.
    [TestCase("h", "m", "h", "m", false)]
    [TestCase("h", "m", "H", "m", true)]
    [TestCase("h", "m", "h", "M", true)]
    [TestCase(null, "m", "h", "m", false)]
    [TestCase("h", "m", null, "m", false)]
    [TestCase(null, "m", null, "m", false)]
    [Contract("C 4 counts")]
    public async Task A_file_is_modified_if_a_hash_that_both_sides_have_differs(
        string? before,
        string metaBefore,
        string? after,
        string metaAfter,
        bool expected
    )
    {
        await using var db = await LocalListChangesDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var storage = await db.CreateStorageHelperAsync(s_none);
        await storage.AddElementAsync("/f", before!, metaBefore, 5, ListChangesElementType.File, false, false, s_none);
        await storage.AddElementAsync("/f", after!, metaAfter, 900, ListChangesElementType.File, true, true, s_none);

        Assert.That(
            (await storage.CreateChangeCountReportAsync(s_none)).ModifiedFiles,
            Is.EqualTo(expected ? 1 : 0),
            "the size does not count"
        );
    }

    [Test]
    [Contract("C 4 sizes")]
    public async Task Nothing_has_no_size_and_no_changes()
    {
        await using var db = await LocalListChangesDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var storage = await db.CreateStorageHelperAsync(s_none);

        var sizes = await storage.CreateChangeSizeReportAsync(s_none);
        Assert.That((sizes.AddedSize, sizes.DeletedSize, sizes.PreviousSize, sizes.CurrentSize), Is.EqualTo((0L, 0L, 0L, 0L)));
        Assert.That(await storage.CreateChangedFileReportAsync(s_none).CountAsync(s_none), Is.Zero);
    }

    [Test]
    [Contract("C 4 disposal")]
    [Contract("C 11 Q20")]
    public async Task Disposal_of_a_comparison_rolls_back_does_not_commit_and_leaves_the_write_lock_free()
    {
        var path = m_data.Close();
        await using var db = await LocalListChangesDatabase.CreateAsync(path, null, s_none);
        var storage = await db.CreateStorageHelperAsync(s_none);
        db.Connection.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('a', 'b')""");

        storage.Dispose();
        storage.Dispose();
        await storage.DisposeAsync();

        Assert.That(db.Connection.Scalar("""SELECT COUNT(*) FROM "Configuration" """), Is.EqualTo("0"));
        await db.Transaction.RollBackAsync(s_none);
        using var other = new SqliteConnection($"Data Source={path};Pooling=false;Default Timeout=1");
        other.Open();
        Assert.That(() => other.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('c', 'd')"""), Throws.Nothing);
    }

    [Test]
    [Contract("C 4 disposal")]
    public async Task A_comparison_may_be_disposed_after_its_database()
    {
        var db = await LocalListChangesDatabase.CreateAsync(m_data.Close(), null, s_none);
        var storage = await db.CreateStorageHelperAsync(s_none);
        await storage.AddElementAsync("/f", "h", "m", 5, ListChangesElementType.File, false, false, s_none);
        await db.DisposeAsync();

        Assert.That(storage.Dispose, Throws.Nothing);
        Assert.That(
            Directory.GetFiles(Path.GetDirectoryName(m_data.Path)!).Select(Path.GetFileName),
            Is.EqualTo(new[] { "backup.sqlite" }),
            "nothing keeps the database open"
        );
    }

    [Test]
    [Contract("C 4 AddFromDbAsync")]
    public async Task Folders_and_links_have_no_hash_and_no_size_and_entries_without_metadata_are_left_out()
    {
        var metadata = m_data.Metadata(m_data.Blockset("m", 3));
        var fileset = m_data.Fileset(
            1000,
            m_data.File("/folder/", SampleDatabase.Folder, metadata),
            m_data.File("/link", SampleDatabase.Symlink, metadata),
            m_data.File("/file", m_data.Blockset("f", 10), metadata),
            m_data.File("/no-set", m_data.Blockset("g", 20), 99),
            m_data.File("/no-blockset", m_data.Blockset("h", 40), m_data.Metadata(98)),
            m_data.File("/no-data", 97, metadata)
        );
        await using var db = await LocalListChangesDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var storage = await db.CreateStorageHelperAsync(s_none);
        foreach (
            var (path, hash, size, type) in new[]
            {
                ("/folder/", (string?)null, -1L, ListChangesElementType.Folder),
                ("/link", null, -1, ListChangesElementType.Symlink),
                ("/file", SampleDatabase.Hash("f"), 10L, ListChangesElementType.File),
            }
        )
            await storage.AddElementAsync(path, hash!, SampleDatabase.Hash("m"), size, type, false, false, s_none);

        await storage.AddFromDbAsync(fileset, true, new FilterExpression(), s_none);

        Assert.That(await storage.CreateChangedFileReportAsync(s_none).ToListAsync(s_none), Is.Empty);
        Assert.That((await storage.CreateChangeSizeReportAsync(s_none)).CurrentSize, Is.EqualTo(8));
    }

    [Test]
    [Contract("C 5 ApplyFilterAsync by filter")]
    [Contract("C 11 Q12")]
    public async Task Filters_of_several_rules_and_groups_are_tried_on_every_path()
    {
        var fileset = m_data.Fileset(
            1000,
            [
                .. new[] { "/d/a.txt", "/d/b.txt", "/d/c.log", "/e/" }.Select(x =>
                    m_data.File(x, x[^1] == '/' ? SampleDatabase.Folder : m_data.Blockset(x, 1))
                ),
            ]
        );
        await using var db = await LocalPurgeDatabase.CreateAsync(m_data.Close(), null, s_none);
        async Task<long> CountAsync(IFilter filter)
        {
            await using var temporary = await db.CreateTemporaryFilesetAsync(fileset, s_none);
            await temporary.ApplyFilterAsync(filter, s_none);
            return temporary.RemovedFileCount;
        }

        Assert.That(
            await CountAsync(new JoinedFilterExpression(new FilterExpression("*.log"), new FilterExpression("/e/"))),
            Is.EqualTo(2)
        );
        Assert.That(
            await CountAsync(
                new JoinedFilterExpression(
                    new FilterExpression("*a.txt", false),
                    new JoinedFilterExpression(new FilterExpression("*.txt"), new FilterExpression("*", false))
                )
            ),
            Is.EqualTo(1)
        );
        Assert.That(await CountAsync(new FilterExpression(["/d/a.txt", "/d/b.txt"])), Is.EqualTo(2));
        Assert.That(await CountAsync(new FilterExpression(["/d/a.txt", "/d/b.txt"], false)), Is.EqualTo(2), "the two others");
        Assert.That(await CountAsync(new FilterExpression(["/d/?.txt"], false)), Is.EqualTo(2), "the two others");
    }

    [Test]
    [Contract("C 5 ApplyFilterAsync by command")]
    public async Task A_command_of_the_caller_runs_in_the_current_transaction_and_its_failure_is_the_callers()
    {
        var fileset = m_data.Fileset(1000, m_data.File("/a", m_data.Blockset("a", 1)), m_data.File("/b", m_data.Blockset("b", 1)));
        await using var db = await LocalPurgeDatabase.CreateAsync(m_data.Close(), null, s_none);
        await db.Transaction.CommitAsync(s_none);
        await using var temporary = await db.CreateTemporaryFilesetAsync(fileset, s_none);
        var error = new InvalidOperationException("mine");

        Assert.That(
            Assert.ThrowsAsync<InvalidOperationException>(() => temporary.ApplyFilterAsync((_, _, _) => throw error, s_none)),
            Is.SameAs(error)
        );
        await temporary.ApplyFilterAsync(
            (command, id, table) =>
            {
                Assert.That((command.Connection, command.Transaction), Is.EqualTo((db.Connection, db.Transaction.Transaction)));
                return Task.FromResult(7);
            },
            s_none
        );

        Assert.That(
            (temporary.RemovedFileCount, temporary.RemovedFileSize, temporary.UpdatedFileCount, temporary.ParentID),
            Is.EqualTo((0L, 0L, 7L, fileset))
        );
        await temporary.ApplyFilterAsync(new FilterExpression("/a"), s_none);
        Assert.That((temporary.RemovedFileCount, temporary.UpdatedFileCount), Is.EqualTo((1L, 0L)));
    }

    [TestCase(DateTimeKind.Utc, true)]
    [TestCase(DateTimeKind.Local, false)]
    [Contract("C 5 ConvertToPermanentFilesetAsync")]
    public async Task A_rewritten_fileset_keeps_ids_and_times_and_is_not_committed(DateTimeKind kind, bool isFull)
    {
        var (a, b) = (m_data.File("/a", m_data.Blockset("a", 1)), m_data.File("/b", m_data.Blockset("b", 1)));
        var fileset = m_data.Fileset(1000, a, b);
        m_data.Insert("""UPDATE "FilesetEntry" SET "Lastmodified" = 77""");
        await using var db = await LocalPurgeDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var temporary = await db.CreateTemporaryFilesetAsync(fileset, s_none);
        await temporary.ApplyFilterAsync(new FilterExpression("/a"), s_none);
        var time = kind == DateTimeKind.Utc ? DateTime.UnixEpoch.AddSeconds(1001) : DateTime.UnixEpoch.AddSeconds(1001).ToLocalTime();

        var (volume, id) = await temporary.ConvertToPermanentFilesetAsync("new", time, isFull, s_none);

        Assert.That(
            db.Connection.Scalar($"""SELECT "VolumeID" || ' ' || "Timestamp" || ' ' || "IsFullBackup" FROM "Fileset" WHERE "ID" = {id}"""),
            Is.EqualTo($"{volume} 1001 {(isFull ? 1 : 0)}")
        );
        Assert.That(
            db.Connection.Scalar($"""SELECT "FileID" || ' ' || "Lastmodified" FROM "FilesetEntry" WHERE "FilesetID" = {id}"""),
            Is.EqualTo($"{b} 77")
        );
        Assert.That(
            db.Connection.Scalar(
                """SELECT o."Description" || v."Type" || v."State" FROM "Remotevolume" v JOIN "Operation" o ON o."ID" = v."OperationID" WHERE v."Name" = 'new'"""
            ),
            Is.EqualTo("PurgeFilesTemporary")
        );
        Assert.That(m_data.Rows("""SELECT COUNT(*) FROM "Fileset" """), Is.EqualTo(new[] { "1" }));
    }

    private static Task AddAsync(
        LocalListChangesDatabase.IStorageHelper storage,
        bool asNew,
        string path,
        ListChangesElementType type,
        string meta = "m"
    ) =>
        storage.AddElementAsync(
            path,
            type == ListChangesElementType.File ? "h" : null!,
            meta,
            type == ListChangesElementType.File ? 1 : -1,
            type,
            asNew,
            false,
            s_none
        );
}
