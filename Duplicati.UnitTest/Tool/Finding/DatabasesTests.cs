// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Tool.Finding;

/// <summary><c>databases</c> finds what Duplicati finds, tells no secret, and changes no byte.</summary>
[TestFixture]
internal sealed class DatabasesTests : ToolTestBase
{
    private string Folder => Tool["Duplicati"];

    [SetUp]
    public async Task MakeFolder()
    {
        Assert.That((await Tool.BackUpAsync()).Code, Is.Zero);
        Directory.CreateDirectory(Path.Combine(Folder, "below"));
        File.Copy(Tool.Database, Path.Combine(Folder, "below", "ABCDEF.sqlite"));
        GoldenData.Unpack("old-schema", "handmade-v00.sqlite", Folder);
        File.Move(Tool.Database, Tool["elsewhere.sqlite"]);
        Support.Databases.Execute(
            Path.Combine(Folder, "Duplicati-server.sqlite"),
            """
            CREATE TABLE "Backup" ("ID" INTEGER PRIMARY KEY, "Name" TEXT, "Description" TEXT, "Tags" TEXT, "TargetURL" TEXT, "DBPath" TEXT);
            CREATE TABLE "Schedule" ("ID" INTEGER PRIMARY KEY);
            CREATE TABLE "Version" ("ID" INTEGER PRIMARY KEY, "Version" INTEGER);
            INSERT INTO "Version" ("Version") VALUES (12);
            INSERT INTO "Backup" ("Name", "TargetURL", "DBPath") VALUES
                ('Documents', 'webdavs://me:hidden%40@host/folder?auth-password=hidden&x=y', 'below/ABCDEF.sqlite'),
                ('Photos', 'enc-v1:hidden', 'gone.sqlite')
            """
        );

        await File.WriteAllTextAsync(
            Path.Combine(Folder, "dbconfig.json"),
            JsonSerializer.Serialize(
                new object[]
                {
                    new
                    {
                        Type = "file",
                        Server = "",
                        Path = Tool.Remote,
                        Prefix = "duplicati",
                        Username = "hidden",
                        Port = -1,
                        Databasepath = Tool["elsewhere.sqlite"],
                    },
                    "no entry",
                }
            )
        );
    }

    [Test]
    public async Task Every_database_is_told_with_its_backup_and_its_remote_folder_and_no_secret_is()
    {
        var before = FolderState.Of(Folder);
        var run = await ToolRun.RunAsync("databases", Folder, "--json");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        var found = Databases(run);
        Assert.That(
            found.Keys,
            Is.EquivalentTo(new[] { "ABCDEF.sqlite", "Duplicati-server.sqlite", "elsewhere.sqlite", "gone.sqlite", "handmade-v00.sqlite" })
        );
        Assert.That(Facts(found["ABCDEF.sqlite"]), Is.EqualTo("Backup Documents webdavs://host/folder Server+Folder 19 1"));
        Assert.That(Facts(found["elsewhere.sqlite"]), Is.EqualTo($"Backup  file://{Tool.Remote} CommandLine 19 1"));
        Assert.That(Facts(found["gone.sqlite"]), Is.EqualTo("Unknown Photos  Server  "));
        Assert.That(found["gone.sqlite"].GetProperty("problem").GetString(), Is.EqualTo("It is not there."));
        Assert.That(Facts(found["handmade-v00.sqlite"]), Does.StartWith("Backup   Folder 0 "));
        Assert.That(Facts(found["Duplicati-server.sqlite"]), Is.EqualTo("Server   Folder 12 "));
        Assert.That(
            found["ABCDEF.sqlite"].GetProperty("lastVersion").GetDateTime(),
            Is.GreaterThan(new DateTime(2020, 1, 1, 0, 0, 0, DateTimeKind.Utc))
        );

        var text = await ToolRun.RunAsync("databases", Folder);
        Assert.That(
            text.Output,
            Does.Contain("name:    Documents").And.Contain("remote:  webdavs://host/folder").And.Contain("5 databases in")
        );
        Assert.That(run.Output + text.Output + run.Error + text.Error, Does.Not.Contain("hidden"));
        Assert.That(FolderState.Of(Folder), Is.EqualTo(before));
    }

    [TestCase("dbconfig.json", "{")]
    [TestCase("dbconfig.json", "{}")]
    [TestCase("Duplicati-server.sqlite", "no database")]
    [TestCase("noise.sqlite", "no database")]
    [TestCase("empty.sqlite", "")]
    public async Task A_bad_file_is_named_and_stops_nothing(string name, string content)
    {
        var path = Path.Combine(Folder, name);
        await File.WriteAllTextAsync(path, content);
        var run = await ToolRun.RunAsync("databases", Folder, "--json");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(Facts(Databases(run)["ABCDEF.sqlite"]), Does.Contain(" 19 1"));
        var problems = run.Strings("problems")
            .Concat(
                Databases(run).Values.Where(x => x.GetProperty("problem").ValueKind == JsonValueKind.String).Select(x => x.GetRawText())
            );
        Assert.That(problems.Any(x => x.Contains(name, StringComparison.Ordinal)), Is.True, run.Output);
    }

    [Test]
    public async Task A_server_that_is_writing_is_not_disturbed()
    {
        using var server = SQLiteLoader.LoadConnection(Path.Combine(Folder, "Duplicati-server.sqlite"));
        server.Execute("""BEGIN IMMEDIATE; UPDATE "Backup" SET "Name" = 'half' """);
        var run = await ToolRun.RunAsync("databases", Folder, "--json");
        Assert.That(Facts(Databases(run)["ABCDEF.sqlite"]), Does.StartWith("Backup Documents"), run.Output);
        server.Execute("COMMIT");
        run = await ToolRun.RunAsync("databases", Folder, "--json");
        Assert.That(Facts(Databases(run)["ABCDEF.sqlite"]), Does.StartWith("Backup half"), run.Output);
    }

    [Test]
    public async Task What_is_unfinished_is_told()
    {
        Support.Databases.Execute(
            Tool["elsewhere.sqlite"],
            """INSERT INTO "Configuration" ("Key", "Value") VALUES ('terminated-with-active-uploads', 'true')"""
        );
        var run = await ToolRun.RunAsync("databases", Folder, "--json");
        Assert.That(
            Databases(run)["elsewhere.sqlite"].GetProperty("state").EnumerateArray().Select(x => x.GetString()),
            Is.EqualTo(new[] { "terminated-with-active-uploads" })
        );
    }

    [Test]
    public async Task Without_a_folder_it_is_that_of_the_user()
    {
        using var home = new EnvironmentVariable("DUPLICATI_HOME", Folder);
        Assert.That(Databases(await ToolRun.RunAsync("databases", "--json")), Has.Count.EqualTo(5));
        (await ToolRun.RunAsync("databases", Tool["nowhere"], "--json")).AssertRefused("FolderMissing");
    }

    private static Dictionary<string, JsonElement> Databases(ToolRun run) =>
        run.Items("databases").ToDictionary(x => Path.GetFileName(x.GetProperty("path").GetString()!));

    private static string Facts(JsonElement database) =>
        string.Join(
            ' ',
            database.GetProperty("kind"),
            database.GetProperty("name"),
            database.GetProperty("remote"),
            string.Join('+', database.GetProperty("knownBy").EnumerateArray()),
            database.GetProperty("schema"),
            database.GetProperty("versions")
        );
}
