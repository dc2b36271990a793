// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>Searches and lists of file versions.</summary>
[TestFixture]
public sealed class SearchTests : ListingTestBase
{
    [TestCase(0, 3, 0, 3, 3)]
    [TestCase(3, 3, 1, 3, 3)]
    [TestCase(6, 3, 2, 1, 3)]
    [TestCase(9, 3, 3, 0, 3)]
    [TestCase(1, 1, 1, 1, 7)]
    [TestCase(0, 0, 0, 7, 1)]
    [TestCase(0, -5, 0, 7, 1)]
    [TestCase(-2, 3, 0, 3, 3)]
    [TestCase(0, long.MaxValue, 0, 7, 1)]
    [TestCase(1, long.MaxValue, 0, 6, 1)]
    [Contract("C 11.2 row 1")]
    [Contract("C 11.2 row 2")]
    [Contract("C 11.2 row 3")]
    [Contract("C 11.2 row 4")]
    [Contract("C 11 Q2")]
    [Contract("C 1.11 paging")]
    [Contract("C 11 Q3")]
    [Contract("C 11 Q8")]
    public async Task Every_listing_pages_alike(long offset, long limit, int page, int count, int pages)
    {
        var names = Enumerable.Range(0, 7).Select(i => $"/p/{i}").ToArray();
        var fileset = Data.Fileset(1000, Files(names));
        await using var db = await OpenAsync();
        var prefix = await db.GetPrefixIdsAsync(["/p/"], default).ToListAsync(default);
        var size = limit is <= 0 or > int.MaxValue ? int.MaxValue : (int)limit;

        var folder = await db.ListFolderAsync(prefix, fileset, offset, limit, default);
        var versions = await db.ListFileVersionsAsync(names, null, offset, limit, default);
        var search = await db.SearchEntriesAsync(["/p/"], null!, true, [fileset], false, offset, limit, default);

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
        Assert.That(search.Items.Select(x => x.Path), Is.EqualTo(names.Skip((int)Math.Max(offset, 0)).Take(count)));
        Assert.That(
            search.Items.Select(x => x.Time),
            Is.All.EqualTo(DateTime.UnixEpoch.AddSeconds(1000)).And.All.Property("Kind").EqualTo(DateTimeKind.Utc)
        );
    }

    [Test]
    [Contract("C 11.2 row 5")]
    [Contract("C 11 Q6")]
    public async Task Rules_are_tried_in_written_order_however_they_are_nested()
    {
        Data.Fileset(1000, Files("/one-two-three", "/one-two", "/other"));
        await using var db = await OpenAsync();
        var (one, two, three) = (new FilterExpression("one"), new FilterExpression("two", false), new FilterExpression("three", false));
        var left = new JoinedFilterExpression(new JoinedFilterExpression(one, two), three);
        var right = new JoinedFilterExpression(one, new JoinedFilterExpression(two, three));

        foreach (var filter in new[] { left, right })
            Assert.That(
                (await SearchAsync(db, filter)).Items.Select(x => x.Path),
                Is.EqualTo(new[] { "/one-two", "/one-two-three", "/other" })
            );
    }

    [TestCase("+file", 3)]
    [TestCase("-notes", 5)]
    [TestCase("+file;-file2", 6)]
    [TestCase("+file2;-file", 4)]
    [TestCase("+file2;-*", 1)]
    [Contract("C 1.11")]
    [Contract("C 12 row 1")]
    public async Task The_first_rule_that_fits_decides(string rules, int expected)
    {
        Data.Fileset(
            1000,
            Files("/folder1/", "/folder1/file1.txt", "/folder1/file2.txt", "/folder2/", "/folder2/file3.txt", "/folder2/notes.md")
        );
        await using var db = await OpenAsync();

        Assert.That((await SearchAsync(db, Rules(rules))).TotalCount, Is.EqualTo(expected));
    }

