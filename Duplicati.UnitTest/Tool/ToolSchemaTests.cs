// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Databases of later releases, schema 20 and 21, are used as they are; only a command that is asked to changes the version.
/// </summary>
[TestFixture]
[Contract("D 5.3")]
internal sealed class ToolSchemaTests
{
    private ToolCase m_tool = null!;

    [SetUp]
    public void SetUp() => m_tool = new ToolCase();

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    private int Version => Databases.VersionOf(m_tool.Database);

    [TestCase(20)]
    [TestCase(21)]
    public async Task Every_command_leaves_the_version_that_the_database_has(int version)
    {
        await RunAsync(m_tool.BackUpAsync("--schema", $"{version}"));
        Assert.That(Version, Is.EqualTo(version));
        Execute("""UPDATE "Fileset" SET "Label" = 'first'""");
        File.WriteAllText(Path.Combine(m_tool.Source, "new"), "new");
        File.Delete(Path.Combine(m_tool.Source, "folder/0"));
        await RunAsync(m_tool.BackUpAsync());
        Assert.That(Query("""SELECT "Label" FROM "Fileset" ORDER BY "ID" LIMIT 1"""), Is.EqualTo("first"));

        await RunAsync(ToolRun.RunAsync("list", "--dbpath", m_tool.Database, "--json"));
        await RunAsync(ToolRun.RunAsync("info", m_tool.Database, "--json"));
        await RunAsync(m_tool.RunAsync("verify"));
        await RunAsync(m_tool.RunAsync("test", "--samples", "all"));
        await RunAsync(m_tool.RunAsync("restore", "--target", m_tool["restored"]));
        await RunAsync(m_tool.RunAsync("purge", Path.Combine(m_tool.Source, "folder", "1"), "--yes"));
        await RunAsync(m_tool.RunAsync("delete", "--version", "1", "--yes"));
        await RunAsync(m_tool.RunAsync("compact"));
        await RunAsync(m_tool.RunAsync("repair"));
        await RunAsync(ToolRun.RunAsync("upgrade", m_tool.Database, "--json"));
        await RunAsync(m_tool.RunAsync("check", "--deep"));
        Assert.That(Version, Is.EqualTo(version));
    }

    [Test]
    public async Task A_new_database_has_the_usual_version_unless_another_is_asked_for()
    {
        await RunAsync(m_tool.BackUpAsync());
        Assert.That(Version, Is.EqualTo(19));
        await RunAsync(m_tool.RunAsync("recreate", "--overwrite", "--schema", "20"));
        Assert.That(Version, Is.EqualTo(20));
        await RunAsync(m_tool.RunAsync("check", "--deep"));
        await RunAsync(m_tool.BackUpAsync());
        Assert.That(Directory.GetFiles(Path.GetDirectoryName(m_tool.Database)!, "backup *.sqlite"), Is.Empty, "nothing was upgraded");
    }

    [Test]
    public async Task A_database_that_is_there_keeps_its_version_whatever_is_asked_for()
    {
        await RunAsync(m_tool.BackUpAsync());
        await RunAsync(m_tool.BackUpAsync("--schema", "20"));
        Assert.That(Version, Is.EqualTo(19));
    }

    [TestCase(20)]
    [TestCase(21)]
    public async Task An_upgrade_that_is_asked_for_leaves_a_copy_of_the_old_version(int version)
    {
        await RunAsync(m_tool.BackUpAsync());
        var run = await RunAsync(ToolRun.RunAsync("upgrade", m_tool.Database, "--to", $"{version}", "--json"));
        Assert.That(run.Json.GetProperty("from").GetInt32(), Is.EqualTo(19));
        Assert.That(run.Json.GetProperty("to").GetInt32(), Is.EqualTo(version));
        Assert.That(Version, Is.EqualTo(version));
        Assert.That(Databases.VersionOf(Copies().Single()), Is.EqualTo(19));
        await RunAsync(m_tool.RunAsync("check", "--deep"));

        await RunAsync(ToolRun.RunAsync("upgrade", m_tool.Database, "--to", "19", "--json"));
        Assert.That(Version, Is.EqualTo(version), "there is a command of its own for the way back");
    }

