// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Main.Changes;

/// <summary>Comparisons of two lists of entries.</summary>
[TestFixture]
public sealed class ChangesTests : FolderTestBase
{
    private LocalListChangesDatabase m_db = null!;

    [SetUp]
    public async Task Open() => m_db = await LocalListChangesDatabase.CreateAsync(Folder.File("local.sqlite"), null, default);

    [TearDown]
    public void Close() => m_db.Dispose();

    [Test]
    [Contract("C 4 disposal")]
    public async Task Disposal_takes_the_lists_away_even_after_a_commit()
    {
        var storage = await m_db.CreateStorageHelperAsync(default);
        await m_db.Transaction.CommitAsync(default);
        await storage.DisposeAsync();
        await storage.DisposeAsync();

        Assert.That(
            m_db.Connection.Scalar("SELECT name FROM sqlite_temp_master WHERE name LIKE 'Previous%' OR name LIKE 'Current%'"),
            Is.Null
        );
    }

    [Test]
    [Contract("C 4 AddFromDbAsync")]
    public async Task A_fileset_is_taken_over_by_filter()
    {
        using var data = new SampleDatabase();
        var metadata = data.Metadata(data.Blockset("m", 3));
        var files = new[]
        {
            data.File("/a", data.Blockset("a", 10), metadata),
            data.File("/b", data.Blockset("b", 20), metadata),
            data.File("/l", SampleDatabase.Symlink, metadata),
            data.File("/no-metadata", data.Blockset("c", 40)),
        };
        var fileset = data.Fileset(1000, files);
        await using var db = await LocalListChangesDatabase.CreateAsync(data.Close(), null, default);

        foreach (
            var (filter, size) in new (IFilter Filter, long Size)[]
            {
                (new FilterExpression(), 29),
                (new FilterExpression("/a"), 10),
                (new FilterExpression("/a", false), 19),
                (new FilterExpression("/?"), 29),
            }
        )
        {
            await using var storage = await db.CreateStorageHelperAsync(default);
            await storage.AddFromDbAsync(fileset, true, filter, default);
            Assert.That((await storage.CreateChangeSizeReportAsync(default)).CurrentSize, Is.EqualTo(size), filter.ToString());
        }
    }

    [Test]
    [Contract("C 4 AddFromDbAsync")]
    public async Task Folders_and_links_have_no_hash_and_no_size_and_entries_without_metadata_are_left_out()
    {
        using var data = new SampleDatabase();
        var metadata = data.Metadata(data.Blockset("m", 3));
        var fileset = data.Fileset(
            1000,
            data.File("/folder/", SampleDatabase.Folder, metadata),
            data.File("/link", SampleDatabase.Symlink, metadata),
            data.File("/file", data.Blockset("f", 10), metadata),
            data.File("/no-set", data.Blockset("g", 20), 99),
            data.File("/no-blockset", data.Blockset("h", 40), data.Metadata(98)),
            data.File("/no-data", 97, metadata)
        );
        await using var db = await LocalListChangesDatabase.CreateAsync(data.Close(), null, default);
        await using var storage = await db.CreateStorageHelperAsync(default);
        foreach (
            var (path, hash, size, type) in new[]
            {
                ("/folder/", (string?)null, -1L, ListChangesElementType.Folder),
                ("/link", null, -1, ListChangesElementType.Symlink),
                ("/file", SampleDatabase.Hash("f"), 10L, ListChangesElementType.File),
            }
        )
            await storage.AddElementAsync(path, hash!, SampleDatabase.Hash("m"), size, type, false, false, default);

        await storage.AddFromDbAsync(fileset, true, new FilterExpression(), default);

        Assert.That(await storage.CreateChangedFileReportAsync(default).ToListAsync(default), Is.Empty);
        Assert.That((await storage.CreateChangeSizeReportAsync(default)).CurrentSize, Is.EqualTo(8));
    }

