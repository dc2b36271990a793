// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.ContractTests;

/// <summary>What the listings promise beside their answers: when they run, what they take and refuse, how they count pages.</summary>
[TestFixture]
public sealed class C01ListingTests
{
    private static readonly CancellationToken s_none = CancellationToken.None;

    private SampleDatabase m_data = null!;

    [SetUp]
    public void Make() => m_data = new SampleDatabase();

    [TearDown]
    public void Remove() => m_data.Dispose();

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 12 row 11")]
    public async Task Paths_with_wildcard_characters_are_found_by_their_names_and_others_by_patterns()
    {
        m_data.Fileset(1000, Files("/w/a*b", "/w/a?b", "/w/axb", "/w/ayyb", "/w/[c]", "/w/50%"));
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var sets = await db.SelectFileSetsAsync(default, [], s_none);
        async Task<string> FindAsync(IFilter filter) =>
            string.Join(' ', await sets.SelectFilesAsync(filter, s_none).Select(x => x.Path).ToListAsync(s_none));

        Assert.That(await FindAsync(new FilterExpression("@/w/a*b")), Is.EqualTo("/w/a*b"));
        Assert.That(await FindAsync(new FilterExpression("@/w/a?b")), Is.EqualTo("/w/a?b"));
        Assert.That(await FindAsync(new FilterExpression("/w/a*b")), Is.EqualTo("/w/a*b /w/a?b /w/axb /w/ayyb"));
        Assert.That(await FindAsync(new FilterExpression("/w/a?b")), Is.EqualTo("/w/a*b /w/a?b /w/axb"));
        Assert.That(await FindAsync(new FilterExpression("[.*/\\[c\\]]")), Is.EqualTo("/w/[c]"));
        Assert.That(await FindAsync(new FilterExpression("*%")), Is.EqualTo("/w/50%"));
        Assert.That(
            await FindAsync(new JoinedFilterExpression(new FilterExpression("*/axb", false), new FilterExpression("*x*"))),
            Is.EqualTo("/w/50% /w/[c] /w/a*b /w/a?b /w/ayyb")
        );
        Assert.That(await FindAsync(new FilterExpression()), Is.EqualTo("/w/50% /w/[c] /w/a*b /w/a?b /w/axb /w/ayyb"));
    }

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 1.4 TakeFirstAsync")]
    public async Task Only_paths_of_the_chosen_filesets_are_listed_and_the_choice_counts_when_the_stream_begins()
    {
        m_data.Fileset(1000, Files("/old"));
        m_data.Fileset(2000, Files("/middle"));
        m_data.Fileset(3000, Files("/new"));
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var sets = await db.SelectFileSetsAsync(default, [1, 2], s_none);
        var stream = sets.SelectFilesAsync(new FilterExpression("*"), s_none);
        async Task<string> ReadAsync() => string.Join(' ', await stream.Select(x => x.Path).ToListAsync(s_none));

        Assert.That(await ReadAsync(), Is.EqualTo("/middle /old"));
        await sets.TakeFirstAsync(s_none);
        Assert.That(await ReadAsync(), Is.EqualTo("/middle"));
        Assert.That(await sets.SetsAsync(s_none).Select(x => x.Version).ToListAsync(s_none), Is.EqualTo(new[] { 1L }));
    }

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 0.8 leaving early")]
    public async Task A_stream_of_many_files_goes_on_while_rows_are_written_and_others_are_read_and_may_be_left()
    {
        m_data.Fileset(1000, Files([.. Enumerable.Range(0, 1200).Select(i => $"/f/{i:0000}")]));
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var sets = await db.SelectFileSetsAsync(default, [], s_none);
        var seen = 0;
        await foreach (var file in sets.SelectFilesAsync(new FilterExpression("*"), s_none))
        {
            if (seen++ % 300 != 0)
                continue;
            Assert.That(await file.SizesAsync(s_none).SingleAsync(s_none), Is.EqualTo(1));
            Assert.That((await sets.SelectFilesAsync(new FilterExpression("*0"), s_none).FirstAsync(s_none)).Path, Is.EqualTo("/f/0000"));
            db.Connection.Execute($"""INSERT INTO "PathPrefix" ("Prefix") VALUES ('/{seen}/')""");
            await (seen % 2 == 0 ? db.Transaction.CommitAsync(s_none) : db.Transaction.RollBackAsync(s_none));
        }

        Assert.That(seen, Is.EqualTo(1200));
    }

