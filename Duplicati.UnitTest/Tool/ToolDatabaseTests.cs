// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper;
using Duplicati.Library.SQLiteHelper.Scripts;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Tool;

/// <summary>The commands that look after a database file.</summary>
[TestFixture]
internal sealed class ToolDatabaseTests : CopiedToolTestBase
{
    protected override Task MakeAsync(ToolCase made) => ToolRun.OkAsync(made.BackUpAsync());

    [Test]
    public async Task Info_tells_versions_sizes_rows_and_flags_and_changes_nothing()
    {
        Tool.Sql("INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('repair-in-progress', 'true')");
        var before = File.ReadAllBytes(Tool.Database);
        var run = await ToolRun.OkAsync("info", Tool.Database, "--json");
        Assert.That(run.Number("schemaVersion"), Is.EqualTo(19));
        Assert.That(run.Number("fileBytes"), Is.EqualTo(before.Length));
        Assert.That(run.Number("pages") * run.Number("pageSize"), Is.EqualTo(before.Length));
        Assert.That(
            run.Json.GetProperty("rowCounts")
                .EnumerateObject()
                .Single(x => x.Name.Equals("fileset", StringComparison.OrdinalIgnoreCase))
                .Value.GetInt64(),
            Is.EqualTo(1)
        );
        Assert.That(run.Strings("flags"), Is.EqualTo(new[] { "repair-in-progress" }));
        Assert.That(File.ReadAllBytes(Tool.Database), Is.EqualTo(before));
        Assert.That((await ToolRun.RunAsync("info", Tool.Database)).Output, Does.StartWith("The file is intact."));
        var growth = run.Items("growth").Single();
        Assert.That(growth.GetProperty("operation").GetString(), Is.EqualTo("Backup"));
        Assert.That(growth.GetProperty("bytes").GetInt64(), Is.EqualTo(new DirectoryInfo(Tool.Remote).GetFiles().Sum(x => x.Length)));
    }

    [Test]
    public async Task Info_tells_what_each_version_takes_and_what_it_alone_has()
    {
        using var tool = new ToolCase();
        await tool.BackUpAsync();
        File.Delete(Path.Combine(tool.Source, "folder/0"));
        File.Move(Path.Combine(tool.Source, "folder/1"), Path.Combine(tool.Source, "moved"));
        Engine.Operations.SourceTree.Write(tool.Source, "new", 12_345, new Random(5));
        await tool.BackUpAsync();

        var versions = (await ToolRun.RunAsync("info", tool.Database, "--json")).Items("versions");

        var figures = versions.Select(x =>
            (x.GetProperty("entries").GetInt64(), x.GetProperty("bytes").GetInt64(), x.GetProperty("ownBytes").GetInt64())
        );
        // Six files of 30,000 bytes in a folder of the source folder.
        Assert.That(figures, Is.EqualTo(new[] { (8L, 162_345L, 12_345L), (8L, 180_000L, 30_000L) }));
        Assert.That(
            (await ToolRun.RunAsync("info", tool.Database)).Output,
            Does.Contain("8 entries, 175.8 KB, 29.3 KB of them in no other version")
        );
    }

