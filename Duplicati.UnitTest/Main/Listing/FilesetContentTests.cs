// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>Lists of filesets, of files with their sizes, of folders and of roots.</summary>
[TestFixture]
public sealed class FilesetContentTests : ListingTestBase
{
    private static readonly DateTime s_anyTime = new(0, DateTimeKind.Unspecified);

    [Test]
    [Contract("C 11.2 row 10")]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 12 row 11")]
    public async Task Sizes_are_listed_by_path_with_the_newest_fileset_first()
    {
        var (folder, old, changed, added) = (
            Data.File("/a/", SampleDatabase.Folder),
            Data.File("/a/x", Data.Blockset("x1", 5)),
            Data.File("/a/x", Data.Blockset("x2", 6)),
            Data.File("/a/new", Data.Blockset("n", 1))
        );
        Data.Fileset(1000, folder, old);
        Data.Fileset(2000, folder, changed, added);

        Assert.That(
            await SelectAsync(sets => sets.SelectFilesAsync(new FilterExpression("*"), default)),
            Is.EqualTo(new[] { "/a/: -1,-1", "/a/new: 1,-1", "/a/x: 6,5" })
        );
        Assert.That(
            await SelectAsync(sets => sets.SelectFilesAsync(new FilterExpression("/a/x"), default)),
            Is.EqualTo(new[] { "/a/x: 6,5" })
        );
    }

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 11 Q19")]
    public async Task Many_matching_files_come_in_binary_order_whether_sizes_are_read_or_not()
    {
        var names = Enumerable.Range(0, 1500).Select(i => $"/f/{i}").Append("/f/\U0001F600").Append("/f/\uFFFD").ToList();
        Data.Fileset(1000, [.. names.Select(x => Data.File(x, Data.Blockset(x, 3)))]);
        names.Sort((x, y) => System.Text.Encoding.UTF8.GetBytes(x).AsSpan().SequenceCompareTo(System.Text.Encoding.UTF8.GetBytes(y)));

        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default);
        var paths = await sets.SelectFilesAsync(new FilterExpression("*"), default).Select(x => x.Path).ToListAsync();

