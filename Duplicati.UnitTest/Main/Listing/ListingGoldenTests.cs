// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>What real Duplicati printed about its backups, made anew from their databases.</summary>
[TestFixture]
public sealed class ListingGoldenTests : FolderTestBase
{
    // Older releases listed the newest version only.
    private static IEnumerable<string[]> Finds =>
        GoldenData.Outputs("find-all", "find-all-by-109").Where(x => GoldenCommand.Find(x[0], x[1])!.Listed("paths"));

    private static IEnumerable<string[]> FilesetLists => GoldenData.Outputs("list-filesets");

    [TestCaseSource(nameof(Finds))]
    [Contract("C 12 row 11")]
    public async Task Find_prints_the_same(string set, string name)
    {
        await using var db = await OpenListAsync(set);
        await using var sets = await db.SelectFileSetsAsync(new DateTime(0), null!, default);

        var filesets = await sets.SetsAsync(default).ToListAsync();
        var found = new List<string>();
        await foreach (var file in sets.SelectFilesAsync(new FilterExpression("*"), default))
        {
            var sizes = await file.SizesAsync(default).ToListAsync();
            found.Add(
                GoldenText.Block(file.Path!, sizes.Select((size, i) => (filesets[i].Version, filesets[i].Time, GoldenText.Size(size))))
            );
        }

        Assert.That(found, Is.EqualTo(GoldenText.Blocks(GoldenCommand.Facts<FindFacts>(set, name))));
    }

    [TestCaseSource(nameof(FilesetLists))]
    [Contract("C 1.5")]
    [Contract("C 12 row 14")]
    public async Task List_filesets_prints_the_same(string set, string name)
    {
        await using var db = await OpenListAsync(set);
        var filesets = await db.ListFilesetsExtendedAsync(default).ToListAsync();

        var versions = filesets.Select(x => new VersionFacts(
            x.Version,
            GoldenText.Time(x.Time),
            x.FileCount,
            GoldenText.Size(x.FileSizes!.Value),
            x.IsFullBackup
        ));

        Assert.That(versions, Is.EqualTo(GoldenCommand.Facts<VersionFacts[]>(set, name)));
    }

    [TestCase("folder-top", "/data/tree1/", 0)]
    [TestCase("folder-names", "/data/tree1/names/", 0)]
    [TestCase("folder-docs-v1", "/data/tree1/docs/", 1)]
    [TestCase("folder-root", null, 0)]
    [Contract("C 1.7")]
    [Contract("C 12 row 14")]
    public async Task Folders_print_the_same(string name, string? folder, int version)
    {
        await using var db = await OpenListAsync("a-plain-1k");
        var fileset = (await db.FilesetTimesAsync(default).ToListAsync())[version].Key;

        var entries = folder is null
            ? await db.GetMinimalUniquePrefixEntriesAsync(fileset, default).ToListAsync()
            : [.. (await db.ListFolderAsync(await db.GetPrefixIdsAsync([folder], default).ToListAsync(), fileset, 0, 0, default)).Items];

        Assert.That(
            entries.Select(x => new[] { x.Path, x.IsDirectory ? "directory" : GoldenText.Size(x.Size) }),
            Is.EqualTo(GoldenCommand.Facts<string[][]>("a-plain-1k", name))
        );
    }

    [Test]
    [Contract("C 1.11")]
    public async Task Searches_print_the_same_but_for_the_time()
    {
        await using var db = await OpenListAsync("a-plain-1k");
        var filter = new JoinedFilterExpression(new FilterExpression("*blocklists*"), new FilterExpression("*", false));
        var everywhere = await db.SearchEntriesAsync(null, filter, false, null, false, 0, 0, default);
        var newest = (await db.FilesetTimesAsync(default).ToListAsync())[0].Key;
        var inFolder = await db.SearchEntriesAsync(
            ["/data/tree1/docs/"],
            new FilterExpression("*.txt"),
            false,
            [newest],
            false,
            0,
            0,
            default
        );

        Assert.That(Print(everywhere.Items), Is.EqualTo(Searched("search-include")));
        Assert.That(Print(inFolder.Items), Is.EqualTo(Searched("search-folder-include")));
    }

    [TestCase("affected-dblock")]
    [TestCase("affected-dlist")]
    [TestCase("affected-dindex")]
    [TestCase("affected-unknown")]
    [Contract("C 10 ListAffected")]
    public async Task Affected_files_filesets_and_messages_are_the_same(string name)
    {
        var expected = GoldenCommand.Facts<AffectedFacts>("a-plain-1k", name);
        var volume = GoldenCommand.Find("a-plain-1k", name)!.Arguments[0];
        await using var db = await LocalListAffectedDatabase.CreateAsync(
            GoldenData.UnpackDatabase("a-plain-1k", Folder.Path),
            null,
            default
        );

        var files = await db.GetFilesAsync([volume], default).ToListAsync();
        var filesets = await db.GetFilesetsAsync([volume], default).Select(x => GoldenText.Version(x.Version, x.Time)).ToListAsync();
        var messages = await db.GetLogLinesAsync([volume], default).Select(x => GoldenText.Time(x.Timestamp)).ToListAsync();

        Assert.That(files, Has.Count.EqualTo(expected.Total));
        Assert.That(files.Select(x => x.Path).Take(expected.Shown.Length), Is.EqualTo(expected.Shown));
        Assert.That(filesets, Is.EqualTo(expected.Filesets));
        Assert.That(messages, Is.EquivalentTo(expected.Messages.Select(x => x.Time)));
    }

    [TestCase("compare-1-0", 1, 0)]
    [TestCase("compare-2-1", 2, 1)]
    [TestCase("compare-3-2", 3, 2)]
    [Contract("C 12 row 13")]
    public async Task Comparisons_are_the_same(string name, int from, int to)
    {
        var expected = GoldenCommand.Facts<CompareFacts>("a-plain-1k", name);
        await using var db = await LocalListChangesDatabase.CreateAsync(
            GoldenData.UnpackDatabase("a-plain-1k", Folder.Path),
            null,
            default
        );
        var filesets = await db.FilesetTimesAsync(default).ToListAsync();
        await using var storage = await db.CreateStorageHelperAsync(default);
        await storage.AddFromDbAsync(filesets[from].Key, false, new FilterExpression(), default);
        await storage.AddFromDbAsync(filesets[to].Key, true, new FilterExpression(), default);

        var sizes = await storage.CreateChangeSizeReportAsync(default);
        var changes = await storage
            .CreateChangedFileReportAsync(default)
            .Select(x => new[] { $"{"+-~"[(int)x.Item1]}", x.Item3 })
            .ToListAsync();

        Assert.That(changes, Is.EquivalentTo(expected.Changes));
        Assert.That((from, GoldenText.Size(sizes.PreviousSize)), Is.EqualTo((expected.From.Version, expected.From.Size)));
        Assert.That((to, GoldenText.Size(sizes.CurrentSize)), Is.EqualTo((expected.To.Version, expected.To.Size)));
    }

    private async Task<LocalListDatabase> OpenListAsync(string set) =>
        await LocalListDatabase.CreateAsync(GoldenData.UnpackDatabase(set, Folder.Path), null, default);

    private static List<string> Searched(string name) => [.. GoldenText.Blocks(GoldenCommand.Facts<SearchFacts[]>("a-plain-1k", name))];

    private static List<string> Print(IEnumerable<ISearchFileVersion> items) =>
        [
            .. items
                .GroupBy(x => x.Path)
                .SelectMany(file => file.Select(x => $"{file.Key} {x.Version} {GoldenText.Size(x.Size)}").Prepend(file.Key)),
        ];
}
