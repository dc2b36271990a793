using System.Globalization;
using System.Text;
using System.Text.RegularExpressions;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Utility;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Main.Listing;

/// <summary>What real Duplicati printed about its backups, made anew from their databases.</summary>
[TestFixture]
public sealed partial class ListingGoldenTests
{
    private TestFolder m_folder = null!;

    private static IEnumerable<string[]> Finds => GoldenData.Outputs("find-all", "find-all-by-109").Where(x => GoldenData.RootOrNull == null || IsOfAllVersions(x[0], x[1]));

    private static IEnumerable<string[]> FilesetLists => GoldenData.Outputs("list-filesets");

    [SetUp]
    public void Make() => m_folder = new TestFolder();

    [TearDown]
    public void Remove() => m_folder.Dispose();

    [TestCaseSource(nameof(Finds))]
    [Contract("C 12 row 11")]
    public async Task Find_prints_the_same(string set, string name)
    {
        var expected = Expected(set, name);
        await using var db = await OpenListAsync(set);
        await using var sets = await db.SelectFileSetsAsync(new DateTime(0), null!, default);

        var filesets = await sets.SetsAsync(default).ToListAsync();
        var text = new StringBuilder("Listing files and versions:\n");
        await foreach (var file in sets.SelectFilesAsync(new FilterExpression("*"), default))
        {
            var sizes = await file.SizesAsync(default).ToListAsync();
            text.Append(file.Path).Append('\n');
            for (var i = 0; i < sizes.Count; i++)
                text.Append(CultureInfo.InvariantCulture, $"{filesets[i].Version}\t: {Time(filesets[i].Time)} {Size(sizes[i])}\n");
            text.Append('\n');
        }

        Assert.That(text.ToString().TrimEnd(), Is.EqualTo(expected.TrimEnd()));
    }

    [TestCaseSource(nameof(FilesetLists))]
    [Contract("C 1.5")]
    [Contract("C 12 row 14")]
    public async Task List_filesets_prints_the_same(string set, string name)
    {
        var expected = Expected(set, name);
        await using var db = await OpenListAsync(set);
        var filesets = await db.ListFilesetsExtendedAsync(default).ToListAsync();

        var lines = filesets.Select(x => $"{x.Version}\t: {Time(x.Time)} ({x.FileCount} files, {Size(x.FileSizes!.Value)}{(x.IsFullBackup == true ? "" : ", partial")})");

        Assert.That(string.Join('\n', lines.Prepend("Listing filesets:")), Is.EqualTo(expected.TrimEnd()));
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

        var lines = entries.Select(x => $"{x.Path}: ({(x.IsDirectory ? "directory" : Size(x.Size))})");
        Assert.That(string.Join('\n', lines.Prepend("Folder contents:")), Is.EqualTo(Expected("a-plain-1k", name).TrimEnd()));
    }

    [Test]
    [Contract("C 1.11")]
    public async Task Searches_print_the_same_but_for_the_time()
    {
        await using var db = await OpenListAsync("a-plain-1k");
        var filter = new JoinedFilterExpression(new FilterExpression("*blocklists*"), new FilterExpression("*", false));
        var everywhere = await db.SearchEntriesAsync(null, filter, false, null, false, 0, 0, default);
        var newest = (await db.FilesetTimesAsync(default).ToListAsync())[0].Key;
        var inFolder = await db.SearchEntriesAsync(["/data/tree1/docs/"], new FilterExpression("*.txt"), false, [newest], false, 0, 0, default);

        Assert.That(Print(everywhere.Items), Is.EqualTo(WithoutTimes(Expected("a-plain-1k", "search-include"))));
        Assert.That(Print(inFolder.Items), Is.EqualTo(WithoutTimes(Expected("a-plain-1k", "search-folder-include"))));
    }