        Assert.That(paths, Is.EqualTo(names));
    }

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 12 row 11")]
    public async Task Paths_with_wildcard_characters_are_found_by_their_names_and_others_by_patterns()
    {
        Data.Fileset(1000, Files("/w/a*b", "/w/a?b", "/w/axb", "/w/ayyb", "/w/[c]", "/w/50%"));
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(default, [], default);
        async Task<string> FindAsync(IFilter filter) =>
            string.Join(' ', await sets.SelectFilesAsync(filter, default).Select(x => x.Path).ToListAsync(default));

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
        Data.Fileset(1000, Files("/old"));
        Data.Fileset(2000, Files("/middle"));
        Data.Fileset(3000, Files("/new"));
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(default, [1, 2], default);
        var stream = sets.SelectFilesAsync(new FilterExpression("*"), default);
        async Task<string> ReadAsync() => string.Join(' ', await stream.Select(x => x.Path).ToListAsync(default));

        Assert.That(await ReadAsync(), Is.EqualTo("/middle /old"));
        await sets.TakeFirstAsync(default);
        Assert.That(await ReadAsync(), Is.EqualTo("/middle"));
        Assert.That(await sets.SetsAsync(default).Select(x => x.Version).ToListAsync(default), Is.EqualTo(new[] { 1L }));
    }

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 0.8 leaving early")]
    public async Task A_stream_of_many_files_goes_on_while_rows_are_written_and_others_are_read_and_may_be_left()
    {
        Data.Fileset(1000, Files([.. Enumerable.Range(0, 1200).Select(i => $"/f/{i:0000}")]));
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(default, [], default);
        var seen = 0;
        await foreach (var file in sets.SelectFilesAsync(new FilterExpression("*"), default))
        {
            if (seen++ % 300 != 0)
                continue;
            Assert.That(await file.SizesAsync(default).SingleAsync(default), Is.EqualTo(1));
            Assert.That((await sets.SelectFilesAsync(new FilterExpression("*0"), default).FirstAsync(default)).Path, Is.EqualTo("/f/0000"));
            db.Connection.Execute($"""INSERT INTO "PathPrefix" ("Prefix") VALUES ('/{seen}/')""");
            await (seen % 2 == 0 ? db.Transaction.CommitAsync(default) : db.Transaction.RollBackAsync(default));
        }

        Assert.That(seen, Is.EqualTo(1200));
    }

    [Test]
    [Contract("C 0.5")]
    [Contract("C 1.4 SelectFilesAsync")]
    public async Task A_filtered_listing_records_the_operation_with_what_was_written_before([Values] bool isWritten)
    {
        Data.Volume("v", state: "Deleted");
        Data.Fileset(1000, Files("/a/x"));
        await using (var db = await OpenAsync())
        await using (var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default))
        {
            if (isWritten)
                await db.UnlinkRemoteVolumeAsync("v", RemoteVolumeState.Deleted, default);
            Assert.That(await sets.SelectFilesAsync(new FilterExpression("*"), default).CountAsync(), Is.EqualTo(1));
        }

        Assert.That(Data.Rows("""SELECT "Name" FROM "Remotevolume" WHERE "Name" = 'v'"""), Has.Length.EqualTo(isWritten ? 0 : 1));
        Assert.That(Data.Rows("""SELECT "Description" FROM "Operation" """), isWritten ? Does.Contain("List") : Does.Not.Contain("List"));
    }

    [Test]
    [Contract("C 11.2 row 9")]
    [Contract("C 1.4 SetsAsync")]
    [Contract("C 1.4 QuickSetsAsync")]
    [Contract("C 1.4 TakeFirstAsync")]
    public async Task Counts_are_of_plain_files_in_the_chosen_filesets_and_quick_ones_of_none()
    {
        Data.Fileset(1000, Data.File("/a/x", Data.Blockset("x", 5)));
        Data.Fileset(2000, Data.File("/b/", SampleDatabase.Folder));
        Data.Fileset(3000, Data.File("/c/y", Data.Blockset("y", 7)));

        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, [0, 1], default);

        Assert.That(await sets.SetsAsync(default).Select(Text).ToListAsync(), Is.EqualTo(new[] { "0 3000 1/7", "1 2000 -1/-1" }));
        Assert.That(
            await sets.QuickSetsAsync(default).Select(Text).ToListAsync(),
            Is.EqualTo(new[] { "0 3000 -1/-1", "1 2000 -1/-1", "2 1000 -1/-1" })
        );
        await sets.TakeFirstAsync(default);
        Assert.That(await sets.SetsAsync(default).Select(Text).ToListAsync(), Is.EqualTo(new[] { "0 3000 1/7" }));
    }

    [Test]
    [Contract("C 0.9")]
    [Contract("C 1.3")]
    public async Task A_time_of_unspecified_kind_is_refused()
    {
        await using var db = await OpenAsync();

        Assert.That(
            async () => await db.SelectFileSetsAsync(new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Unspecified), [], default),
            Throws.Exception.With.Message.EqualTo("Invalid DateTime given, must be either local or UTC")
        );
    }

    [Test]
    [Contract("C 1.5")]
    public async Task Extended_counts_are_of_all_entries_in_utc_and_only_a_full_backup_is_full()
    {
        Data.Fileset(1000, Data.File("/a/", SampleDatabase.Folder), Data.File("/a/x", Data.Blockset("x", 5)));
        Data.EmptyFileset(2000, 1, isFull: false);
        Data.Insert("""INSERT INTO "Fileset" ("OperationID", "VolumeID", "IsFullBackup", "Timestamp") VALUES (1, 3, 2, 3000)""");
        await using var db = await OpenAsync();

        var sets = await db.ListFilesetsExtendedAsync(default).ToListAsync();

        Assert.That(
            sets.Select(x => (x.Version, x.IsFullBackup, x.FileCount, x.FileSizes)),
            Is.EqualTo(new (long, bool?, long?, long?)[] { (0, false, 0, 0), (1, false, 0, 0), (2, true, 2, 5) })
        );
        Assert.That(sets[2].Time, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1000)).And.Property("Kind").EqualTo(DateTimeKind.Utc));
    }

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    public async Task Sizes_of_a_file_that_changed_often_are_those_of_each_version([Values(2, 4, 5, 9)] int chosen)
    {
        var contents = Enumerable.Range(0, 5).Select(i => Data.File("/changing", Data.Blockset($"content {i}", i))).ToArray();
        // In the second version it is missing.
        for (var i = 0; i < 10; i++)
            Data.Fileset(1000 + i, i == 1 ? Data.File("/other", SampleDatabase.Folder) : contents[i * 7 % 5]);
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, [.. Enumerable.Range(1, chosen).Select(x => (long)x)], default);

        var file = await sets.SelectFilesAsync(new FilterExpression("/changing"), default).SingleAsync();

        Assert.That(
            await file.SizesAsync(default).ToListAsync(),
            Is.EqualTo(Enumerable.Range(1, chosen).Select(version => version == 8 ? -1L : (9 - version) * 7 % 5))
        );
    }

    [TestCase(null, "/A/: -1|/a/: -1|/ab/: -1|/top: 1")]
    [TestCase("/a", "/a/b/: -1|/a/x: 1")]
    [TestCase("/a/", "/a/b/: -1|/a/x: 1")]
    [TestCase("/a/b/", "/a/b/y: 1|/a/b/z: 1")]
    [TestCase(@"C:\u", @"C:\u\v\: -1|C:\u\z: 1")]
    [TestCase(@"c:\u", "")]
    [TestCase("/none", "")]
    [Contract("C 11.2 row 11")]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task A_folder_or_the_top_has_its_children_once_in_the_separator_of_its_path(string? folder, string expected)
    {
        Data.Fileset(1000, Files("/a/", "/a/x", "/a/b/y", "/a/b/z", "/A/y", "/ab/z", "/top", @"C:\u\", @"C:\u\z", @"C:\u\v\w"));
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(default, [], default);

        foreach (
            var filter in folder is null
                ? new IFilter[] { null!, new FilterExpression() }
                : [new FilterExpression(folder), new FilterExpression("@" + folder, false)]
        )
        {
            var found = new List<string>();
            await foreach (var child in sets.SelectFolderContentsAsync(filter, default))
                found.Add($"{child.Path}: {await child.SizesAsync(default).SingleAsync(default)}");
            Assert.That(string.Join('|', found), Is.EqualTo(expected));
        }
    }

    [Test]
    [Contract("C 0.10")]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task Folder_contents_are_timed_once_they_are_asked_for()
    {
        Data.Fileset(1000, Files("/a/x", "/a/y"));
        using var log = new LogCapture();
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default);

        var children = sets.SelectFolderContentsAsync(new FilterExpression("@/a/"), default);
        Assert.That(log.WithId("ListFolderContents"), Is.Empty);
        Assert.That(await children.CountAsync(), Is.EqualTo(2));

        Assert.That(log.Of(LogMessageType.Profiling, "ListFolderContents"), Has.Count.EqualTo(2), "its begin and its end");
    }

    [Test]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task A_filter_that_names_no_single_folder_is_refused_when_the_first_item_is_asked_for()
    {
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(default, [], default);
        foreach (
            var filter in new IFilter[]
            {
                new FilterExpression("/a*"),
                new FilterExpression("/a/*"),
                new FilterExpression(["/a", "/b"]),
                new FilterExpression("[x]"),
                new JoinedFilterExpression(new FilterExpression("/a"), new FilterExpression("/b")),
            }
        )
        {
            var stream = sets.SelectFolderContentsAsync(filter, default);
            var ex = Assert.ThrowsAsync<ArgumentException>(async () => await stream.ToListAsync(default));
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
    [TestCase("/a/b/x|/a/b/xy/|/a/bc/z", "/a/")]
    [TestCase(@"\\s\share\f|C:\u\|D:\v\w|D:\v\x", @"C:\u\|D:\v\|\\s\share\")]
    // A backslash ends a prefix on Windows only.
    [TestCase(@"/a/b\c1|/a/b\c2", "/a/")]
    [TestCase(@"/a/b\|/a/b\c", "/a/")]
    [TestCase(@"C:\a\b1|C:\a\b2", @"C:\a\")]
    [TestCase(@"\\s\share\b1|\\s\share\b2", @"\\s\share\")]
    [Contract("C 11.2 row 12")]
    [Contract("C 1.4 GetLargestPrefixAsync")]
    [Contract("C 11 Q1")]
    public async Task The_largest_prefixes_have_no_sizes(string paths, string expected)
    {
        Data.Fileset(1000, Files(paths.Split('|')));
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(default, [], default);

        var prefixes = await sets.GetLargestPrefixAsync(new FilterExpression("*"), default).ToListAsync(default);

        Assert.That(string.Join('|', prefixes.Select(x => x.Path)), Is.EqualTo(expected));
        foreach (var prefix in prefixes)
            Assert.That(await prefix.SizesAsync(default).ToListAsync(default), Is.Empty);
        Assert.That(
            await sets.GetLargestPrefixAsync(null!, default).Select(x => x.Path).FirstAsync(default),
            Is.EqualTo(prefixes[0].Path),
            "no filter wants all"
        );
        Assert.That(
            await sets.GetLargestPrefixAsync(new FilterExpression("/none"), default).Select(x => x.Path).ToListAsync(default),
            Is.EqualTo(new[] { "" }),
            "nothing has none"
        );
    }

    [TestCase(@"/d/x\|/d/x\y", @"/d/x\|/d/x\y")]
    [TestCase(@"/d/x/|/d/x/\y", "/d/x/")]
    [TestCase(@"C:\d\x\|C:\d\x\y", @"C:\d\x\")]
    [TestCase(@"\\s\share\|\\s\share\y", @"\\s\share\")]
    [Contract("C 1.8")]
    public async Task A_backslash_at_the_end_hides_what_begins_with_it_on_windows_only(string paths, string expected)
    {
        var fileset = Data.Fileset(1000, [.. paths.Split('|').Select(x => Data.File(x, Data.Blockset(x, 1)))]);

        await using var db = await OpenAsync();
        var roots = await db.GetMinimalUniquePrefixEntriesAsync(fileset, default).Select(x => x.Path).ToListAsync();

        Assert.That(roots, Is.EqualTo(expected.Split('|')));
    }

    [Test]
    [Contract("C 11.2 row 7")]
    [Contract("C 11 Q4")]
    [Contract("C 1.8")]
    public async Task Roots_are_hidden_by_folders_only()
    {
        var fileset = Data.Fileset(1000, Files("/a/file", "/a/file2", "/b/", "/b/c"));

        await using var db = await OpenAsync();
        var roots = await db.GetMinimalUniquePrefixEntriesAsync(fileset, default).Select(x => x.Path).ToListAsync();

        Assert.That(roots, Is.EqualTo(new[] { "/a/file", "/a/file2", "/b/" }));
    }

    [Test]
    [Contract("C 1.6")]
    public async Task Prefixes_are_compared_exactly_and_unknown_ones_passed_over()
    {
        await using var db = await OpenAsync();
        db.Connection.Execute("""INSERT INTO "PathPrefix" ("ID", "Prefix") VALUES (1, '/a/'), (2, '/A/'), (3, ''), (4, '/b/')""");

        Assert.That(
            await db.GetPrefixIdsAsync(["/A/", "/a", "/b/", "/none/", ""], default).ToListAsync(default),
            Is.EquivalentTo(new[] { 2L, 3L, 4L })
        );
        Assert.That(await db.GetPrefixIdsAsync([], default).ToListAsync(default), Is.Empty);
    }

    [Test]
    [Contract("C 1.7")]
    [Contract("C 11 Q8")]
    [Contract("C 11 Q3")]
    public async Task A_folder_is_paged_with_its_true_total()
    {
        var fileset = Data.Fileset(1000, Files("/b/1", "/a/2", "/a/1", "/a/3"));

        await using var db = await OpenAsync();
        var prefixes = await db.GetPrefixIdsAsync(["/b/", "/none/", "/a/"], default).ToListAsync();
        var page = await db.ListFolderAsync(prefixes, fileset, 2, 2, default);

        Assert.That(page.Items.Select(x => x.Path), Is.EqualTo(new[] { "/a/3", "/b/1" }));
        Assert.That((page.Page, page.PageSize, page.TotalPages, page.TotalCount), Is.EqualTo((1, 2, 2, 4L)));
        Assert.That(
            async () => await db.ListFolderAsync(prefixes, fileset, 1, 0, default),
            Throws.ArgumentException.With.Property("ParamName").EqualTo("offset")
        );
        var none = await db.ListFolderAsync([], fileset, 0, 0, default);
        Assert.That((none.Page, none.PageSize, none.TotalPages, none.TotalCount), Is.EqualTo((0, int.MaxValue, 0, 0L)));
    }

    [Test]
    [Contract("C 1.7")]
    [Contract("C 11 Q3")]
    public async Task An_empty_question_gives_page_0_of_none_and_the_rule_about_offsets_comes_first_only_for_folders()
    {
        await using var db = await OpenAsync();

        var folder = await db.ListFolderAsync([], 1, 20, 10, default);
        var versions = await db.ListFileVersionsAsync(null!, null, 20, 10, default);
        Assert.That((folder.Page, folder.PageSize, folder.TotalPages, folder.TotalCount), Is.EqualTo((0, 10, 0, 0L)));
        Assert.That((versions.Page, versions.PageSize, versions.TotalPages, versions.TotalCount), Is.EqualTo((0, 10, 0, 0L)));
        Assert.That(folder.Items, Is.Empty);
        var ex = Assert.ThrowsAsync<ArgumentException>(() => db.ListFolderAsync([], 1, 1, 0, default));
        Assert.That((ex!.ParamName, ex.Message), Is.EqualTo(("offset", "Cannot use offset without limit specified. (Parameter 'offset')")));
        Assert.That(async () => await db.ListFileVersionsAsync([], null, 1, 0, default), Throws.Nothing);
        Assert.That(async () => await db.ListFileVersionsAsync(["x"], null, 1, 0, default), Throws.ArgumentException);
        Assert.That(
            async () => await db.SearchEntriesAsync(null, new FilterExpression("x"), true, null, false, 1, -1, default),
            Throws.ArgumentException
        );
    }

    [Test]
    [Contract("C 1.7")]
    public async Task Entries_of_a_folder_have_their_kind_length_and_time()
    {
        var (old, file, lost) = (
            Data.File("/a/file", Data.Blockset("x", 5)),
            Data.File("/a/file", Data.Blockset("y", 6)),
            Data.File("/a/lost", 4711)
        );
        var (folder, link) = (Data.File("/a/folder/", SampleDatabase.Folder), Data.File("/a/link", SampleDatabase.Symlink));
        Data.Fileset(1000, old);
        var fileset = Data.Fileset(2000, file, folder, lost);
        Data.Insert("""INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (?1, ?2, 77)""", fileset, link);

        await using var db = await OpenAsync();
        var page = await db.ListFolderAsync(await db.GetPrefixIdsAsync(["/a/"], default).ToListAsync(), fileset, 0, 0, default);

        var noTime = new DateTime(0, DateTimeKind.Utc);
        Assert.That(
            page.Items,
            Is.EqualTo(
                new[]
                {
                    new LocalListDatabase.FolderEntry(file, "/a/file", 6, false, false, noTime, null),
                    new LocalListDatabase.FolderEntry(folder, "/a/folder/", -1, true, false, noTime, null),
                    new LocalListDatabase.FolderEntry(link, "/a/link", -1, false, true, noTime.AddTicks(77), null),
                    new LocalListDatabase.FolderEntry(lost, "/a/lost", -1, false, false, noTime, null),
                }
            )
        );
    }

    [Test]
    [Contract("C 1.9")]
    public async Task Unreadable_metadata_is_skipped_with_a_warning()
    {
        var bad = Data.File(
            "/bad",
            SampleDatabase.Folder,
            Data.Insert("""INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, '{"a":1}')""")
        );
        var good = Data.File(
            "/good",
            SampleDatabase.Folder,
            Data.Insert("""INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, '{"a":"b","c":null}')""")
        );
        Data.Fileset(1000, bad, good);

        using var log = new LogCapture();
        await using var db = await OpenAsync();
        var metadata = await db.GetMetadataForFilesetIdsAsync([good, bad, 999], default);

        Assert.That(metadata.Keys, Is.EqualTo(new[] { good }));
        Assert.That(metadata[good], Is.EqualTo(new Dictionary<string, string?> { ["a"] = "b", ["c"] = null }));
        Assert.That(log.WarningsAndErrors.Select(x => x.Id), Is.EqualTo(new[] { "InvalidMetadata" }));
    }

    private static string Text(LocalListDatabase.IFileset x) =>
        $"{x.Version} {new DateTimeOffset(x.Time).ToUnixTimeSeconds()} {x.FileCount}/{x.FileSizes}";

    private async Task<string[]> SelectAsync(Func<LocalListDatabase.IFileSets, IAsyncEnumerable<LocalListDatabase.IFileversion>> select)
    {
        await using var db = await OpenAsync();
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default);
        var result = new List<string>();
        await foreach (var file in select(sets))
            result.Add($"{file.Path}: {string.Join(',', await file.SizesAsync(default).ToListAsync())}");
        return [.. result];
    }
}
