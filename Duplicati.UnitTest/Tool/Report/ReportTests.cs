// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using System.Text.Json;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Operations;
using Duplicati.Engine.Reports;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool.Report;

/// <summary><c>report</c>: its figures by the plain way, and a page that is harmless whatever it names.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class ReportTests
{
    private const string Hostile = "<script src=x>alert(1)</script ";

    private readonly List<Dictionary<string, byte[]>> m_versions = [];
    private ToolCase m_tool = null!;

    [OneTimeSetUp]
    public async Task MakeBackup()
    {
        m_tool = new ToolCase();
        var random = new Random(5);
        SourceTree.Write(m_tool.Source, "docs/a.txt", 7000, random);
        SourceTree.Write(m_tool.Source, "docs/deep/deeper/b.TXT", 9000, random);
        SourceTree.Write(m_tool.Source, "docs/.hidden", 300, random);
        SourceTree.Write(m_tool.Source, "photos/2020/x/1.jpg", 40_000, random);
        SourceTree.Write(m_tool.Source, "photos/2020/y/2.jpg", 20_000, random);
        SourceTree.Write(m_tool.Source, $"{Hostile}\"'&\u202e\e[31m/<img src=x>.<b>x", 1000, random);
        await File.WriteAllBytesAsync(PathOf("copy"), await File.ReadAllBytesAsync(PathOf("folder/0")));
        await BackUpAsync();
        await File.AppendAllTextAsync(PathOf("folder/1"), "more");
        SourceTree.Write(m_tool.Source, "docs/new.txt", 5000, random);
        await BackUpAsync();
        File.Delete(PathOf("docs/new.txt"));
        File.Delete(PathOf("folder/2"));
        await BackUpAsync();
    }

    [OneTimeTearDown]
    public void RemoveBackup() => m_tool.Dispose();

    [Test]
    public async Task What_each_version_has_and_adds_is_what_its_files_say()
    {
        var versions = (await ReportAsync(m_tool.Database)).Versions;
        Assert.That(versions, Has.Count.EqualTo(m_versions.Count));
        var (contents, blocks) = (new HashSet<string>(StringComparer.Ordinal), new HashSet<string>(StringComparer.Ordinal));
        foreach (var (files, version) in m_versions.Zip(versions))
        {
            var fresh = files.Values.Where(x => contents.Add(Hash(x))).ToList();
            var stored = fresh.SelectMany(x => x.Chunk(1024)).Where(x => blocks.Add(Hash(x)));
            Assert.That(
                (version.Bytes, version.NewBytes, version.StoredBytes),
                Is.EqualTo((files.Values.Sum(x => (long)x.Length), fresh.Sum(x => (long)x.Length), stored.Sum(x => (long)x.Length)))
            );
        }
    }

    [Test]
    public async Task What_fills_the_newest_version_is_what_lies_in_its_folders()
    {
        var report = await ReportAsync(m_tool.Database);
        var files = m_versions[^1];
        Assert.That(report.Folders.Largest, Is.EquivalentTo(Shares(files, TwoLevels)));
        Assert.That(
            report.Types.Largest,
            Is.EquivalentTo(
                Shares(
                    files,
                    x =>
                        Path.GetFileName(x).LastIndexOf('.') is > 0 and var point
                            ? Path.GetFileName(x)[(point + 1)..].ToLowerInvariant()
                            : ""
                )
            )
        );
        Assert.That(report.Folders.Other, Is.Null);
        Assert.That(report.Types.Largest.Sum(x => x.Bytes), Is.EqualTo(report.Versions[^1].Bytes));
    }

    [Test]
    public async Task Tables_and_free_pages_are_the_whole_file()
    {
        var tables = (await ReportAsync(m_tool.Database)).Tables;
        Assert.That(tables.Largest.Sum(x => x.Bytes) + tables.Other!.Bytes, Is.EqualTo(new FileInfo(m_tool.Database).Length));
    }

    [Test]
    public async Task Waste_is_that_of_the_volumes_and_a_compact_does_what_was_said()
    {
        using var tool = new ToolCase();
        for (var version = 0; version < 2; version++)
        {
            Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
            for (var file = 0; file < 4; file++)
                SourceTree.Write(tool.Source, $"folder/{file}", 30_000, new Random(100 + file));
        }

        Assert.That((await tool.RunAsync("delete", "--version", "1", "--yes", "--no-compact")).Code, Is.Zero);
        var report = await ReportAsync(tool.Database);
        var volumes = (await tool.QueryAsync("volumes", "--type", "Blocks")).Items("volumes");
        Assert.That(report.Volumes.WastedBytes, Is.Positive.And.EqualTo(volumes.Sum(x => x.GetProperty("wastedBytes").GetInt64())));
        Assert.That(report.Volumes.LiveBytes, Is.EqualTo(volumes.Sum(x => x.GetProperty("liveBytes").GetInt64())));
        var compact = (await tool.RunAsync("compact", "--dry-run")).Json;
        Assert.That(report.Compact.IsWorthwhile);
        Assert.That(report.Compact.Rewritten, Is.EqualTo(compact.GetProperty("readVolumes").GetInt64()));
        Assert.That(report.Compact.FreedBytes, Is.Positive);
    }

    [Test]
    public async Task The_slowest_operation_lasts_to_its_last_record()
    {
        using var folder = new TestFolder();
        var database = Copy(folder, "slow.sqlite");
        Databases.Execute(
            database,
            """
            INSERT INTO "LogData" ("OperationID", "Timestamp", "Type", "Message")
            SELECT "ID", "Timestamp" + 5000, 'Result', '{}' FROM "Operation" ORDER BY "ID" LIMIT 1
            """
        );
        var slowest = (await ReportAsync(database)).Operations[0];
        Assert.That((slowest.Operation, slowest.Seconds), Is.EqualTo(("Backup", 5000L)));
    }

    [Test]
    public async Task What_has_no_data_says_so()
    {
        using var folder = new TestFolder();
        var database = Copy(folder, "empty.sqlite");
        using (var connection = SQLiteLoader.LoadConnection(database))
            foreach (
                var table in new[] { "RemoteOperation", "LogData", "FilesetEntry", "Fileset", "Block", "DeletedBlock", "Remotevolume" }
            )
                connection.Execute($"DELETE FROM \"{table}\"");
        var page = await PageAsync(database, folder.File("page.html"));
        Assert.That(page.Split("The database has no data for this.").Length - 1, Is.EqualTo(6), page);
        Assert.That(page, Does.Contain("<svg").And.Contain("sqlite_schema (table)"));
    }

    [Test]
    public async Task The_page_needs_nothing_but_itself_and_no_name_is_an_element_of_it()
    {
        using var folder = new TestFolder();
        var path = folder.File("page.html");
        var page = await PageAsync(Copy(folder, "<img src=y>.sqlite"), path);
        Check(page);
        Assert.That(page, Does.Contain("@media (prefers-color-scheme: dark)").And.Contain("color-scheme: light dark"));
        // Where there is no browser, the page itself is what can be looked at.
        if (HeadlessBrowser.Read(path, folder.File("profile")) is not { } read)
            return;
        Check(read.Dom);
        Assert.That(read.Console, Is.Empty);
    }

    [Test]
    public async Task A_file_that_exists_is_not_overwritten()
    {
        using var folder = new TestFolder();
        await File.WriteAllTextAsync(folder.File("page.html"), "mine");
        (await m_tool.QueryAsync("report", "--output", folder.File("page.html"))).AssertRefused("OutputFileExists");
        Assert.That(await File.ReadAllTextAsync(folder.File("page.html")), Is.EqualTo("mine"));
        Assert.That(Directory.GetFiles(folder.Path), Has.Length.EqualTo(1));
        Assert.That((await ToolRun.RunAsync("report", "--dbpath", m_tool.Database)).Code, Is.EqualTo(ExitCode.Usage));
    }

    // While it is written it has another name, which is nobody's either.
    [Test]
    public async Task Files_beside_the_page_stay_as_they_are()
    {
        using var folder = new TestFolder();
        await File.WriteAllTextAsync(folder.File("page.html.incomplete"), "mine");
        await ToolRun.OkAsync(m_tool.QueryAsync("report", "--output", folder.File("page.html")));
        Assert.That(Directory.GetFiles(folder.Path), Has.Length.EqualTo(2));
        Assert.That(await File.ReadAllTextAsync(folder.File("page.html.incomplete")), Is.EqualTo("mine"));
    }

    private static void Check(string page)
    {
        foreach (var word in new[] { "http", "<script", "<img", "<b>", "<link", "url(", "@import", " src=\"", " href=", "\u202e", "\e" })
            Assert.That(page, Does.Not.Contain(word));
        Assert.That(page.Split("<svg ").Length - 1, Is.EqualTo(5), page);
        Assert.That(page.Split("<h2>").Length - 1, Is.EqualTo(7));
        Assert.That(page, Does.Contain("&lt;script src=x&gt;").And.Contain("&lt;img src=y&gt;.sqlite"));
    }

    private async Task BackUpAsync()
    {
        Assert.That((await m_tool.BackUpAsync()).Code, Is.Zero);
        m_versions.Add(Directory.GetFiles(m_tool.Source, "*", SearchOption.AllDirectories).ToDictionary(x => x, File.ReadAllBytes));
    }

    private static async Task<OverviewReport> ReportAsync(string database)
    {
        var run = await ToolRun.OkAsync("report", "--dbpath", database, "--json");
        return JsonSerializer.Deserialize<OverviewReport>(run.Output, JsonSerializerOptions.Web)!;
    }

    private static async Task<string> PageAsync(string database, string page)
    {
        await ToolRun.OkAsync("report", "--dbpath", database, "--output", page);
        return await File.ReadAllTextAsync(page);
    }

    private string Copy(TestFolder folder, string name)
    {
        File.Copy(m_tool.Database, folder.File(name));
        return folder.File(name);
    }

    private string PathOf(string name) => Path.Combine(m_tool.Source, name);

    private string TwoLevels(string file)
    {
        var folders = Path.GetRelativePath(m_tool.Source, Path.GetDirectoryName(file)!).Split('/').Take(2).Where(x => x != ".");
        return string.Concat(folders.Prepend(m_tool.Source).Select(x => x + "/"));
    }

    private static IEnumerable<SpaceShare> Shares(Dictionary<string, byte[]> files, Func<string, string> name) =>
        files.GroupBy(x => name(x.Key), (key, alike) => new SpaceShare(key, alike.Count(), alike.Sum(x => (long)x.Value.Length)));

    private static string Hash(byte[] bytes) => Convert.ToBase64String(SHA256.HashData(bytes));
}