    [Test]
    public async Task A_database_of_schema_20_is_led_to_21_with_its_labels()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20", "--version-name", "first"));
        await RunAsync(ToolRun.RunAsync("upgrade", m_tool.Database, "--to", "21"));
        Assert.That((Version, Query("""SELECT "Label" FROM "Fileset" """)), Is.EqualTo((21, "first")));
        await RunAsync(m_tool.RunAsync("check", "--deep"));
        await RunAsync(m_tool.BackUpAsync());
    }

    [TestCase(20)]
    [TestCase(21)]
    public async Task A_database_of_an_old_schema_is_led_to_a_later_one_in_one_step(int version)
    {
        var old = GoldenData.Unpack("old-schema", "handmade-v00.sqlite", Path.GetDirectoryName(m_tool.Passphrase)!);
        await RunAsync(ToolRun.RunAsync("upgrade", old, "--to", $"{version}"));
        Assert.That(Databases.VersionOf(old), Is.EqualTo(version));
    }

    [Test]
    public async Task A_downgrade_tells_the_labels_that_it_loses_and_leaves_a_copy_that_has_them()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "21"));
        Execute("""UPDATE "Fileset" SET "Label" = 'before the move'; INSERT INTO "RestoreTestHistory" VALUES (1, '/a', 5, 'Passed')""");
        var refused = await ToolRun.RunAsync("downgrade", m_tool.Database, "--to", "19");
        Assert.That(refused.Code, Is.EqualTo(ExitCode.Failed));
        Assert.That(refused.Error, Does.Contain("before the move").And.Contain("1 file that a restore test has looked at"));
        Assert.That((Version, Copies("bak").Length), Is.EqualTo((21, 0)));

        await RunAsync(ToolRun.RunAsync("downgrade", m_tool.Database, "--to", "19", "--yes", "--json"));
        Assert.That(Version, Is.EqualTo(19));
        Assert.That(
            SampleDatabase.Rows(Copies("bak").Single(), """SELECT "Label" FROM "Fileset" """),
            Is.EqualTo(new[] { "before the move" })
        );
        await RunAsync(m_tool.RunAsync("check", "--deep"));
        await RunAsync(m_tool.BackUpAsync());
    }

    [TestCase(18)]
    [TestCase(17)]
    [TestCase(16)]
    [TestCase(15)]
    [TestCase(14)]
    [TestCase(13)]
    public async Task What_was_led_back_is_the_same_after_an_upgrade(int version)
    {
        await RunAsync(m_tool.BackUpAsync());
        var before = m_tool["before.sqlite"];
        File.Copy(m_tool.Database, before);
        await RunAsync(ToolRun.RunAsync("downgrade", m_tool.Database, "--to", $"{version}", "--yes", "--json"));
        Assert.That(Version, Is.EqualTo(version));

        await RunAsync(ToolRun.RunAsync("upgrade", m_tool.Database, "--json"));
        Assert.That(Version, Is.EqualTo(19));
        await RunAsync(ToolRun.RunAsync("compare", before, m_tool.Database));
        await RunAsync(m_tool.RunAsync("check", "--deep"));
    }

    [Test]
    public async Task An_interrupted_database_is_completed_before_it_is_led_back()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20"));
        Execute("""DROP INDEX "BlockSize"; UPDATE "Version" SET "Version" = 1020""");
        await RunAsync(ToolRun.RunAsync("downgrade", m_tool.Database, "--to", "19", "--yes", "--json"));
        Assert.That(Version, Is.EqualTo(19));
        Assert.That(Query("SELECT COUNT(*) FROM sqlite_master WHERE name = 'BlockSize'"), Is.EqualTo("1"));
    }

    [TestCase(19)]
    [TestCase(20)]
    [TestCase(21)]
    [Contract("D 6")]
    public async Task A_database_that_was_left_at_a_marked_version_is_explained_and_the_remedy_gives_it_its_own(int version)
    {
        await RunAsync(m_tool.BackUpAsync("--schema", $"{version}"));
        Execute($"""DROP INDEX "BlockSize"; UPDATE "Version" SET "Version" = {1000 + version}""");
        var check = await m_tool.RunAsync("check");
        Assert.That(check.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(
            check.Output,
            Does.Contain("MissingIndexes")
                .And.Contain($"reads {1000 + version} instead of {version}")
                .And.Contain($"upgrade {m_tool.Database}")
        );

        await RunAsync(ToolRun.RunAsync("upgrade", m_tool.Database));
        Assert.That(Version, Is.EqualTo(version));
        await RunAsync(m_tool.RunAsync("check"));
    }

    // Those of an upgrade have the name that Duplicati gives them and looks for.
    [Test]
    [Contract("D 6")]
    public async Task Nothing_beside_a_database_passes_for_a_forgotten_one()
    {
        await RunAsync(m_tool.BackUpAsync("--schema", "20"));
        await RunAsync(ToolRun.RunAsync("downgrade", m_tool.Database, "--to", "19", "--yes"));
        await RunAsync(ToolRun.RunAsync("vacuum", m_tool.Database));
        await RunAsync(m_tool.RunAsync("recreate", "--overwrite"));
        Execute("""DELETE FROM "Remotevolume" """);
        await RunAsync(m_tool.RunAsync("repair"));

        var files = Directory.GetFiles(Path.GetDirectoryName(m_tool.Database)!).Select(Path.GetFileName).ToList();
        Assert.That(files, Has.Some.EndsWith(".bak").And.Some.EndsWith(".backup"));
        Assert.That(files.Where(x => x!.EndsWith(".sqlite", StringComparison.OrdinalIgnoreCase)), Is.EqualTo(new[] { "backup.sqlite" }));
    }

    private static async Task<ToolRun> RunAsync(Task<ToolRun> running)
    {
        var run = await running;
        Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), run.Output + run.Error);
        return run;
    }

    private string[] Copies(string extension = "sqlite") =>
        Directory.GetFiles(Path.GetDirectoryName(m_tool.Database)!, $"backup backup *.{extension}");

    private void Execute(string sql) => Databases.Execute(m_tool.Database, sql);

    private string Query(string sql) => SampleDatabase.Rows(m_tool.Database, sql).Single();
}
