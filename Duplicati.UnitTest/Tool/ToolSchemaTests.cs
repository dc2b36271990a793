// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Databases of later releases, schema 20 and 21, are used as they are; only a command that is asked to changes the version.
/// </summary>
[TestFixture]
[Contract("D 5.3")]
internal sealed class ToolSchemaTests : ToolTestBase
{
    private int Version => Databases.VersionOf(Tool.Database);

    [TestCase(20)]
    [TestCase(21)]
    public async Task Every_command_leaves_the_version_that_the_database_has(int version)
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", $"{version}"));
        Assert.That(Version, Is.EqualTo(version));
        Tool.Sql("""UPDATE "Fileset" SET "Label" = 'first'""");
        File.WriteAllText(Path.Combine(Tool.Source, "new"), "new");
        File.Delete(Path.Combine(Tool.Source, "folder/0"));
        await ToolRun.OkAsync(Tool.BackUpAsync());
        Assert.That(Query("""SELECT "Label" FROM "Fileset" ORDER BY "ID" LIMIT 1"""), Is.EqualTo("first"));

        await ToolRun.OkAsync(Tool.QueryAsync("list"));
        await ToolRun.OkAsync("info", Tool.Database, "--json");
        await ToolRun.OkAsync(Tool.RunAsync("verify"));
        await ToolRun.OkAsync(Tool.RunAsync("test", "--samples", "all"));
        await ToolRun.OkAsync(Tool.RestoreAsync("restored"));
        await ToolRun.OkAsync(Tool.RunAsync("purge", Path.Combine(Tool.Source, "folder", "1"), "--yes"));
        await ToolRun.OkAsync(Tool.RunAsync("delete", "--version", "1", "--yes"));
        await ToolRun.OkAsync(Tool.RunAsync("compact"));
        await ToolRun.OkAsync(Tool.RunAsync("repair"));
        await ToolRun.OkAsync("upgrade", Tool.Database, "--json");
        await ToolRun.OkAsync(Tool.RunAsync("check", "--deep"));
        Assert.That(Version, Is.EqualTo(version));
    }

    [Test]
    public async Task A_new_database_has_the_usual_version_unless_another_is_asked_for()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync());
        Assert.That(Version, Is.EqualTo(19));
        await ToolRun.OkAsync(Tool.RunAsync("recreate", "--overwrite", "--schema", "20"));
        Assert.That(Version, Is.EqualTo(20));
        await ToolRun.OkAsync(Tool.RunAsync("check", "--deep"));
        await ToolRun.OkAsync(Tool.BackUpAsync());
        Assert.That(Directory.GetFiles(Path.GetDirectoryName(Tool.Database)!, "backup *.sqlite"), Is.Empty, "nothing was upgraded");
    }

    [Test]
    public async Task A_database_that_is_there_keeps_its_version_whatever_is_asked_for()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync());
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20"));
        Assert.That(Version, Is.EqualTo(19));
    }

    [TestCase(20)]
    [TestCase(21)]
    public async Task An_upgrade_that_is_asked_for_leaves_a_copy_of_the_old_version(int version)
    {
        await ToolRun.OkAsync(Tool.BackUpAsync());
        var run = await ToolRun.OkAsync("upgrade", Tool.Database, "--to", $"{version}", "--json");
        Assert.That(run.Number("from"), Is.EqualTo(19));
        Assert.That(run.Number("to"), Is.EqualTo(version));
        Assert.That(Version, Is.EqualTo(version));
        Assert.That(Databases.VersionOf(Copies().Single()), Is.EqualTo(19));
        await ToolRun.OkAsync(Tool.RunAsync("check", "--deep"));

        await ToolRun.OkAsync("upgrade", Tool.Database, "--to", "19", "--json");
        Assert.That(Version, Is.EqualTo(version), "there is a command of its own for the way back");
    }

    [Test]
    public async Task A_database_of_schema_20_is_led_to_21_with_its_labels()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        await ToolRun.OkAsync("upgrade", Tool.Database, "--to", "21");
        Assert.That((Version, Query("""SELECT "Label" FROM "Fileset" """)), Is.EqualTo((21, "first")));
        await ToolRun.OkAsync(Tool.RunAsync("check", "--deep"));
        await ToolRun.OkAsync(Tool.BackUpAsync());
    }

    [TestCase(20)]
    [TestCase(21)]
    public async Task A_database_of_an_old_schema_is_led_to_a_later_one_in_one_step(int version)
    {
        var old = GoldenData.Unpack("old-schema", "handmade-v00.sqlite", Path.GetDirectoryName(Tool.Passphrase)!);
        await ToolRun.OkAsync("upgrade", old, "--to", $"{version}");
        Assert.That(Databases.VersionOf(old), Is.EqualTo(version));
    }

    [Test]
    public async Task A_downgrade_tells_the_labels_that_it_loses_and_leaves_a_copy_that_has_them()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "21"));
        Tool.Sql("""UPDATE "Fileset" SET "Label" = 'before the move'; INSERT INTO "RestoreTestHistory" VALUES (1, '/a', 5, 'Passed')""");
        var refused = await ToolRun.RunAsync("downgrade", Tool.Database, "--to", "19");
        Assert.That(refused.Code, Is.EqualTo(ExitCode.Failed));
        Assert.That(refused.Error, Does.Contain("before the move").And.Contain("1 file that a restore test has looked at"));
        Assert.That((Version, Copies("bak").Length), Is.EqualTo((21, 0)));

        await ToolRun.OkAsync("downgrade", Tool.Database, "--to", "19", "--yes", "--json");
        Assert.That(Version, Is.EqualTo(19));
        Assert.That(
            SampleDatabase.Rows(Copies("bak").Single(), """SELECT "Label" FROM "Fileset" """),
            Is.EqualTo(new[] { "before the move" })
        );
        await ToolRun.OkAsync(Tool.RunAsync("check", "--deep"));
        await ToolRun.OkAsync(Tool.BackUpAsync());
    }

    [TestCase(18)]
    [TestCase(17)]
    [TestCase(16)]
    [TestCase(15)]
    [TestCase(14)]
    [TestCase(13)]
    public async Task What_was_led_back_is_the_same_after_an_upgrade(int version)
    {
        await ToolRun.OkAsync(Tool.BackUpAsync());
        var before = Tool["before.sqlite"];
        File.Copy(Tool.Database, before);
        await ToolRun.OkAsync("downgrade", Tool.Database, "--to", $"{version}", "--yes", "--json");
        Assert.That(Version, Is.EqualTo(version));

        await ToolRun.OkAsync("upgrade", Tool.Database, "--json");
        Assert.That(Version, Is.EqualTo(19));
        await ToolRun.OkAsync("compare", before, Tool.Database);
        await ToolRun.OkAsync(Tool.RunAsync("check", "--deep"));
    }

    [Test]
    public async Task An_interrupted_database_is_completed_before_it_is_led_back()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20"));
        Tool.Sql("""DROP INDEX "BlockSize"; UPDATE "Version" SET "Version" = 1020""");
        await ToolRun.OkAsync("downgrade", Tool.Database, "--to", "19", "--yes", "--json");
        Assert.That(Version, Is.EqualTo(19));
        Assert.That(Query("SELECT COUNT(*) FROM sqlite_master WHERE name = 'BlockSize'"), Is.EqualTo("1"));
    }

    [TestCase(19)]
    [TestCase(20)]
    [TestCase(21)]
    [Contract("D 6")]
    public async Task A_database_that_was_left_at_a_marked_version_is_explained_and_the_remedy_gives_it_its_own(int version)
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", $"{version}"));
        Tool.Sql($"""DROP INDEX "BlockSize"; UPDATE "Version" SET "Version" = {1000 + version}""");
        var check = await Tool.RunAsync("check");
        Assert.That(check.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(
            check.Output,
            Does.Contain("MissingIndexes")
                .And.Contain($"reads {1000 + version} instead of {version}")
                .And.Contain($"upgrade {Tool.Database}")
        );

        await ToolRun.OkAsync("upgrade", Tool.Database);
        Assert.That(Version, Is.EqualTo(version));
        await ToolRun.OkAsync(Tool.RunAsync("check"));
    }

    // Those of an upgrade have the name that Duplicati gives them and looks for.
    [Test]
    [Contract("D 6")]
    public async Task Nothing_beside_a_database_passes_for_a_forgotten_one()
    {
        await ToolRun.OkAsync(Tool.BackUpAsync("--schema", "20"));
        await ToolRun.OkAsync("downgrade", Tool.Database, "--to", "19", "--yes");
        await ToolRun.OkAsync("vacuum", Tool.Database);
        await ToolRun.OkAsync(Tool.RunAsync("recreate", "--overwrite"));
        Tool.Sql("""DELETE FROM "Remotevolume" """);
        await ToolRun.OkAsync(Tool.RunAsync("repair"));

        var files = Directory.GetFiles(Path.GetDirectoryName(Tool.Database)!).Select(Path.GetFileName).ToList();
        Assert.That(files, Has.Some.EndsWith(".bak").And.Some.EndsWith(".backup"));
        Assert.That(files.Where(x => x!.EndsWith(".sqlite", StringComparison.OrdinalIgnoreCase)), Is.EqualTo(new[] { "backup.sqlite" }));
    }

    private string[] Copies(string extension = "sqlite") =>
        Directory.GetFiles(Path.GetDirectoryName(Tool.Database)!, $"backup backup *.{extension}");

    private string Query(string sql) => SampleDatabase.Rows(Tool.Database, sql).Single();
}