    [Test]
    [Contract("C 4 CreateChangedFileReportAsync")]
    [Contract("C 4 counts")]
    public async Task Changes_come_in_the_fixed_order_each_kind_in_the_order_it_was_entered()
    {
        await using var storage = await m_db.CreateStorageHelperAsync(default);
        var kinds = new[] { ListChangesElementType.File, ListChangesElementType.Symlink, ListChangesElementType.Folder };
        foreach (var name in new[] { "z", "a" })
        foreach (var kind in kinds)
        {
            await AddOfKindAsync(storage, true, $"/added/{kind}/{name}", kind);
            await AddOfKindAsync(storage, false, $"/deleted/{kind}/{name}", kind);
            await AddOfKindAsync(storage, false, $"/modified/{kind}/{name}", kind, "before");
            await AddOfKindAsync(storage, true, $"/modified/{kind}/{name}", kind, "after");
            await AddOfKindAsync(storage, false, $"/same/{kind}/{name}", kind);
            await AddOfKindAsync(storage, true, $"/same/{kind}/{name}", kind);
        }

        var report = await storage.CreateChangedFileReportAsync(default).Select(x => x.Item3).ToListAsync(default);
        var counts = await storage.CreateChangeCountReportAsync(default);

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

    [Test]
    [Contract("C 4 disposal")]
    [Contract("C 11 Q20")]
    public async Task Disposal_of_a_comparison_rolls_back_does_not_commit_and_leaves_the_write_lock_free()
    {
        var storage = await m_db.CreateStorageHelperAsync(default);
        m_db.Connection.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('a', 'b')""");

        storage.Dispose();
        storage.Dispose();
        await storage.DisposeAsync();

        Assert.That(m_db.Connection.Scalar("""SELECT COUNT(*) FROM "Configuration" """), Is.EqualTo("0"));
        await m_db.Transaction.RollBackAsync(default);
        using var other = new SqliteConnection($"Data Source={Folder.File("local.sqlite")};Pooling=false;Default Timeout=1");
        other.Open();
        Assert.That(() => other.Execute("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('c', 'd')"""), Throws.Nothing);
    }

    [Test]
    [Contract("C 4 disposal")]
    public async Task A_comparison_may_be_disposed_after_its_database()
    {
        var storage = await m_db.CreateStorageHelperAsync(default);
        await storage.AddElementAsync("/f", "h", "m", 5, ListChangesElementType.File, false, false, default);
        await m_db.DisposeAsync();

        Assert.That(storage.Dispose, Throws.Nothing);
        Assert.That(Folder.Files(), Is.EqualTo(new[] { "local.sqlite" }), "nothing keeps the database open");
    }

    [Test]
    [Contract("C 4 counts")]
    [Contract("C 4 sizes")]
    [Contract("C 4 AddElementAsync")]
    [Contract("C 11.2 row 13")]
    [Contract("C 11.2 row 14")]
    [Contract("C 11 Q11")]
    public async Task Random_lists_that_grow_between_reports_compare_as_two_dictionaries_do()
    {
        var random = new Random(LongRun.Seed());
        await using var storage = await m_db.CreateStorageHelperAsync(default);
        Dictionary<string, Entry> previous = [],
            current = [];
        for (var round = 0; round < 12; round++)
        {
            await AssertReports(storage, previous, current);
            for (var i = random.Next(80); i > 0; i--)
            {
                var asNew = random.Next(2) == 0;
                var entry = new Entry(
                    $"/{random.Next(200)}",
                    random.Next(4) == 0 ? null : $"h{random.Next(2)}",
                    $"m{random.Next(2)}",
                    random.Next(-1, 9),
                    (ListChangesElementType)random.Next(3)
                );
                if ((asNew ? current : previous).TryAdd(entry.Path, entry))
                    await AddAsync(storage, asNew, (entry.Path, entry.Hash, entry.Meta, entry.Size, entry.Type));
            }
        }

        await AssertReports(storage, previous, current);
    }

    private static async Task AssertReports(
        LocalListChangesDatabase.IStorageHelper storage,
        Dictionary<string, Entry> previous,
        Dictionary<string, Entry> current
    )
    {
        var added = current.Values.Where(x => !previous.ContainsKey(x.Path)).ToList();
        var deleted = previous.Values.Where(x => !current.ContainsKey(x.Path)).ToList();
        var modified = current.Values.Where(x => previous.TryGetValue(x.Path, out var old) && x.DiffersFrom(old)).ToList();
        var counts = await storage.CreateChangeCountReportAsync(default);
        var sizes = await storage.CreateChangeSizeReportAsync(default);

        Assert.That(new[] { counts.AddedFolders, counts.AddedSymlinks, counts.AddedFiles }, Is.EqualTo(Counts(added)));
        Assert.That(new[] { counts.DeletedFolders, counts.DeletedSymlinks, counts.DeletedFiles }, Is.EqualTo(Counts(deleted)));
        Assert.That(new[] { counts.ModifiedFolders, counts.ModifiedSymlinks, counts.ModifiedFiles }, Is.EqualTo(Counts(modified)));
        Assert.That(
            new[] { sizes.AddedSize, sizes.DeletedSize, sizes.PreviousSize, sizes.CurrentSize },
            Is.EqualTo(new[] { added, deleted, [.. previous.Values], [.. current.Values] }.Select(x => x.Sum(y => y.Size)))
        );
        Assert.That(
            await storage.CreateChangedFileReportAsync(default).ToListAsync(),
            Is.EquivalentTo(
                Of(ListChangesChangeType.Added, added)
                    .Concat(Of(ListChangesChangeType.Deleted, deleted))
                    .Concat(Of(ListChangesChangeType.Modified, modified))
            )
        );
    }

    private static IEnumerable<Tuple<ListChangesChangeType, ListChangesElementType, string>> Of(
        ListChangesChangeType change,
        IEnumerable<Entry> entries
    ) => entries.Select(x => Tuple.Create(change, x.Type, x.Path));

    private static IEnumerable<long> Counts(List<Entry> entries) =>
        Enumerable.Range(0, 3).Select(type => (long)entries.Count(x => (int)x.Type == type));

    private sealed record Entry(string Path, string? Hash, string Meta, long Size, ListChangesElementType Type)
    {
        internal bool DiffersFrom(Entry old) =>
            (Hash is not null && old.Hash is not null && Hash != old.Hash) || Meta != old.Meta || Type != old.Type;
    }

    private static async Task AddAsync(
        LocalListChangesDatabase.IStorageHelper storage,
        bool asNew,
        params (string Path, string? Hash, string Meta, long Size, ListChangesElementType Type)[] entries
    )
    {
        foreach (var (path, hash, meta, size, type) in entries)
            await storage.AddElementAsync(path, hash!, meta, size, type, asNew, false, default);
    }

    private static Task AddOfKindAsync(
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
            default
        );
}
