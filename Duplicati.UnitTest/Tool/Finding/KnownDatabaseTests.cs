// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text.Json;
using Duplicati.Engine.Operations;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool.Finding;

/// <summary>A command on a remote folder that lacks <c>--dbpath</c> takes the only database that is named for it, or none.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class KnownDatabaseTests : CopiedToolTestBase
{
    private const string Required = "Option '--dbpath' is required";

    private EnvironmentVariable m_home = null!;

    private string Folder => Tool["Duplicati"];

    private string Config => Path.Combine(Folder, "dbconfig.json");

    protected override Task MakeAsync(ToolCase made) => ToolRun.OkAsync(made.BackUpAsync());

    [SetUp]
    public void MakeFolder()
    {
        m_home = new EnvironmentVariable("DUPLICATI_HOME", Folder);
        Directory.CreateDirectory(Folder);
    }

    [TearDown]
    public void ForgetFolder() => m_home.Dispose();

    [Test]
    public async Task Every_command_on_a_remote_folder_takes_the_known_database_or_does_as_it_did()
    {
        var commands = new Dictionary<string, string[]>(StringComparer.Ordinal)
        {
            ["backup"] = [Tool.Source],
            ["repair"] = ["--dry-run"],
            ["check"] = ["--quick"],
            ["verify"] = ["--quick"],
            ["test"] = [],
            ["list-broken-files"] = [],
            ["purge-broken-files"] = ["--dry-run"],
            ["purge"] = ["*/folder/3", "--dry-run"],
            ["delete"] = ["--version", "0", "--allow-full-removal", "--dry-run"],
            ["compact"] = ["--dry-run"],
            ["list"] = [],
            ["recreate"] = ["--overwrite"],
            ["restore"] = ["--target", Tool["target"]],
        };
        var all = ToolRoot.Of().Subcommands.Where(x => x.Arguments.Any(y => y.Name == CommonOptions.Remote.Name)).Select(x => x.Name);
        Assert.That(commands.Keys, Is.EquivalentTo(all));
        Name(Tool.Database);
        var before = FolderState.Of(Folder);
        foreach (var (command, more) in commands)
        {
            var run = await RunAsync(command, more);
            switch (command)
            {
                case "list":
                    Assert.That((run.Code, run.Error), Is.EqualTo((ExitCode.Ok, "")), command);
                    break;
                case "recreate":
                    Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), command);
                    Assert.That(run.Error, Does.StartWith($"{Required}."), command);
                    break;
                case "restore":
                    Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), command);
                    Assert.That(run.Error, Does.StartWith("Give either --dbpath FILE or --no-database."), command);
                    break;
                default:
                    Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), $"{command}: {run.Error}");
                    Assert.That(run.Error.Split('\n')[0], Is.EqualTo($"Database: {Tool.Database} (dbconfig.json)"), command);
                    Assert.That(run.Json.ValueKind, Is.EqualTo(JsonValueKind.Object).Or.EqualTo(JsonValueKind.Array), command);
                    break;
            }
        }

        Assert.That(FolderState.Of(Folder), Is.EqualTo(before));
        Assert.That(Directory.Exists(Tool["target"]), Is.False);
    }

    [Test]
    public async Task With_the_option_nothing_is_looked_up_and_the_data_are_the_same()
    {
        Name(Tool["another.sqlite"]);
        string[] words = ["check", Tool.Remote, "--dbpath", Tool.Database];
        Assert.That(KnownDatabase.IsLeftOut(ToolRoot.Of().Parse(words)), Is.False);
        var given = await Tool.RunAsync("check");
        Assert.That(given.Error, Does.Not.Contain("Database: "));
        Name(Tool.Database);
        var found = await RunAsync("check");
        Assert.That((found.Code, found.Output), Is.EqualTo((given.Code, given.Output)));
    }

    [Test]
    public async Task Help_and_wrong_command_lines_look_up_nothing()
    {
        Name(Tool.Database);
        foreach (
            var words in (string[][])
                [
                    ["backup", Tool.Remote, Tool.Source, "--help"],
                    ["check", Tool.Remote, "--quick", "--help"],
                ]
        )
        {
            var help = await ToolRun.RunAsync(words);
            Assert.That((help.Code, help.Error), Is.EqualTo((ExitCode.Ok, "")));
            Assert.That(
                string.Join(' ', help.Output.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries)),
                Does.Contain("May be left out")
            );
            Assert.That(help.Output, Does.Not.Contain(Tool.Database));
        }

        foreach (
            var more in (string[][])
                [
                    ["--quick", "--deep"],
                    ["--quik"],
                ]
        )
        {
            var wrong = await RunAsync("check", more);
            Assert.That(wrong.Code, Is.EqualTo(ExitCode.Usage));
            Assert.That(wrong.Error, Does.Not.Contain("Database: ").And.Not.Contain("--dbpath"));
        }

        var alone = await ToolRun.RunAsync("check");
        Assert.That(alone.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(alone.Error, Does.StartWith($"{Required}."));
    }

    // Where in it the option would have to stand cannot be told.
    [Test]
    public async Task For_words_of_a_response_file_nothing_is_looked_up()
    {
        Name(Tool.Database);
        await File.WriteAllLinesAsync(Tool["words"], ["backup", Tool.Remote, "--no-encryption", "--", Tool.Source]);
        var run = await ToolRun.RunAsync($"@{Tool["words"]}");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(run.Error, Does.StartWith($"{Required}."));
    }

    [Test]
    public async Task The_line_is_a_message()
    {
        Name(Tool.Database);
        var log = Tool["log.txt"];
        var run = await RunAsync("check", "--quick", "--quiet", "--log-file", log);
        Assert.That((run.Code, run.Error), Is.EqualTo((ExitCode.Ok, "")));
        Assert.That((await File.ReadAllLinesAsync(log))[0], Does.EndWith($"Database: {Tool.Database} (dbconfig.json)"));
    }

    [Test]
    public async Task None_and_several_are_told_and_stop_every_command()
    {
        // It lies in the folder, and nothing names it.
        File.Copy(Tool.Database, Path.Combine(Folder, "ABCDEF.sqlite"));
        await AssertRefusedAsync($"neither dbconfig.json nor the server names a database of {Tool.Remote} with the prefix duplicati");

        WriteConfig(Entry(Tool.Remote, Tool.Database), Entry(Tool.Remote, Tool["other.sqlite"]));
        await AssertRefusedAsync(
            $"several are named for {Tool.Remote}: {Tool.Database} (dbconfig.json), {Tool["other.sqlite"]} (dbconfig.json)"
        );
    }

    [Test]
    public async Task A_database_that_is_named_and_gone_is_not_made_anew()
    {
        File.Move(Tool.Database, Tool["moved.sqlite"]);
        Name(Tool.Database);
        await AssertRefusedAsync($"the one that is named for {Tool.Remote} is not there: {Tool.Database} (dbconfig.json)");
        Assert.That(File.Exists(Tool.Database), Is.False);
    }

    [Test]
    public async Task The_server_names_databases_too()
    {
        MakeServer(("Documents", $"file://{Tool.Remote}/?option=hidden", Tool.Database), ("Photos", "enc-v1:hidden", "gone.sqlite"));
        var run = await ToolRun.OkAsync(RunAsync("check"));
        Assert.That(run.Error, Does.StartWith($"Database: {Tool.Database} (the server)\n"));

        Name(Tool.Database);
        run = await RunAsync("check");
        Assert.That(run.Error, Does.StartWith($"Database: {Tool.Database} (the server and dbconfig.json)\n"));

        Name(Tool["other.sqlite"]);
        await AssertRefusedAsync($"several are named for {Tool.Remote}:");
    }

    [Test]
    public async Task What_the_server_encrypts_names_nothing()
    {
        MakeServer(("Documents", "enc-v1:hidden", Tool.Database));
        await AssertRefusedAsync("neither dbconfig.json nor the server names a database");
    }

    [Test]
    public async Task A_server_that_is_writing_hides_nothing()
    {
        MakeServer(("Documents", $"file://{Tool.Remote}", Tool.Database));
        using var server = SQLiteLoader.LoadConnection(Path.Combine(Folder, "Duplicati-server.sqlite"));
        server.Execute("""BEGIN IMMEDIATE; UPDATE "Backup" SET "DBPath" = 'half' """);
        var run = await RunAsync("check");
        Assert.That(run.Error, Does.StartWith($"Database: {Tool.Database} (the server)\n"));
        server.Execute("ROLLBACK");
    }

    [TestCase("/mnt/a b", "file", "", "/mnt/a b", true)]
    [TestCase("/mnt/a b/", "file", "", "/mnt/a b", true)]
    [TestCase("/mnt/a b", "file", "", "/mnt/a b/", true)]
    [TestCase("/mnt/x/../a b", "file", "", "/mnt//a b", true)]
    [TestCase("file:///mnt/a b", "file", "", "/mnt/a b", true)]
    [TestCase("file:///mnt/a%20b/?x=y", "FILE", "", "/mnt/a%20b", true)]
    [TestCase("/mnt/a b", "file", "", "/mnt/a b/c", false)]
    [TestCase("/mnt/a b", "file", "", "/mnt/A b", false)]
    [TestCase("/mnt/a b", "ftp", "", "/mnt/a b", false)]
    [TestCase("/mnt/a b", "", "", "/mnt/a b", false)]
    [TestCase("mnt", "file", "", "mnt", false)]
    [TestCase("rclone:name:mnt", "rclone", "name", "mnt", false)]
    [TestCase("ftp://host/mnt", "ftp", "host", "mnt", false)]
    [TestCase("file://", "file", "", "/", false)]
    [TestCase("", "file", "", "/", false)]
    [Platform(Exclude = "Win")]
    public async Task An_address_fits_if_it_is_the_same_folder_of_this_machine(
        string given,
        string type,
        string server,
        string path,
        bool expected
    )
    {
        WriteConfig(
            new
            {
                Type = type,
                Server = server,
                Path = path,
                Databasepath = Tool.Database,
            }
        );
        var known = await new DatabasesOperation(null).OfRemoteAsync(given, "duplicati", CancellationToken.None);
        Assert.That(known.Select(x => x.Path), Is.EqualTo(expected ? [Tool.Database] : Array.Empty<string>()));
    }

    [TestCase(null, null, true)]
    [TestCase("", null, true)]
    [TestCase("duplicati", null, true)]
    [TestCase("duplicati", "duplicati", true)]
    [TestCase("other", "other", true)]
    [TestCase("other", null, false)]
    [TestCase(null, "other", false)]
    [TestCase("Duplicati", "duplicati", false)]
    public async Task The_prefix_must_be_the_same(string? stored, string? given, bool expected)
    {
        WriteConfig(Entry(Tool.Remote, Tool.Database, stored));
        var run = await RunAsync("check", given is null ? ["--quick"] : ["--quick", "--prefix", given]);
        Assert.That(run.Error, Does.StartWith(expected ? $"Database: {Tool.Database} " : $"{Required}: neither"));
    }

    private static IEnumerable<TestCaseData> Hostile()
    {
        yield return new TestCaseData("{").SetArgDisplayNames("cut");
        yield return new TestCaseData("").SetArgDisplayNames("empty");
        yield return new TestCaseData("{}").SetArgDisplayNames("object");
        yield return new TestCaseData("null").SetArgDisplayNames("null");
        yield return new TestCaseData("[null, 1, \"text\", [], {}]").SetArgDisplayNames("no entries");
        yield return new TestCaseData("\0\u0001\ufffd").SetArgDisplayNames("bytes");
        yield return new TestCaseData(new string('[', 100_000)).SetArgDisplayNames("deep");
        yield return new TestCaseData("[{REMOTE, \"Databasepath\": 5}]").SetArgDisplayNames("number");
        yield return new TestCaseData("[{REMOTE, \"Databasepath\": {\"a\": []}}]").SetArgDisplayNames("nested");
        yield return new TestCaseData("[{REMOTE, \"Databasepath\": \"a\\u0000b\"}]").SetArgDisplayNames("NUL in the database");
        yield return new TestCaseData("[{REMOTE, \"Databasepath\": \"\\ud800\"}]").SetArgDisplayNames("half a letter");
        yield return new TestCaseData("[{\"Type\": \"file\", \"Path\": \"/\\u0000\", \"Databasepath\": \"/x\"}]").SetArgDisplayNames("NUL");
        yield return new TestCaseData("[{\"Type\": [], \"Path\": 7, \"Databasepath\": \"/x\"}]").SetArgDisplayNames("types");
        yield return new TestCaseData($"[{{REMOTE, \"Databasepath\": \"/x\"}}]{new string(' ', 17 << 20)}").SetArgDisplayNames("huge");
    }

    [TestCaseSource(nameof(Hostile))]
    public async Task A_hostile_file_names_nothing_and_harms_nothing(string content)
    {
        var remote = $"\"Type\": \"file\", \"Path\": {JsonSerializer.Serialize(Tool.Remote)}";
        await File.WriteAllTextAsync(Config, content.Replace("REMOTE", remote, StringComparison.Ordinal));
        await AssertRefusedAsync($"neither dbconfig.json nor the server names a database of {Tool.Remote}");
        var run = await ToolRun.RunAsync("databases", "--json");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Ok).Or.EqualTo(ExitCode.Found), run.Error);
    }

    [TestCase("delete", "--version", "0", "--allow-full-removal", "--yes")]
    [TestCase("purge", "*", "--yes")]
    [TestCase("purge-broken-files", "--yes")]
    [TestCase("repair", "--delete-unknown-files", "--rebuild-missing-dblock-files", "--repair-ignore-outdated-database", "--yes")]
    [TestCase("compact")]
    [TestCase("backup", "SOURCE")]
    [TestCase("test", "--replace-faulty-index-files")]
    public async Task The_database_of_another_folder_under_this_address_is_refused_and_nothing_is_deleted(params string[] words)
    {
        using var other = new ToolCase();
        // A list of the same second has the same name, and must have another size.
        SourceTree.Write(other.Source, "another/file", 5_000, new Random(1));
        Assert.That((await other.BackUpAsync()).Code, Is.Zero);
        File.Copy(other.Database, Tool["before.sqlite"]);
        Name(other.Database);
        var before = FolderState.Of(Tool.Remote);

        var run = await RunAsync(words[0], [.. words.Skip(1).Select(x => x == "SOURCE" ? Tool.Source : x)]);

        Assert.That(run.Error, Does.StartWith($"Database: {other.Database} (dbconfig.json)\n"));
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.NoBackup, "RemoteFolderEmptyWithPrefix")), run.Error);
        Assert.That(FolderState.Of(Tool.Remote), Is.EqualTo(before));
        await ToolRun.OkAsync("compare", Tool["before.sqlite"], other.Database, "--exact", "--json");
    }

    private Task<ToolRun> RunAsync(string command, params string[] more) =>
        ToolRun.RunAsync([command, Tool.Remote, .. more, "--no-encryption", "--json"]);

    private async Task AssertRefusedAsync(string why)
    {
        var (before, remote) = (FolderState.Of(Folder), FolderState.Of(Tool.Remote));
        foreach (
            var words in (string[][])
                [
                    ["check"],
                    ["backup", Tool.Source],
                    ["repair"],
                    ["delete", "--version", "0", "--yes"],
                ]
        )
        {
            var run = await RunAsync(words[0], words[1..]);
            Assert.That((run.Code, run.Output), Is.EqualTo((ExitCode.Usage, "")), run.Error);
            Assert.That(run.Error, Does.StartWith($"{Required}: {why}").And.Contain("\"duplicati-db databases\""));
        }

        Assert.That(FolderState.Of(Folder), Is.EqualTo(before));
        Assert.That(FolderState.Of(Tool.Remote), Is.EqualTo(remote));
    }

    private void Name(string database) => WriteConfig(Entry(Tool.Remote, database));

    private void WriteConfig(params object[] entries) => File.WriteAllText(Config, JsonSerializer.Serialize(entries));

    private static object Entry(string remote, string database, string? prefix = null) =>
        new
        {
            Type = "file",
            Server = "",
            Path = remote,
            Prefix = prefix,
            Port = -1,
            Databasepath = database,
        };

    private void MakeServer(params (string Name, string Address, string Database)[] backups)
    {
        using var server = SQLiteLoader.LoadConnection(Path.Combine(Folder, "Duplicati-server.sqlite"));
        server.Execute(
            """
            CREATE TABLE "Backup" ("ID" INTEGER PRIMARY KEY, "Name" TEXT, "TargetURL" TEXT, "DBPath" TEXT);
            CREATE TABLE "Schedule" ("ID" INTEGER PRIMARY KEY);
            CREATE TABLE "Version" ("ID" INTEGER PRIMARY KEY, "Version" INTEGER);
            INSERT INTO "Version" ("Version") VALUES (12)
            """
        );
        foreach (var (name, address, database) in backups)
            server.Execute($"""INSERT INTO "Backup" ("Name", "TargetURL", "DBPath") VALUES ('{name}', '{address}', '{database}')""");
    }
}