    [TestCase(null, "/a/: -1|/top: 1")]
    [TestCase("/a", "/a/b/: -1|/a/x: 1")]
    [TestCase("/a/b/", "/a/b/y: 1")]
    [TestCase(@"C:\u", @"C:\u\v\: -1|C:\u\z: 1")]
    [TestCase(@"c:\u", "")]
    [TestCase("/none", "")]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task A_folder_or_the_top_has_its_children_in_the_separator_of_its_path(string? folder, string expected)
    {
        m_data.Fileset(1000, Files("/a/", "/a/x", "/a/b/y", "/top", @"C:\u\", @"C:\u\z", @"C:\u\v\w"));
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var sets = await db.SelectFileSetsAsync(default, [], s_none);

        foreach (
            var filter in folder is null
                ? new IFilter[] { null!, new FilterExpression() }
                : [new FilterExpression(folder), new FilterExpression("@" + folder, false)]
        )
        {
            var found = new List<string>();
            await foreach (var child in sets.SelectFolderContentsAsync(filter, s_none))
                found.Add($"{child.Path}: {await child.SizesAsync(s_none).SingleAsync(s_none)}");
            Assert.That(string.Join('|', found), Is.EqualTo(expected));
        }
    }

    [Test]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task A_filter_that_names_no_single_folder_is_refused_when_the_first_item_is_asked_for()
    {
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var sets = await db.SelectFileSetsAsync(default, [], s_none);
        foreach (
            var filter in new IFilter[]
            {
                new FilterExpression("/a*"),
                new FilterExpression(["/a", "/b"]),
                new FilterExpression("[x]"),
                new JoinedFilterExpression(new FilterExpression("/a"), new FilterExpression("/b")),
            }
        )
        {
            var stream = sets.SelectFolderContentsAsync(filter, s_none);
            var ex = Assert.ThrowsAsync<ArgumentException>(async () => await stream.ToListAsync(s_none));
            Assert.That(ex!.ParamName, Is.EqualTo("filter"));
            Assert.That(ex.Message, Does.StartWith("Filter for list-folder-contents must be a path prefix with no wildcards"));
        }
    }

    [TestCase("/a/b/c", "/a/b/")]
    [TestCase("/a/b/", "/a/b/")]
    [TestCase("/a/b/|/a/b/c|/a/bc", "/a/")]
    [TestCase("/a|/b", "/")]
    [TestCase(@"C:\u\a|C:\v\b", @"C:\")]
    [TestCase(@"\\s\x\a|\\t\x\b", @"\\s\x\|\\t\x\")]
    [TestCase(@"D:\b\c|\\s\x\a|C:\a\b|D:\b\d", @"C:\a\|D:\b\|\\s\x\")]
    [Contract("C 1.4 GetLargestPrefixAsync")]
    [Contract("C 11 Q1")]
    public async Task The_largest_prefixes_have_no_sizes(string paths, string expected)
    {
        m_data.Fileset(1000, Files(paths.Split('|')));
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        await using var sets = await db.SelectFileSetsAsync(default, [], s_none);

        var prefixes = await sets.GetLargestPrefixAsync(new FilterExpression("*"), s_none).ToListAsync(s_none);

        Assert.That(string.Join('|', prefixes.Select(x => x.Path)), Is.EqualTo(expected));
        Assert.That(await prefixes[0].SizesAsync(s_none).ToListAsync(s_none), Is.Empty);
        Assert.That(
            await sets.GetLargestPrefixAsync(null!, s_none).Select(x => x.Path).FirstAsync(s_none),
            Is.EqualTo(prefixes[0].Path),
            "no filter wants all"
        );
    }

    [Test]
    [Contract("C 1.6")]
    public async Task Prefixes_are_compared_exactly_and_unknown_ones_passed_over()
    {
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        db.Connection.Execute("""INSERT INTO "PathPrefix" ("ID", "Prefix") VALUES (1, '/a/'), (2, '/A/'), (3, ''), (4, '/b/')""");

        Assert.That(
            await db.GetPrefixIdsAsync(["/A/", "/a", "/b/", "/none/", ""], s_none).ToListAsync(s_none),
            Is.EquivalentTo(new[] { 2L, 3L, 4L })
        );
        Assert.That(await db.GetPrefixIdsAsync([], s_none).ToListAsync(s_none), Is.Empty);
    }

    [Test]
    [Contract("C 1.7")]
    [Contract("C 11 Q3")]
    public async Task An_empty_question_gives_page_0_of_none_and_the_rule_about_offsets_comes_first_only_for_folders()
    {
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);

        var folder = await db.ListFolderAsync([], 1, 20, 10, s_none);
        var versions = await db.ListFileVersionsAsync(null!, null, 20, 10, s_none);
        Assert.That((folder.Page, folder.PageSize, folder.TotalPages, folder.TotalCount), Is.EqualTo((0, 10, 0, 0L)));
        Assert.That((versions.Page, versions.PageSize, versions.TotalPages, versions.TotalCount), Is.EqualTo((0, 10, 0, 0L)));
        Assert.That(folder.Items, Is.Empty);
        var ex = Assert.ThrowsAsync<ArgumentException>(() => db.ListFolderAsync([], 1, 1, 0, s_none));
        Assert.That((ex!.ParamName, ex.Message), Is.EqualTo(("offset", "Cannot use offset without limit specified. (Parameter 'offset')")));
        Assert.That(async () => await db.ListFileVersionsAsync([], null, 1, 0, s_none), Throws.Nothing);
        Assert.That(async () => await db.ListFileVersionsAsync(["x"], null, 1, 0, s_none), Throws.ArgumentException);
        Assert.That(
            async () => await db.SearchEntriesAsync(null, new FilterExpression("x"), true, null, false, 1, -1, s_none),
            Throws.ArgumentException
        );
    }

    [TestCase(0, 3, 0, 3, 3)]
    [TestCase(3, 3, 1, 3, 3)]
    [TestCase(6, 3, 2, 1, 3)]
    [TestCase(9, 3, 3, 0, 3)]
    [TestCase(0, 0, 0, 7, 1)]
    [TestCase(0, -5, 0, 7, 1)]
    [TestCase(-2, 3, 0, 3, 3)]
    [TestCase(0, long.MaxValue, 0, 7, 1)]
    [TestCase(1, long.MaxValue, 0, 6, 1)]
    [Contract("C 1.11 paging")]
    [Contract("C 11 Q3")]
    [Contract("C 11 Q8")]
    public async Task Every_listing_pages_alike(long offset, long limit, int page, int count, int pages)
    {
        var names = Enumerable.Range(0, 7).Select(i => $"/p/{i}").ToArray();
        var fileset = m_data.Fileset(1000, Files(names));
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        var prefix = await db.GetPrefixIdsAsync(["/p/"], s_none).ToListAsync(s_none);
        var size = limit is <= 0 or > int.MaxValue ? int.MaxValue : (int)limit;

        var folder = await db.ListFolderAsync(prefix, fileset, offset, limit, s_none);
        var versions = await db.ListFileVersionsAsync(names, null, offset, limit, s_none);
        var search = await db.SearchEntriesAsync(["/p/"], null!, true, [fileset], false, offset, limit, s_none);

        Assert.That(
            (folder.Page, folder.PageSize, folder.TotalPages, folder.TotalCount, folder.Items.Count()),
            Is.EqualTo((page, size, pages, 7L, count))
        );
        Assert.That(
            (versions.Page, versions.PageSize, versions.TotalPages, versions.TotalCount, versions.Items.Count()),
            Is.EqualTo((page, size, pages, 7L, count))
        );
        Assert.That(
            (search.Page, search.PageSize, search.TotalPages, search.TotalCount, search.Items.Count()),
            Is.EqualTo((page, size, pages, 7L, count))
        );
    }

    [TestCase("/folder1/", "+file", 2)]
    [TestCase("/folder1/|/folder2/", "+file;+notes", 3)]
    [TestCase("/folder1", "+file", 0)]
    [TestCase("/", "+file", 0)]
    [Contract("C 1.11")]
    [Contract("C 12 row 1")]
    public async Task A_search_in_folders_finds_what_is_directly_in_them(string folders, string rules, int expected)
    {
        m_data.Fileset(
            1000,
            Files(
                "/folder1/file1.txt",
                "/folder1/file2.txt",
                "/folder2/notes.md",
                "/folder2/image.png",
                "/folder1/sub/file3.txt",
                "/other.txt"
            )
        );
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        var filter = rules
            .Split(';')
            .Select(x => (IFilter)new FilterExpression(x[1..], x[0] == '+'))
            .Aggregate((x, y) => new JoinedFilterExpression(x, y));

        Assert.That(
            (await db.SearchEntriesAsync(folders.Split('|'), filter, false, [], false, 0, 0, s_none)).TotalCount,
            Is.EqualTo(expected)
        );
    }

    [Test]
    [Contract("C 1.11")]
    public async Task A_found_entry_is_described_as_it_is_stored()
    {
        var (file, link, folder) = (
            m_data.File("/b/f", m_data.Blockset("f", 12)),
            m_data.File("/b/l", SampleDatabase.Symlink),
            m_data.File("/a/d/", SampleDatabase.Folder)
        );
        m_data.Fileset(2000, file, link, folder);
        m_data.Fileset(1000, file);
        m_data.Insert("""UPDATE "FilesetEntry" SET "Lastmodified" = 630822816000000000""");
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);

        var items = (await db.SearchEntriesAsync(null, new FilterExpression("*"), true, null, false, 0, 0, s_none))
            .Items.Cast<SearchFileVersion>()
            .ToList();

        Assert.That(
            items.Select(x => (x.FileId, x.Path, x.Version, x.Size, x.IsDirectory, x.IsSymlink)),
            Is.EqualTo(
                new[]
                {
                    (folder, "/a/d/", 0L, 0L, true, false),
                    (file, "/b/f", 1L, 12L, false, false),
                    (file, "/b/f", 0L, 12L, false, false),
                    (link, "/b/l", 0L, 0L, false, true),
                }
            )
        );
        Assert.That(items.Select(x => x.LastModified), Is.All.EqualTo(new DateTime(2000, 1, 1, 0, 0, 0, DateTimeKind.Utc)));
        Assert.That(items.Select(x => x.Time), Is.All.Property("Kind").EqualTo(DateTimeKind.Utc));
        Assert.That(items.Select(x => x.Metadata), Is.All.Null);
    }

    [Test]
    [Contract("C 1.11")]
    [Contract("C 11 Q7")]
    public async Task Filters_that_a_search_cannot_understand_have_a_help_id()
    {
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        foreach (
            var filter in new IFilter[]
            {
                new FilterExpression("[a]"),
                new JoinedFilterExpression(new FilterExpression("a"), new FilterExpression("[b]")),
                new Foreign(),
            }
        )
        {
            var ex = Assert.ThrowsAsync<UserInformationException>(() =>
                db.SearchEntriesAsync(null, filter, true, null, false, 0, 0, s_none)
            );
            Assert.That(ex!.HelpID, Is.EqualTo("FilterTypeNotSupported"));
        }
    }

    [Test]
    [Contract("C 1.11")]
    public async Task Letters_beyond_ascii_keep_their_case_in_a_search()
    {
        m_data.Fileset(1000, Files("/É", "/é", "/E"));
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);
        async Task<string> FindAsync(string text) =>
            string.Join(
                ' ',
                (await db.SearchEntriesAsync(null, new FilterExpression(text), false, null, false, 0, 0, s_none)).Items.Select(x => x.Path)
            );

        Assert.That((await FindAsync("É"), await FindAsync("e"), await FindAsync("*[E]")), Is.EqualTo(("/É", "/E", "/E")));
    }

    [Test]
    [Contract("C 1.5")]
    public async Task Only_a_full_backup_is_full()
    {
        m_data.EmptyFileset(1000, 1, isFull: true);
        m_data.EmptyFileset(2000, 2, isFull: false);
        m_data.Insert("""INSERT INTO "Fileset" ("OperationID", "VolumeID", "IsFullBackup", "Timestamp") VALUES (1, 3, 2, 3000)""");
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, s_none);

        var sets = await db.ListFilesetsExtendedAsync(s_none).ToListAsync(s_none);

        Assert.That(
            sets.Select(x => (x.Version, x.IsFullBackup, x.FileCount, x.FileSizes)),
            Is.EqualTo(new (long, bool?, long?, long?)[] { (0, false, 0, 0), (1, false, 0, 0), (2, true, 0, 0) })
        );
    }

    private long[] Files(params string[] paths) =>
        [.. paths.Select(x => m_data.File(x, x[^1] is '/' or '\\' ? SampleDatabase.Folder : m_data.Blockset(x, 1)))];

    private sealed class Foreign : IFilter
    {
        public bool Empty => false;

        public bool Matches(string entry, out bool result, out IFilter? match)
        {
            (result, match) = (true, this);
            return true;
        }
    }
}