    [TestCase("affected-dblock")]
    [TestCase("affected-dlist")]
    [TestCase("affected-dindex")]
    [TestCase("affected-unknown")]
    [Contract("C 10 ListAffected")]
    public async Task Affected_files_filesets_and_messages_are_the_same(string name)
    {
        var expected = Expected("a-plain-1k", name);
        var volume = GoldenData.ReadText("a-plain-1k", $"expected/{name}.cmd").Split(' ')[3];
        await using var db = await LocalListAffectedDatabase.CreateAsync(GoldenData.UnpackDatabase("a-plain-1k", m_folder.Path), null, default);

        var files = await db.GetFilesAsync([volume], default).ToListAsync();
        var filesets = await db.GetFilesetsAsync([volume], default).Select(x => $"{x.Version}\t: {Time(x.Time)}").ToListAsync();
        var messages = await db.GetLogLinesAsync([volume], default).Select(x => Time(x.Timestamp)).ToListAsync();

        var total = TotalLine().Match(expected);
        Assert.That(files, Has.Count.EqualTo(total.Success ? int.Parse(total.Groups[1].Value, CultureInfo.InvariantCulture) : 0));
        Assert.That(files.Select(x => x.Path).Take(8), Is.EqualTo(expected.Split('\n').Where(x => x.StartsWith('/')).Take(8)));
        Assert.That(filesets, Is.EqualTo(FilesetLine().Matches(expected).Select(x => x.Value)));
        Assert.That(messages, Is.EquivalentTo(MessageLine().Matches(expected).Select(x => x.Groups[1].Value)));
    }

    [TestCase("compare-1-0", 1, 0)]
    [TestCase("compare-2-1", 2, 1)]
    [TestCase("compare-3-2", 3, 2)]
    [Contract("C 12 row 13")]
    public async Task Comparisons_are_the_same(string name, int from, int to)
    {
        var expected = Expected("a-plain-1k", name);
        await using var db = await LocalListChangesDatabase.CreateAsync(GoldenData.UnpackDatabase("a-plain-1k", m_folder.Path), null, default);
        var filesets = await db.FilesetTimesAsync(default).ToListAsync();
        await using var storage = await db.CreateStorageHelperAsync(default);
        await storage.AddFromDbAsync(filesets[from].Key, false, new FilterExpression(), default);
        await storage.AddFromDbAsync(filesets[to].Key, true, new FilterExpression(), default);

        var sizes = await storage.CreateChangeSizeReportAsync(default);
        var lines = await storage.CreateChangedFileReportAsync(default).Select(x => $"  {"+-~"[(int)x.Item1]} {x.Item3.Split('\n')[0]}").ToListAsync();

        Assert.That(lines, Is.EquivalentTo(ChangeLine().Matches(expected).Select(x => x.Value)));
        Assert.That(expected, Does.Contain($"Size of backup {from}: {Size(sizes.PreviousSize)}\n").And.Contain($"Size of backup {to}: {Size(sizes.CurrentSize)}\n"));
    }

    private async Task<LocalListDatabase> OpenListAsync(string set) =>
        await LocalListDatabase.CreateAsync(GoldenData.UnpackDatabase(set, m_folder.Path), null, default);

    // Older releases printed the newest version only.
    private static bool IsOfAllVersions(string set, string name) => Expected(set, name).StartsWith("Listing files and versions:\n", StringComparison.Ordinal);

    private static string Expected(string set, string name) => GoldenData.ReadText(set, $"expected/{name}.txt");

    private static string Time(DateTime time) => GoldenText.Time(time);

    private static string Size(long bytes) => GoldenText.Size(bytes);

    private static string Print(IEnumerable<ISearchFileVersion> items)
    {
        var text = new StringBuilder("File versions:");
        foreach (var file in items.GroupBy(x => x.Path))
        {
            text.Append('\n').Append(file.Key).Append(':');
            foreach (var version in file)
                text.Append(CultureInfo.InvariantCulture, $"\n  [{version.Version}]: ({Size(version.Size)})");
        }

        return text.ToString();
    }

    private static string WithoutTimes(string text) => VersionTime().Replace(text, "]:").TrimEnd();

    [GeneratedRegex(@"\] \d\d/\d\d/\d{4} \d\d:\d\d:\d\d:")]
    private static partial Regex VersionTime();

    [GeneratedRegex(@"A total of (\d+) file")]
    private static partial Regex TotalLine();

    [GeneratedRegex(@"^\d+\t: .*$", RegexOptions.Multiline)]
    private static partial Regex FilesetLine();

    [GeneratedRegex(@"^(\d\d/\d\d/\d{4} \d\d:\d\d:\d\d): ", RegexOptions.Multiline)]
    private static partial Regex MessageLine();

    [GeneratedRegex(@"^  [+~-] .*$", RegexOptions.Multiline)]
    private static partial Regex ChangeLine();
}
