using System.IO.Compression;
using System.Text;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>A bug report can be shown to others, and making it harms nothing.</summary>
[TestFixture]
internal sealed class ToolBugReportTests
{
    private TestFolder m_folder = null!;

    [SetUp]
    public void SetUp() => m_folder = new TestFolder();

    [TearDown]
    public void TearDown() => m_folder.Dispose();

    [TestCase("a-plain-1k")]
    [TestCase("h-metadata-content")]
    public async Task Nothing_private_is_left_in_the_file_and_the_database_is_as_it_was(string set)
    {
        var database = GoldenData.UnpackDatabase(set, m_folder.Path);
        var secrets = await SecretsAsync(database);
        var before = await File.ReadAllBytesAsync(database);
        var run = await ToolRun.RunAsync("bug-report", "--dbpath", database, m_folder.File("report.zip"), "--json");

        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(run.Error, Is.Empty);
        Assert.That(run.Json.GetProperty("bytes").GetInt64(), Is.EqualTo(new FileInfo(m_folder.File("report.zip")).Length));
        Assert.That(await File.ReadAllBytesAsync(database), Is.EqualTo(before));
        ZipFile.ExtractToDirectory(m_folder.File("report.zip"), m_folder.File("report"));
        Assert.That(Directory.GetFiles(m_folder.File("report")).Select(Path.GetFileName), Is.EquivalentTo(new[] { "log-database.sqlite", "system-info.txt" }));
        var bytes = await File.ReadAllBytesAsync(m_folder.File("report/log-database.sqlite"));
        foreach (var secret in secrets)
            Assert.That(bytes.AsSpan().IndexOf(Encoding.UTF8.GetBytes(secret)), Is.Negative, secret);
        var system = await File.ReadAllTextAsync(m_folder.File("report/system-info.txt"));
        Assert.That(system, Does.Contain("SQLite: ").And.Contain("Rows of fixedfile: ").And.Not.Contain(Environment.MachineName).And.Not.Contain("Problem"));
        Assert.That(Files(), Is.EqualTo(new[] { "local.sqlite", "report.zip" }));
    }

    [Test]
    public async Task Without_zip_at_its_end_the_file_is_the_database_and_nothing_lies_beside_it()
    {
        var database = GoldenData.UnpackDatabase("k-small", m_folder.Path);
        Assert.That((await ToolRun.RunAsync("bug-report", "--dbpath", database, m_folder.File("scrubbed.sqlite"))).Code, Is.Zero);
        Assert.That(Files(), Is.EqualTo(new[] { "local.sqlite", "scrubbed.sqlite" }));
        using var connection = SQLiteLoader.LoadConnection(m_folder.File("scrubbed.sqlite"));
        Assert.That(connection.Pragma("integrity_check"), Is.EqualTo("ok"));
        Assert.That(SampleDatabase.Rows(m_folder.File("scrubbed.sqlite"), "SELECT COUNT(*) FROM \"FixedFile\""), Is.EqualTo(SampleDatabase.Rows(database, "SELECT COUNT(*) FROM \"FileLookup\"")));
    }

    [Test]
    public async Task What_is_committed_but_still_in_the_log_is_in_the_report()
    {
        var database = GoldenData.UnpackDatabase("k-small", m_folder.Path);
        using var writer = SQLiteLoader.LoadConnection(database);
        writer.Execute("INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('in-the-log', '1')");
        Assert.That((await ToolRun.RunAsync("bug-report", "--dbpath", database, m_folder.File("scrubbed.sqlite"))).Code, Is.Zero);
        Assert.That(SampleDatabase.Rows(m_folder.File("scrubbed.sqlite"), "SELECT \"Value\" FROM \"Configuration\" WHERE \"Key\" = 'in-the-log'"), Has.Exactly(1).Items);
    }

    [Test]
    public async Task A_file_that_exists_is_not_overwritten_and_a_file_of_another_kind_is_refused()
    {
        var database = m_folder.File("x.sqlite");
        await File.WriteAllTextAsync(database, new string('x', 5000));
        var run = await ToolRun.RunAsync("bug-report", "--dbpath", database, database, "--json");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "OutputFileExists")));
        run = await ToolRun.RunAsync("bug-report", "--dbpath", database, m_folder.File("report.zip"), "--json");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "DatabaseFormatError")));
        Assert.That(Files(), Is.EqualTo(new[] { "x.sqlite" }));
    }

    // A reader of a file in WAL mode may leave an empty log behind.
    private string[] Files() => [.. m_folder.Files().Where(x => x is not ("local.sqlite-wal" or "local.sqlite-shm"))];

    // Components of paths that are long enough not to occur by chance.
    private static async Task<List<string>> SecretsAsync(string database)
    {
        var run = await ToolRun.RunAsync("list", "--dbpath", database, "--all-versions", "--json");
        var secrets = run.Json.EnumerateArray().SelectMany(x => x.GetProperty("path").GetString()!.Split('/')).Where(x => x.Length >= 6).Distinct().ToList();
        Assert.That(secrets, Has.Count.GreaterThan(50));
        return [.. secrets, "/data/tree1"];
    }
}
