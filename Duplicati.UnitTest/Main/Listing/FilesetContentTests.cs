// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>Lists of filesets, of files with their sizes, of folders and of roots.</summary>
[TestFixture]
public sealed class FilesetContentTests
{
    private static readonly DateTime s_anyTime = new(0, DateTimeKind.Unspecified);

    private SampleDatabase m_data = null!;

    [SetUp]
    public void Make() => m_data = new SampleDatabase();

    [TearDown]
    public void Remove() => m_data.Dispose();

    [Test]
    [Contract("C 11.2 row 10")]
    [Contract("C 1.4 SelectFilesAsync")]
    [Contract("C 12 row 11")]
    public async Task Sizes_are_listed_by_path_with_the_newest_fileset_first()
    {
        var (folder, old, changed, added) = (
            m_data.File("/a/", SampleDatabase.Folder),
            m_data.File("/a/x", m_data.Blockset("x1", 5)),
            m_data.File("/a/x", m_data.Blockset("x2", 6)),
            m_data.File("/a/new", m_data.Blockset("n", 1))
        );
        m_data.Fileset(1000, folder, old);
        m_data.Fileset(2000, folder, changed, added);

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
        m_data.Fileset(1000, [.. names.Select(x => m_data.File(x, m_data.Blockset(x, 3)))]);
        names.Sort((x, y) => System.Text.Encoding.UTF8.GetBytes(x).AsSpan().SequenceCompareTo(System.Text.Encoding.UTF8.GetBytes(y)));

        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default);
        var paths = await sets.SelectFilesAsync(new FilterExpression("*"), default).Select(x => x.Path).ToListAsync();

