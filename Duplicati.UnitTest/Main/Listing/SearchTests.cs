// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>Searches and lists of file versions.</summary>
[TestFixture]
public sealed class SearchTests
{
    private SampleDatabase m_data = null!;

    [SetUp]
    public void Make() => m_data = new SampleDatabase();

    [TearDown]
    public void Remove() => m_data.Dispose();

    [Test]
    [Contract("C 11.2 row 1")]
    [Contract("C 11.2 row 2")]
    [Contract("C 11.2 row 3")]
    [Contract("C 11.2 row 4")]
    [Contract("C 11 Q2")]
    [Contract("C 11 Q3")]
    [Contract("C 11 Q8")]
    [Contract("C 1.11 paging")]
    public async Task Every_page_has_the_true_total()
    {
        m_data.Fileset(1700001000, Files("/1", "/2", "/3", "/4", "/5"));
        await using var db = await OpenAsync();

        var all = await SearchAsync(db, new FilterExpression("/"));
        var last = await SearchAsync(db, new FilterExpression("/"), 4, 2);
        var single = await SearchAsync(db, new FilterExpression("/"), 1, 1);

        Assert.That((all.Page, all.PageSize, all.TotalPages, all.TotalCount), Is.EqualTo((0, int.MaxValue, 1, 5L)));
        Assert.That((last.Page, last.PageSize, last.TotalPages, last.TotalCount), Is.EqualTo((2, 2, 3, 5L)));
        Assert.That((single.Page, single.PageSize, single.TotalPages, single.TotalCount), Is.EqualTo((1, 1, 5, 5L)));
        Assert.That(last.Items.Select(x => x.Path), Is.EqualTo(new[] { "/5" }));
        Assert.That(
            last.Items.Single().Time,
            Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1700001000)).And.Property("Kind").EqualTo(DateTimeKind.Utc)
        );
    }

    [Test]
    [Contract("C 11.2 row 5")]
    [Contract("C 11 Q6")]
    public async Task Rules_are_tried_in_written_order_however_they_are_nested()
    {
        m_data.Fileset(1000, Files("/one-two-three", "/one-two", "/other"));
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
        m_data.Fileset(
            1000,
            Files("/folder1/", "/folder1/file1.txt", "/folder1/file2.txt", "/folder2/", "/folder2/file3.txt", "/folder2/notes.md")
        );
        await using var db = await OpenAsync();
        var filter = rules
            .Split(';')
            .Select(x => (IFilter)new FilterExpression(x[1..], x[0] == '+'))
            .Aggregate((x, y) => new JoinedFilterExpression(x, y));

        Assert.That((await SearchAsync(db, filter)).TotalCount, Is.EqualTo(expected));
    }

    [Test]
    [Contract("C 1.11")]
    public async Task Case_counts_only_when_asked_for()
    {
        m_data.Fileset(1000, Files("/File", "/file"));
        await using var db = await OpenAsync();

        Assert.That(
            (await db.SearchEntriesAsync(null, new FilterExpression("FILE"), false, null, false, 0, 0, default)).TotalCount,
            Is.EqualTo(2)
        );
        Assert.That(
            (await db.SearchEntriesAsync(null, new FilterExpression("File"), true, null, false, 0, 0, default)).TotalCount,
            Is.EqualTo(1)
        );
    }

    [Test]
    [Contract("C 11.2 row 6")]
    [Contract("C 1.11")]
    public async Task Wildcards_have_sets_of_characters_and_texts_are_literal()
    {
        m_data.Fileset(1000, Files("/x1", "/[x]1", "/50%_'"));
        await using var db = await OpenAsync();

        Assert.That((await SearchAsync(db, new FilterExpression("*[x]1*"))).Items.Select(x => x.Path), Is.EqualTo(new[] { "/x1" }));
        Assert.That((await SearchAsync(db, new FilterExpression("%_'"))).Items.Select(x => x.Path), Is.EqualTo(new[] { "/50%_'" }));
    }

    [Test]
    [Contract("C 11 Q7")]
    [Contract("C 1.11")]
    public async Task A_filter_without_rules_wants_everything_and_others_are_refused()
    {
        m_data.Fileset(1000, Files("/1", "/2"));
        await using var db = await OpenAsync();

        Assert.That((await SearchAsync(db, new FilterExpression())).TotalCount, Is.EqualTo(2));
        Assert.That((await SearchAsync(db, null!)).TotalCount, Is.EqualTo(2));
        Assert.That(
            async () => await SearchAsync(db, new FilterExpression("[.*]")),
            Throws.TypeOf<UserInformationException>().With.Matches<UserInformationException>(x => x.HelpID == "FilterTypeNotSupported")
        );
    }

    [Test]
    [Contract("C 1.11 metadata")]
    public async Task Metadata_names_count_when_asked_for()
    {
        var metadata = m_data.Insert(
            """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, '{"o365:DisplayName":"Quarterly","other":"Secret"}')"""
        );
        m_data.Fileset(1000, m_data.File("/mail", SampleDatabase.Folder, metadata), m_data.File("/none", SampleDatabase.Folder, 0));
        await using var db = await OpenAsync();

        Assert.That(
            (await db.SearchEntriesAsync(null, new FilterExpression("quarter"), false, null, true, 0, 0, default)).Items.Select(x =>
                x.Path
            ),
            Is.EqualTo(new[] { "/mail" })
        );
        Assert.That(
            (await db.SearchEntriesAsync(null, new FilterExpression("quarter"), false, null, false, 0, 0, default)).TotalCount,
            Is.Zero
        );
        Assert.That(
            (await db.SearchEntriesAsync(null, new FilterExpression("secret"), false, null, true, 0, 0, default)).TotalCount,
            Is.Zero
        );
    }

    [Test]
    [Contract("C 1.11")]
    [Contract("C 0.7")]
    public async Task Folders_and_filesets_restrict_a_search_also_when_many()
    {
        var files = Files([.. Enumerable.Range(0, 10).Select(i => $"/in/{i}"), "/in/sub/deep", "/out/x"]);
        var filesets = Enumerable.Range(0, 151).Select(i => m_data.Fileset(1000 + i, files)).ToArray();
        await using var db = await OpenAsync();

        var result = await db.SearchEntriesAsync(["/in/"], new FilterExpression("*"), false, filesets[1..], false, 0, 2000, default);

        Assert.That(result.TotalCount, Is.EqualTo(1500));
        Assert.That(
            result.Items.Take(150).Select(x => (x.Path, x.Version)),
            Is.EqualTo(Enumerable.Range(0, 150).Select(i => ("/in/0", 149L - i)))
        );
    }

    [Test]
    [Contract("C 1.11")]
    public async Task Few_filesets_are_searched_with_the_same_result_as_many([Values(1, 2, 4, 5, 9)] int count)
    {
        var (same, other) = (Files("/same", "/both"), m_data.File("/both", m_data.Blockset("other", 7)));
        var filesets = Enumerable.Range(0, 10).Select(i => m_data.Fileset(1000 + i, same[0], i % 2 == 0 ? same[1] : other)).ToArray();
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
        var (first, second) = (m_data.File("/a/x", m_data.Blockset("a", 1)), m_data.File("/b/x", m_data.Blockset("b", 2)));
        m_data.Fileset(1000, first);
        m_data.Fileset(3000, first);
        m_data.Fileset(2000, second);
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
        m_data.Fileset(1000, Files("/a/x", "/b/x"));
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
        m_data.Fileset(1000, Files("/d/x", @"/d/x\", "/d/z", @"C:\d\x\", @"C:\d\z"));
        await using var db = await OpenAsync();

        var versions = await db.ListFileVersionsAsync([path], null, 0, 0, default);

        Assert.That(versions.Items.Select(x => x.Path), Is.EqualTo(new[] { expected }));
    }

    private async Task<LocalListDatabase> OpenAsync() => await LocalListDatabase.CreateAsync(m_data.Close(), null, default);

    private static Task<IPaginatedResults<ISearchFileVersion>> SearchAsync(
        LocalListDatabase db,
        IFilter filter,
        long offset = 0,
        long limit = 0
    ) => db.SearchEntriesAsync(null, filter, false, null, false, offset, limit, default);

    private long[] Files(params string[] paths) =>
        [.. paths.Select(x => m_data.File(x, x[^1] is '/' or '\\' ? SampleDatabase.Folder : m_data.Blockset(x, 1)))];
}
