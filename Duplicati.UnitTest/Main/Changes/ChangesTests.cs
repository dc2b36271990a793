// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Changes;

/// <summary>Comparisons of two lists of entries.</summary>
[TestFixture]
public sealed class ChangesTests
{
    private TestFolder m_folder = null!;
    private LocalListChangesDatabase m_db = null!;

    [SetUp]
    public async Task Open()
    {
        m_folder = new TestFolder();
        m_db = await LocalListChangesDatabase.CreateAsync(m_folder.File("local.sqlite"), null, default);
    }

    [TearDown]
    public void Close()
    {
        m_db.Dispose();
        m_folder.Dispose();
    }

    [Test]
    [Contract("C 4 counts")]
    [Contract("C 4 sizes")]
    [Contract("C 4 AddElementAsync")]
    [Contract("C 11.2 row 13")]
    [Contract("C 11 Q11")]
    public async Task Sizes_and_counts_are_by_path()
    {
        await using var storage = await m_db.CreateStorageHelperAsync(default);
        await AddAsync(
            storage,
            false,
            ("/a/", null, "m", -1, ListChangesElementType.Folder),
            ("/a/x", "h", "m", 6, ListChangesElementType.File),
            ("/a/gone", "g", "m", 7, ListChangesElementType.File)
        );
        await AddAsync(
            storage,
            true,
            ("/a/", null, "m2", -1, ListChangesElementType.Folder),
            ("/b/", null, "m", -1, ListChangesElementType.Folder),
            ("/a/x", "h2", "m", 6, ListChangesElementType.File),
            ("/b/1", "1", "m", 5, ListChangesElementType.File),
            ("/b/2", "2", "m", 7, ListChangesElementType.File)
        );

        var sizes = await storage.CreateChangeSizeReportAsync(default);
        var counts = await storage.CreateChangeCountReportAsync(default);

        Assert.That((sizes.PreviousSize, sizes.CurrentSize, sizes.AddedSize, sizes.DeletedSize), Is.EqualTo((12L, 16L, 11L, 7L)));
        Assert.That(
            (counts.AddedFolders, counts.AddedFiles, counts.DeletedFiles, counts.ModifiedFolders, counts.ModifiedFiles),
            Is.EqualTo((1L, 2L, 1L, 1L, 1L))
        );
        Assert.That(counts.AddedSymlinks + counts.DeletedFolders + counts.DeletedSymlinks + counts.ModifiedSymlinks, Is.Zero);
    }

    [Test]
    [Contract("C 11.2 row 14")]
    [Contract("C 4 CreateChangedFileReportAsync")]
    public async Task A_folder_that_becomes_a_file_is_one_modified_file()
    {
        await using var storage = await m_db.CreateStorageHelperAsync(default);
        await AddAsync(storage, false, ("/p", null, "m", -1, ListChangesElementType.Folder));
        await AddAsync(storage, true, ("/p", "h", "m", 1, ListChangesElementType.File));

        var report = storage.CreateChangedFileReportAsync(default);

        var expected = new[] { Tuple.Create(ListChangesChangeType.Modified, ListChangesElementType.File, "/p") };
        Assert.That(await report.ToListAsync(), Is.EqualTo(expected));
        Assert.That(await report.ToListAsync(), Is.EqualTo(expected), "a second time");
    }

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
    public async Task Random_lists_that_grow_between_reports_compare_as_two_dictionaries_do()
    {
        var random = new Random(LongRun.Seed());
        await using var storage = await m_db.CreateStorageHelperAsync(default);
        Dictionary<string, Entry> previous = [],
            current = [];
        for (var round = 0; round < 12; round++)
        {
            for (var i = random.Next(6); i > 0; i--)
            {
                var asNew = random.Next(2) == 0;
                var entry = new Entry(
                    $"/{random.Next(40)}",
                    random.Next(4) == 0 ? null : $"h{random.Next(2)}",
                    $"m{random.Next(2)}",
                    random.Next(-1, 9),
                    (ListChangesElementType)random.Next(3)
                );
                if ((asNew ? current : previous).TryAdd(entry.Path, entry))
                    await AddAsync(storage, asNew, (entry.Path, entry.Hash, entry.Meta, entry.Size, entry.Type));
            }

            await AssertReports(storage, previous, current);
        }
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
            await storage.CreateChangedFileReportAsync(default).Select(x => x.Item3).ToListAsync(),
            Is.EquivalentTo(added.Concat(deleted).Concat(modified).Select(x => x.Path))
        );
    }

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
}