/// <summary>What a report asks goes by indexes, or reads in one pass what it says.</summary>
[TestFixture]
internal sealed class ReportPlanTests
{
    // A row a version, a folder, a content once found, or a record of the last month; and what is read once as a whole.
    private static readonly string[] s_scanned =
    [
        "Fileset",
        "Sums",
        "temp.FirstSeen",
        "RemoteOperation",
        "LogData",
        "Log",
        "Blocks",
        "FileLookup/nn_FileLookup_BlockMeta",
        "BlocksetEntry/BlocksetEntry_IndexIdsBackwards",
    ];

    private static IEnumerable<TestCaseData> Statements =>
        from constant in SqlConstants.In(typeof(OverviewReads).Assembly)
        where constant.Type == typeof(OverviewReads) && constant.Sql != OverviewReads.FIRST_SEEN
        select new TestCaseData(constant.Sql).SetArgDisplayNames(constant.Name);

    [TestCaseSource(nameof(Statements))]
    public void A_statement_scans_nothing_but_what_it_says(string sql)
    {
        using var database = new SampleDatabase();
        using var connection = SQLiteLoader.LoadConnection(database.Close());
        connection.Execute(OverviewReads.FIRST_SEEN);
        var plan = DumpQuery.Rows(connection, "EXPLAIN QUERY PLAN " + sql, row => row.GetString(3)).ToList();
        Assert.That(plan, Is.Not.Empty);
        Assert.That(plan.Where(x => x.Contains("AUTOMATIC", StringComparison.Ordinal)), Is.Empty, string.Join('\n', plan));
        Assert.That(
            plan.Where(x => x.StartsWith("SCAN ", StringComparison.Ordinal)).Select(Scanned).Except(s_scanned),
            Is.Empty,
            string.Join('\n', plan)
        );
    }

    private static string Scanned(string step)
    {
        var words = step.Split(' ');
        var index = Array.IndexOf(words, "INDEX");
        return index < 0 ? words[1] : $"{words[1]}/{words[index + 1]}";
    }
}