    [Test]
    [Platform(Exclude = "Win")]
    public async Task A_link_has_the_size_of_the_database_that_it_leads_to()
    {
        var folder = Directory.CreateDirectory(Tool["links"]).FullName;
        var link = Path.Combine(folder, "link.sqlite");
        File.CreateSymbolicLink(link, Tool.Database);
        File.CreateSymbolicLink(Path.Combine(folder, "dangling.sqlite"), Tool["nothing"]);
        var size = new FileInfo(Tool.Database).Length;

        Assert.That((await ToolRun.RunAsync("info", link, "--json")).Number("fileBytes"), Is.EqualTo(size));
        var found = (await ToolRun.RunAsync("databases", folder, "--json")).Items("databases");
        Assert.That(found.Select(x => x.GetProperty("size").GetInt64()), Is.EqualTo(new[] { 0, size }));
        var vacuum = (await ToolRun.RunAsync("vacuum", link, "--json")).Json;
        Assert.That(vacuum.GetProperty("bytesBefore").GetInt64(), Is.EqualTo(size));
        Assert.That(vacuum.GetProperty("bytesAfter").GetInt64(), Is.EqualTo(new FileInfo(Tool.Database).Length));
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.SetsWithDatabase))]
    public async Task Info_finds_real_databases_intact_and_accounts_for_every_page(string set)
    {
        using var folder = new TestFolder();
        var database = GoldenData.UnpackDatabase(set, folder.Path);
        var run = await ToolRun.OkAsync("info", database, "--json");
        AssertPages(run);
        var dump = GoldenData.Dump(set, "local.dump.json");
        Assert.That(Rows(run), Is.EqualTo(dump.RowCounts));
        Assert.That(run.Number("schemaVersion"), Is.EqualTo(dump.SchemaVersion));
        Assert.That(
            run.Items("versions").Select(x => new DateTimeOffset(x.GetProperty("time").GetDateTime()).ToUnixTimeSeconds()).Reverse(),
            Is.EqualTo(dump.Filesets.Select(x => x.Timestamp))
        );
        Assert.That(run.Items("volumes").Sum(x => x.GetProperty("count").GetInt64()), Is.EqualTo(dump.RemoteVolumes.Count()));
        Assert.That(run.Items("flags"), Has.Count.EqualTo(dump.Configuration.ContainsKey("terminated-with-active-uploads") ? 1 : 0));
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.OldSchemas))]
    public async Task Info_reads_every_version_of_the_schema_without_upgrading_it(string name)
    {
        using var folder = new TestFolder();
        var database = GoldenData.Unpack("old-schema", name + ".sqlite", folder.Path);
        var before = await File.ReadAllBytesAsync(database);
        var run = await ToolRun.OkAsync("info", database, "--json");
        AssertPages(run);
        Assert.That(run.Number("schemaVersion"), Is.EqualTo(int.Parse(name[^2..])));
        Assert.That(run.Items("versions"), Has.Count.EqualTo(2));
        Assert.That(await File.ReadAllBytesAsync(database), Is.EqualTo(before));
        // A reader of a file in WAL mode may leave an empty log behind, but no copy.
        Assert.That(
            folder.Files().Where(x => !x.EndsWith("-wal", StringComparison.Ordinal) && !x.EndsWith("-shm", StringComparison.Ordinal)),
            Is.EqualTo(new[] { name + ".sqlite" })
        );
    }

    [TestCase(
        "DELETE FROM \"FileLookup\" WHERE \"ID\" = (SELECT MAX(\"ID\") FROM \"FileLookup\")",
        "1 entry of a version belongs to a file that is not there"
    )]
    [TestCase(
        "DELETE FROM \"Metadataset\" WHERE \"ID\" = (SELECT MAX(\"MetadataID\") FROM \"FileLookup\")",
        " metadata that are not there"
    )]
    [TestCase(
        "UPDATE \"FileLookup\" SET \"BlocksetID\" = 12345678 WHERE \"ID\" = (SELECT MAX(\"ID\") FROM \"FileLookup\")",
        "1 file has a content that is not there"
    )]
    [TestCase(
        "UPDATE \"Blockset\" SET \"Length\" = \"Length\" + 1",
        "6 contents have another length than their blocks together",
        "UPDATE \"Blockset\" SET \"Length\" = \"Length\" - 1 WHERE \"Length\" < 20000"
    )]
    [TestCase("UPDATE \"Block\" SET \"VolumeID\" = 12345678 WHERE \"ID\" <= 3", "3 blocks lie in volumes that are not known")]
    [TestCase("DELETE FROM \"Remotevolume\" WHERE \"Type\" = 'Files'", "1 version has no file list volume")]
    public async Task Info_names_what_refers_to_nothing(string damage, string finding, string? more = null)
    {
        Tool.Sql($"{damage}; {more}");
        var run = await ToolRun.RunAsync("info", Tool.Database, "--json");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(run.Strings("problems"), Has.Some.Contains(finding));
    }

    [Test]
    public async Task Info_counts_pages_that_records_overflow_to_and_what_is_still_in_the_log()
    {
        using var connection = SQLiteLoader.LoadConnection(Tool.Database);
        connection.Execute("CREATE TABLE \"Large\" (\"x\" BLOB, \"y\" TEXT)");
        connection.Execute("CREATE INDEX \"LargeIndex\" ON \"Large\" (\"y\")");
        var random = new Random(17);
        for (var i = 0; i < 200; i++)
            connection.Execute($"INSERT INTO \"Large\" VALUES (zeroblob({random.Next(30_000)}), '{new string('x', random.Next(9_000))}')");
        connection.Execute("CREATE TABLE \"Gone\" AS SELECT * FROM \"Large\"");
        connection.Execute("DROP TABLE \"Gone\"");
        var run = await ToolRun.RunAsync("info", Tool.Database, "--json");
        Assert.That(run.Number("logBytes"), Is.Positive);
        Assert.That(run.Number("freePages"), Is.Positive);
        AssertPages(run);
        Assert.That(
            run.Items("objects").Take(2).Select(x => x.GetProperty("name").GetString()),
            Is.EqualTo(new[] { "Large", "LargeIndex" })
        );
    }

    [Test]
    public async Task Vacuum_gives_free_pages_back_and_keeps_the_content()
    {
        Tool.Sql("CREATE TABLE \"Filler\" (\"x\"); INSERT INTO \"Filler\" VALUES (zeroblob(2000000)); DROP TABLE \"Filler\"");
        var run = await ToolRun.OkAsync("vacuum", Tool.Database, "--json");
        Assert.That(
            run.Number("bytesAfter"),
            Is.EqualTo(new FileInfo(Tool.Database).Length).And.LessThan(run.Number("bytesBefore") - 1_900_000)
        );
        Assert.That((await ToolRun.RunAsync("info", Tool.Database, "--json")).Number("freePages"), Is.Zero);
        Assert.That((await Tool.RunAsync("verify")).Code, Is.Zero);
    }

    // Every page is free or belongs to a table or an index, and no index or table is left out.
    private static void AssertPages(ToolRun run)
    {
        var bytes = run.Items("objects").Sum(x => x.GetProperty("bytes").GetInt64());
        var used = run.Number("pages") - run.Number("freePages");
        Assert.That(bytes, Is.EqualTo(used * run.Number("pageSize")));
        Assert.That(run.Items("objects").Select(x => x.GetProperty("unusedBytes").GetInt64()), Has.All.Not.Negative);
        Assert.That(run.Items("objects").Count(x => x.GetProperty("type").GetString() == "index"), Is.Positive);
    }

    private static Dictionary<string, long> Rows(ToolRun run) =>
        run.Json.GetProperty("rowCounts").EnumerateObject().ToDictionary(x => x.Name, x => x.Value.GetInt64());
}