    [TestCase("/folder1/", "+file", 2)]
    [TestCase("/folder1/|/folder2/", "+file;+notes", 3)]
    [TestCase("/folder1", "+file", 0)]
    [TestCase("/", "+file", 0)]
    [Contract("C 1.11")]
    [Contract("C 12 row 1")]
    public async Task A_search_in_folders_finds_what_is_directly_in_them(string folders, string rules, int expected)
    {
        Data.Fileset(
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
        await using var db = await OpenAsync();

        Assert.That(
            (await db.SearchEntriesAsync(folders.Split('|'), Rules(rules), false, [], false, 0, 0, default)).TotalCount,
            Is.EqualTo(expected)
        );
    }

    [TestCase("FILE", false, "/File /file")]
    [TestCase("File", true, "/File")]
    [TestCase("É", false, "/É")]
    [TestCase("e", false, "/E /File /file")]
    [TestCase("*[E]", false, "/E /File /file")]
    [Contract("C 1.11")]
    public async Task Case_counts_when_asked_for_and_beyond_ascii(string text, bool caseSensitive, string expected)
    {
        Data.Fileset(1000, Files("/É", "/é", "/E", "/File", "/file"));
        await using var db = await OpenAsync();

        var found = await db.SearchEntriesAsync(null, new FilterExpression(text), caseSensitive, null, false, 0, 0, default);

        Assert.That(string.Join(' ', found.Items.Select(x => x.Path)), Is.EqualTo(expected));
    }

    [Test]
    [Contract("C 11.2 row 6")]
    [Contract("C 1.11")]
    public async Task Wildcards_have_sets_of_characters_and_texts_are_literal()
    {
        Data.Fileset(1000, Files("/x1", "/[x]1", "/50%_'"));
        await using var db = await OpenAsync();

        Assert.That((await SearchAsync(db, new FilterExpression("*[x]1*"))).Items.Select(x => x.Path), Is.EqualTo(new[] { "/x1" }));
        Assert.That((await SearchAsync(db, new FilterExpression("%_'"))).Items.Select(x => x.Path), Is.EqualTo(new[] { "/50%_'" }));
    }

    [Test]
    [Contract("C 1.11")]
    [Contract("C 11 Q7")]
    public async Task A_filter_without_rules_wants_everything_and_others_have_a_help_id()
    {
        Data.Fileset(1000, Files("/1", "/2"));
        await using var db = await OpenAsync();

        Assert.That((await SearchAsync(db, new FilterExpression())).TotalCount, Is.EqualTo(2));
        Assert.That((await SearchAsync(db, null!)).TotalCount, Is.EqualTo(2));
        foreach (
            var filter in new IFilter[]
            {
                new FilterExpression("[a]"),
                new FilterExpression("[.*]"),
                new JoinedFilterExpression(new FilterExpression("a"), new FilterExpression("[b]")),
                new Foreign(),
            }
        )
            Assert.That(
                () => db.SearchEntriesAsync(null, filter, true, null, false, 0, 0, default),
                Refused.HelpId("FilterTypeNotSupported")
            );
    }

    [Test]
    [Contract("C 1.11")]
    public async Task A_found_entry_is_described_as_it_is_stored()
    {
        var (file, link, folder) = (
            Data.File("/b/f", Data.Blockset("f", 12)),
            Data.File("/b/l", SampleDatabase.Symlink),
            Data.File("/a/d/", SampleDatabase.Folder)
        );
        Data.Fileset(2000, file, link, folder);
        Data.Fileset(1000, file);
        Data.Insert("""UPDATE "FilesetEntry" SET "Lastmodified" = 630822816000000000""");
        await using var db = await OpenAsync();

        var items = (await db.SearchEntriesAsync(null, new FilterExpression("*"), true, null, false, 0, 0, default))
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
    [Contract("C 1.10")]
    [Contract("C 1.11")]
    [Contract("C 0.7")]
    public async Task Folders_and_filesets_restrict_a_search_also_when_many()
    {
        var files = Files([.. Enumerable.Range(0, 10).Select(i => $"/in/{i}"), "/in/sub/deep", "/out/x"]);
        var filesets = Enumerable.Range(0, 151).Select(i => Data.Fileset(1000 + i, files)).ToArray();
        await using var db = await OpenAsync();

        var result = await db.SearchEntriesAsync(["/in/"], new FilterExpression("*"), false, filesets[1..], false, 0, 2000, default);

        Assert.That(result.TotalCount, Is.EqualTo(1500));
        Assert.That(
            result.Items.Take(150).Select(x => (x.Path, x.Version)),
            Is.EqualTo(Enumerable.Range(0, 150).Select(i => ("/in/0", 149L - i)))
        );
        var versions = await db.ListFileVersionsAsync(["0"], filesets[1..], 0, 1000, default);
        Assert.That(versions.Items.Select(x => (x.Path, x.Version)), Is.EqualTo(Enumerable.Range(0, 150).Select(i => ("0", 149L - i))));
    }

    [Test]
    [Contract("C 1.11")]
    public async Task Few_filesets_are_searched_with_the_same_result_as_many([Values(1, 2, 4, 5, 9)] int count)
    {
        var (same, other) = (Files("/same", "/both"), Data.File("/both", Data.Blockset("other", 7)));
        var filesets = Enumerable.Range(0, 10).Select(i => Data.Fileset(1000 + i, same[0], i % 2 == 0 ? same[1] : other)).ToArray();
        await using var db = await OpenAsync();
        var chosen = filesets[3..].Concat(filesets[..3]).Take(count).ToArray();

        var all = await db.SearchEntriesAsync(null, new FilterExpression("*"), false, null, false, 0, 0, default);
        var few = await db.SearchEntriesAsync(null, new FilterExpression("*"), false, chosen, false, 0, 0, default);

        var wanted = chosen.Select(id => filesets.Length - 1L - Array.IndexOf(filesets, id)).ToHashSet();
        Assert.That(few.Items, Is.EqualTo(all.Items.Where(x => wanted.Contains(x.Version))));
        Assert.That(few.TotalCount, Is.EqualTo(2 * count));
        Assert.That((await db.ListFileVersionsAsync(["/both"], chosen, 0, 0, default)).TotalCount, Is.EqualTo(count));
    }

    [Test]
    [Contract("C 11.2 row 8")]
    [Contract("C 1.10")]
    [Contract("C 11 Q2")]
    public async Task Versions_of_a_name_come_from_everywhere_with_the_oldest_first()
    {
        var (first, second) = (Data.File("/a/x", Data.Blockset("a", 1)), Data.File("/b/x", Data.Blockset("b", 2)));
        Data.Fileset(1000, first);
        Data.Fileset(3000, first);
        Data.Fileset(2000, second);
        await using var db = await OpenAsync();

        var versions = await db.ListFileVersionsAsync(["x"], null, 0, 0, default);

        Assert.That(
            versions.Items.Select(x => (x.Path, x.Version, x.Size)),
            Is.EqualTo(new[] { ("x", 2L, 1L), ("x", 1L, 2L), ("x", 0L, 1L) })
        );
        Assert.That(versions.Items.First().Time, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1000)));
    }