        Assert.That(paths, Is.EqualTo(names));
    }

    [Test]
    [Contract("C 0.5")]
    [Contract("C 1.4 SelectFilesAsync")]
    public async Task A_filtered_listing_records_the_operation_with_what_was_written_before([Values] bool isWritten)
    {
        m_data.Volume("v", state: "Deleted");
        m_data.Fileset(1000, Files("/a/x"));
        await using (var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default))
        await using (var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default))
        {
            if (isWritten)
                await db.UnlinkRemoteVolumeAsync("v", RemoteVolumeState.Deleted, default);
            Assert.That(await sets.SelectFilesAsync(new FilterExpression("*"), default).CountAsync(), Is.EqualTo(1));
        }

        Assert.That(m_data.Rows("""SELECT "Name" FROM "Remotevolume" WHERE "Name" = 'v'"""), Has.Length.EqualTo(isWritten ? 0 : 1));
        Assert.That(m_data.Rows("""SELECT "Description" FROM "Operation" """), isWritten ? Does.Contain("List") : Does.Not.Contain("List"));
    }

    [Test]
    [Contract("C 11.2 row 9")]
    [Contract("C 1.4 SetsAsync")]
    [Contract("C 1.4 QuickSetsAsync")]
    [Contract("C 1.4 TakeFirstAsync")]
    public async Task Counts_are_of_plain_files_in_the_chosen_filesets_and_quick_ones_of_none()
    {
        m_data.Fileset(1000, m_data.File("/a/x", m_data.Blockset("x", 5)));
        m_data.Fileset(2000, m_data.File("/b/", SampleDatabase.Folder));
        m_data.Fileset(3000, m_data.File("/c/y", m_data.Blockset("y", 7)));

        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
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
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);

        Assert.That(
            async () => await db.SelectFileSetsAsync(new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Unspecified), [], default),
            Throws.Exception.With.Message.EqualTo("Invalid DateTime given, must be either local or UTC")
        );
    }

    [Test]
    [Contract("C 1.5")]
    public async Task Extended_counts_are_of_all_entries_in_utc()
    {
        m_data.Fileset(1000, m_data.File("/a/", SampleDatabase.Folder), m_data.File("/a/x", m_data.Blockset("x", 5)));
        m_data.EmptyFileset(2000, 1, isFull: false);

        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        var sets = await db.ListFilesetsExtendedAsync(default).ToListAsync();

        Assert.That(
            sets.Select(x => (x.Version, x.IsFullBackup, x.FileCount, x.FileSizes)),
            Is.EqualTo(new (long, bool?, long?, long?)[] { (0, false, 0, 0), (1, true, 2, 5) })
        );
        Assert.That(sets[1].Time, Is.EqualTo(DateTime.UnixEpoch.AddSeconds(1000)).And.Property("Kind").EqualTo(DateTimeKind.Utc));
    }

    [Test]
    [Contract("C 1.4 SelectFilesAsync")]
    public async Task Sizes_of_a_file_that_changed_often_are_those_of_each_version([Values(2, 4, 5, 9)] int chosen)
    {
        var contents = Enumerable.Range(0, 5).Select(i => m_data.File("/changing", m_data.Blockset($"content {i}", i))).ToArray();
        // In the second version it is missing.
        for (var i = 0; i < 10; i++)
            m_data.Fileset(1000 + i, i == 1 ? m_data.File("/other", SampleDatabase.Folder) : contents[i * 7 % 5]);
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, [.. Enumerable.Range(1, chosen).Select(x => (long)x)], default);

        var file = await sets.SelectFilesAsync(new FilterExpression("/changing"), default).SingleAsync();

        Assert.That(
            await file.SizesAsync(default).ToListAsync(),
            Is.EqualTo(Enumerable.Range(1, chosen).Select(version => version == 8 ? -1L : (9 - version) * 7 % 5))
        );
    }

    [TestCase("/a")]
    [TestCase("/a/")]
    [Contract("C 11.2 row 11")]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task A_folder_holds_its_direct_children_once_and_case_matters(string folder)
    {
        m_data.Fileset(1000, Files("/a/", "/a/x", "/a/sub/deep", "/a/sub/deeper", "/A/y", "/ab/z"));

        Assert.That(
            await SelectAsync(sets => sets.SelectFolderContentsAsync(new FilterExpression("@" + folder), default)),
            Is.EqualTo(new[] { "/a/sub/: -1", "/a/x: 1" })
        );
    }

    [Test]
    [Contract("C 0.10")]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task Folder_contents_are_timed_once_they_are_asked_for()
    {
        m_data.Fileset(1000, Files("/a/x", "/a/y"));
        using var log = new LogCapture();
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default);

        var children = sets.SelectFolderContentsAsync(new FilterExpression("@/a/"), default);
        Assert.That(log.WithId("ListFolderContents"), Is.Empty);
        Assert.That(await children.CountAsync(), Is.EqualTo(2));

        Assert.That(log.Of(LogMessageType.Profiling, "ListFolderContents"), Has.Count.EqualTo(2), "its begin and its end");
    }

    [Test]
    [Contract("C 1.4 SelectFolderContentsAsync")]
    public async Task Folder_contents_need_one_plain_path()
    {
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, [], default);

        Assert.That(
            async () => await sets.SelectFolderContentsAsync(new FilterExpression("/a/*"), default).ToListAsync(),
            Throws.ArgumentException.With.Property("ParamName").EqualTo("filter")
        );
    }

    [Test]
    [Contract("C 1.4 GetLargestPrefixAsync")]
    public async Task The_largest_prefix_is_the_common_folder()
    {
        m_data.Fileset(1000, Files("/a/b/x", "/a/b/xy/", "/a/bc/z"));

        Assert.That(
            await SelectAsync(sets => sets.GetLargestPrefixAsync(new FilterExpression("*"), default)),
            Is.EqualTo(new[] { "/a/: " })
        );
        Assert.That(
            await SelectAsync(sets => sets.GetLargestPrefixAsync(new FilterExpression("/none"), default)),
            Is.EqualTo(new[] { ": " })
        );
    }

    [Test]
    [Contract("C 11.2 row 12")]
    [Contract("C 11 Q1")]
    [Contract("C 1.4 GetLargestPrefixAsync")]
    public async Task Each_drive_and_server_has_a_largest_prefix_of_its_own()
    {
        m_data.Fileset(1000, Files(@"\\s\share\f", @"C:\u\", @"D:\v\w", @"D:\v\x"));

        Assert.That(
            await SelectAsync(sets => sets.GetLargestPrefixAsync(new FilterExpression("*"), default)),
            Is.EqualTo(new[] { @"C:\u\: ", @"D:\v\: ", @"\\s\share\: " })
        );
    }

    [TestCase(@"/a/b\c1|/a/b\c2", "/a/")]
    [TestCase(@"/a/b\|/a/b\c", "/a/")]
    [TestCase(@"C:\a\b1|C:\a\b2", @"C:\a\")]
    [TestCase(@"\\s\share\b1|\\s\share\b2", @"\\s\share\")]
    [Contract("C 1.4 GetLargestPrefixAsync")]
    public async Task A_backslash_ends_the_largest_prefix_on_windows_only(string paths, string expected)
    {
        m_data.Fileset(1000, [.. paths.Split('|').Select(x => m_data.File(x, m_data.Blockset(x, 1)))]);

        Assert.That(
            await SelectAsync(sets => sets.GetLargestPrefixAsync(new FilterExpression("*"), default)),
            Is.EqualTo(new[] { expected + ": " })
        );
    }

    [TestCase(@"/d/x\|/d/x\y", @"/d/x\|/d/x\y")]
    [TestCase(@"/d/x/|/d/x/\y", "/d/x/")]
    [TestCase(@"C:\d\x\|C:\d\x\y", @"C:\d\x\")]
    [TestCase(@"\\s\share\|\\s\share\y", @"\\s\share\")]
    [Contract("C 1.8")]
    public async Task A_backslash_at_the_end_hides_what_begins_with_it_on_windows_only(string paths, string expected)
    {
        var fileset = m_data.Fileset(1000, [.. paths.Split('|').Select(x => m_data.File(x, m_data.Blockset(x, 1)))]);

        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        var roots = await db.GetMinimalUniquePrefixEntriesAsync(fileset, default).Select(x => x.Path).ToListAsync();

        Assert.That(roots, Is.EqualTo(expected.Split('|')));
    }

    [Test]
    [Contract("C 11.2 row 7")]
    [Contract("C 11 Q4")]
    [Contract("C 1.8")]
    public async Task Roots_are_hidden_by_folders_only()
    {
        var fileset = m_data.Fileset(1000, Files("/a/file", "/a/file2", "/b/", "/b/c"));

        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        var roots = await db.GetMinimalUniquePrefixEntriesAsync(fileset, default).Select(x => x.Path).ToListAsync();

        Assert.That(roots, Is.EqualTo(new[] { "/a/file", "/a/file2", "/b/" }));
    }

    [Test]
    [Contract("C 1.7")]
    [Contract("C 11 Q8")]
    [Contract("C 11 Q3")]
    public async Task A_folder_is_paged_with_its_true_total()
    {
        var fileset = m_data.Fileset(1000, Files("/b/1", "/a/2", "/a/1", "/a/3"));

        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
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
    public async Task Entries_of_a_folder_have_their_kind_length_and_time()
    {
        var (old, file, lost) = (
            m_data.File("/a/file", m_data.Blockset("x", 5)),
            m_data.File("/a/file", m_data.Blockset("y", 6)),
            m_data.File("/a/lost", 4711)
        );
        var (folder, link) = (m_data.File("/a/folder/", SampleDatabase.Folder), m_data.File("/a/link", SampleDatabase.Symlink));
        m_data.Fileset(1000, old);
        var fileset = m_data.Fileset(2000, file, folder, lost);
        m_data.Insert("""INSERT INTO "FilesetEntry" ("FilesetID", "FileID", "Lastmodified") VALUES (?1, ?2, 77)""", fileset, link);

        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
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
        var bad = m_data.File(
            "/bad",
            SampleDatabase.Folder,
            m_data.Insert("""INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, '{"a":1}')""")
        );
        var good = m_data.File(
            "/good",
            SampleDatabase.Folder,
            m_data.Insert("""INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (1, '{"a":"b","c":null}')""")
        );
        m_data.Fileset(1000, bad, good);

        using var log = new LogCapture();
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        var metadata = await db.GetMetadataForFilesetIdsAsync([good, bad, 999], default);

        Assert.That(metadata.Keys, Is.EqualTo(new[] { good }));
        Assert.That(metadata[good], Is.EqualTo(new Dictionary<string, string?> { ["a"] = "b", ["c"] = null }));
        Assert.That(log.WarningsAndErrors.Select(x => x.Id), Is.EqualTo(new[] { "InvalidMetadata" }));
    }

    private static string Text(LocalListDatabase.IFileset x) =>
        $"{x.Version} {new DateTimeOffset(x.Time).ToUnixTimeSeconds()} {x.FileCount}/{x.FileSizes}";

    private long[] Files(params string[] paths) =>
        [.. paths.Select(x => m_data.File(x, x[^1] is '/' or '\\' ? SampleDatabase.Folder : m_data.Blockset(x, 1)))];

    private async Task<string[]> SelectAsync(Func<LocalListDatabase.IFileSets, IAsyncEnumerable<LocalListDatabase.IFileversion>> select)
    {
        await using var db = await LocalListDatabase.CreateAsync(m_data.Close(), null, default);
        await using var sets = await db.SelectFileSetsAsync(s_anyTime, null!, default);
        var result = new List<string>();
        await foreach (var file in select(sets))
            result.Add($"{file.Path}: {string.Join(',', await file.SizesAsync(default).ToListAsync())}");
        return [.. result];
    }
}
