using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>The commands that look after a database file.</summary>
[TestFixture]
internal sealed class ToolDatabaseTests
{
    [Test]
    public async Task Info_tells_versions_sizes_rows_and_flags_and_changes_nothing()
    {
        using var tool = new ToolCase();
        await tool.BackUpAsync();
        using (var connection = SQLiteLoader.LoadConnection(tool.Database))
            connection.Execute("INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('repair-in-progress', 'true')");
        var before = File.ReadAllBytes(tool.Database);
        var run = await ToolRun.RunAsync("info", tool.Database, "--json");
        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(run.Json.GetProperty("schemaVersion").GetInt32(), Is.EqualTo(19));
        Assert.That(run.Json.GetProperty("fileBytes").GetInt64(), Is.EqualTo(before.Length));
        Assert.That(run.Json.GetProperty("pages").GetInt64() * run.Json.GetProperty("pageSize").GetInt64(), Is.EqualTo(before.Length));
        Assert.That(run.Json.GetProperty("rowCounts").EnumerateObject().Single(x => x.Name.Equals("fileset", StringComparison.OrdinalIgnoreCase)).Value.GetInt64(), Is.EqualTo(1));
        Assert.That(run.Json.GetProperty("flags").EnumerateArray().Select(x => x.GetString()), Is.EqualTo(new[] { "repair-in-progress" }));
        Assert.That(File.ReadAllBytes(tool.Database), Is.EqualTo(before));
        Assert.That((await ToolRun.RunAsync("info", tool.Database)).Output, Does.Contain("The file is intact."));
    }

    [Test]
    public async Task Vacuum_gives_free_pages_back_and_keeps_the_content()
    {
        using var tool = new ToolCase();
        await tool.BackUpAsync();
        using (var connection = SQLiteLoader.LoadConnection(tool.Database))
            connection.Execute("CREATE TABLE \"Filler\" (\"x\"); INSERT INTO \"Filler\" VALUES (zeroblob(2000000)); DROP TABLE \"Filler\"");
        var run = await ToolRun.RunAsync("vacuum", tool.Database, "--json");
        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(run.Json.GetProperty("bytesAfter").GetInt64(), Is.EqualTo(new FileInfo(tool.Database).Length).And.LessThan(run.Json.GetProperty("bytesBefore").GetInt64() - 1_900_000));
        Assert.That((await ToolRun.RunAsync("info", tool.Database, "--json")).Json.GetProperty("freePages").GetInt64(), Is.Zero);
        Assert.That((await tool.RunAsync("verify")).Code, Is.Zero);
    }

    [TestCase("info")]
    [TestCase("vacuum")]
    public async Task A_file_of_another_kind_is_left_as_it_is(string command)
    {
        using var tool = new ToolCase();
        Assert.That((await ToolRun.RunAsync(command, tool.Database, "--json")).HelpId, Is.EqualTo("DatabaseDoesNotExist"));
        File.WriteAllText(tool.Database, new string('x', 5000));
        var run = await ToolRun.RunAsync(command, tool.Database, "--json");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "DatabaseFormatError")));
        Assert.That(File.ReadAllText(tool.Database), Is.EqualTo(new string('x', 5000)));
    }
}