    [TestCase("/a/x")]
    [TestCase("/a/x/")]
    [Contract("C 11 Q5")]
    [Contract("C 11 Q3")]
    [Contract("C 1.10")]
    public async Task Versions_are_found_by_full_path_with_or_without_separator(string path)
    {
        Data.Fileset(1000, Files("/a/x", "/b/x"));
        await using var db = await OpenAsync();

        Assert.That((await db.ListFileVersionsAsync([path], null, 0, 0, default)).TotalCount, Is.EqualTo(1));
        Assert.That((await db.ListFileVersionsAsync([], null, 5, 0, default)).PageSize, Is.EqualTo(int.MaxValue));
    }

    [TestCase("/d/x", "x")]
    [TestCase(@"/d/x\", @"x\")]
    [TestCase(@"/d/x\/", @"x\")]
    [TestCase("/d/z", "z")]
    [TestCase(@"C:\d\x", @"x\")]
    [TestCase(@"C:\d\x\", @"x\")]
    [TestCase(@"C:\d\z\", "z")]
    [Contract("C 11 Q3")]
    [Contract("C 1.10")]
    public async Task A_backslash_at_the_end_of_a_path_is_a_separator_on_windows_only(string path, string expected)
    {
        Data.Fileset(1000, Files("/d/x", @"/d/x\", "/d/z", @"C:\d\x\", @"C:\d\z"));
        await using var db = await OpenAsync();

        var versions = await db.ListFileVersionsAsync([path], null, 0, 0, default);

        Assert.That(versions.Items.Select(x => x.Path), Is.EqualTo(new[] { expected }));
    }

    private static Task<IPaginatedResults<ISearchFileVersion>> SearchAsync(LocalListDatabase db, IFilter filter) =>
        db.SearchEntriesAsync(null, filter, false, null, false, 0, 0, default);

    /// <summary>Rules in their order; a sign says whether what fits is wanted.</summary>
    private static IFilter Rules(string rules) =>
        rules
            .Split(';')
            .Select(x => (IFilter)new FilterExpression(x[1..], x[0] == '+'))
            .Aggregate((x, y) => new JoinedFilterExpression(x, y));

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

/// <summary>What tests of listings begin with.</summary>
public abstract class ListingTestBase : SampleTestBase
{
    /// <summary>Opens the sample for listing.</summary>
    private protected Task<LocalListDatabase> OpenAsync() => LocalListDatabase.CreateAsync(Data.Close(), null, default);

    /// <summary>Adds a folder for each path that ends with its separator, and a file of one byte for each other one.</summary>
    private protected long[] Files(params string[] paths) =>
        [.. paths.Select(x => Data.File(x, x[^1] == (x[0] == '/' ? '/' : '\\') ? SampleDatabase.Folder : Data.Blockset(x, 1)))];
}
