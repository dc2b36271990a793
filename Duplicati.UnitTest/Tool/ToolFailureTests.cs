// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>What goes wrong for a reason a user can mend ends with exit code 3 and its help id.</summary>
[TestFixture]
internal sealed class ToolFailureTests : ToolTestBase
{
    [TestCase("verify")]
    [TestCase("compact")]
    [TestCase("delete", "--version", "0")]
    [TestCase("restore", "--target", "target")]
    public async Task A_missing_database_is_not_made(string command, params string[] more)
    {
        Directory.CreateDirectory(Tool.Remote);
        (await Tool.RunAsync(command, more)).AssertRefused("DatabaseDoesNotExist");
        foreach (var other in new[] { "info", "vacuum" })
            (await ToolRun.RunAsync(other, Tool.Database, "--json")).AssertRefused("DatabaseDoesNotExist");
        Assert.That(File.Exists(Tool.Database), Is.False);
    }

    [Test]
    public async Task A_missing_remote_folder_is_named()
    {
        var run = await Tool.RunAsync("recreate");
        run.AssertRefused("FolderMissing");
        Assert.That(run.Error, Does.Contain(Tool.Remote).And.Contain("Check the address"));
        Assert.That(run.Error, Does.Not.Contain("run again").And.Not.Contain("Run: "));
        Assert.That(File.Exists(Tool.Database), Is.False);
        await Tool.BackUpAsync();
        Directory.Move(Tool.Remote, Tool["away"]);
        (await Tool.RunAsync("verify")).AssertRefused("FolderMissing");
        (await ToolRun.RunAsync("list", Tool.Remote, "--no-encryption", "--json")).AssertRefused("FolderMissing");
    }

    [Test]
    public async Task A_missing_source_is_named_and_no_version_is_begun()
    {
        await Tool.BackUpAsync();
        (await Tool.RunAsync("backup", Tool["no such source"])).AssertRefused("SourceIsMissing");
        var versions = await Tool.QueryAsync("list");
        Assert.That(versions.Json.GetArrayLength(), Is.EqualTo(1));
    }

    [Test]
    public async Task A_database_that_another_program_writes_to_is_refused_after_the_timeout()
    {
        await Tool.BackUpAsync();
        using var busyTimeout = new EnvironmentVariable("CUSTOMSQLITEOPTIONS_DUPLICATI", "busy_timeout=100");
        using var scope = TestOptions.Waiting(1).Use();
        using (var other = SQLiteLoader.LoadConnection(Tool.Database))
        {
            other.Execute("BEGIN IMMEDIATE; UPDATE \"Configuration\" SET \"Value\" = \"Value\"");
            File.WriteAllText(Path.Combine(Tool.Source, "new"), "new");
            var run = await Tool.BackUpAsync();
            run.AssertRefused("DatabaseIsBusy");
            Assert.That(run.Error, Does.Contain(Tool.Database));
            other.Execute("ROLLBACK");
        }

        Assert.That((await Tool.BackUpAsync()).Code, Is.Zero);
    }

    // Not with a command: each first looks, with a timeout of its own, whether a recreate was interrupted.
    [Test]
    public async Task A_database_that_another_program_has_locked_is_refused_while_it_is_opened()
    {
        await Tool.BackUpAsync();
        using var scope = TestOptions.Waiting(-1, 50).Use();
        using var other = SQLiteLoader.LoadConnection(Tool.Database);
        other.Execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE Version SET Version = Version");

        using var output = new StringWriter();
        using var error = new StringWriter();
        var code = await new ToolConsole(output, error).RunAsync(
            ToolRoot.Of().Parse(["vacuum", Tool.Database, "--json"]),
            async (_, token) =>
            {
                using (await LocalDatabase.CreateLocalDatabaseAsync(Tool.Database, "Test", true, null, token))
                    return ExitCode.Ok;
            },
            CancellationToken.None
        );
        (new ToolRun(code, output.ToString(), error.ToString())).AssertRefused("DatabaseIsBusy");
        Assert.That(error.ToString(), Does.Contain("is in use by another program").And.Contain(Tool.Database));
    }

    [Test]
    public async Task A_database_whose_schema_is_damaged_is_refused_with_what_helps()
    {
        await Tool.BackUpAsync();
        Tool.Sql("PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE nothing' WHERE name = 'Block'");
        foreach (var run in new[] { await Tool.BackUpAsync(), await Tool.RunAsync("compact") })
        {
            run.AssertRefused("DatabaseIsDamaged");
            Assert.That(
                run.Error,
                Does.Contain("The database file is damaged.").And.Contain(Advice.DamagedDatabase()).And.Contain(Tool.Database)
            );
        }
    }

    [Test]
    public async Task An_empty_remote_folder_gives_no_database()
    {
        Directory.CreateDirectory(Tool.Remote);
        (await Tool.RunAsync("recreate")).AssertRefused("EmptyRemoteLocation");
        Assert.That(Directory.GetFiles(Tool["."], "*.sqlite*"), Is.Empty);
        (await ToolRun.RunAsync("list", Tool.Remote, "--no-encryption", "--json")).AssertRefused("EmptyRemoteLocation");
        File.WriteAllText(Path.Combine(Tool.Remote, "other-20260101T000000Z.dlist.zip"), "x");
        (await Tool.RunAsync("recreate")).AssertRefused("EmptyRemoteLocationWithPrefix");
    }

    [Test]
    public async Task Passphrases_are_asked_for_and_checked()
    {
        const string Other = "--passphrase-env DUPLICATI_TEST_PASSPHRASE --json";
        await ToolRun.OkAsync(
            Tool.LineAsync("backup $REMOTE $SOURCE --dbpath $DB --passphrase-file $passphrase --blocksize 1kb --dblock-size 50kb")
        );
        (await Tool.BackUpAsync()).AssertRefused("MissingPassphrase");
        (await Tool.LineAsync("recreate $REMOTE --dbpath $recreated.sqlite --no-encryption --json")).AssertRefused("MissingPassphrase");
        using (new EnvironmentVariable("DUPLICATI_TEST_PASSPHRASE", "another"))
        {
            (await Tool.LineAsync($"recreate $REMOTE --dbpath $recreated.sqlite {Other}")).AssertRefused("WrongPassphrase");
            Assert.That(File.Exists(Tool["recreated.sqlite"]), Is.False);
            (await Tool.LineAsync($"restore $REMOTE --dbpath $DB --target $target {Other}")).AssertRefused("WrongPassphrase");
            (await Tool.LineAsync($"verify $REMOTE --dbpath $DB --no-encryption {Other}")).AssertRefused("InvalidPassphraseOptions");
        }

        Assert.That((await Tool.LineAsync("verify $REMOTE --dbpath $DB --passphrase-file $passphrase")).Code, Is.Zero);
    }

    [Test]
    public async Task A_text_of_SQLite_within_another_ends_with_one_dot()
    {
        await Tool.BackUpAsync();
        Tool.Sql("UPDATE \"Version\" SET \"Version\" = 10");
        foreach (var run in new[] { await Tool.BackUpAsync(), await ToolRun.RunAsync("check", "--dbpath", Tool.Database) })
        {
            Assert.That(run.Error + run.Output, Does.Contain("SQLite Error"));
            Assert.That(run.Error + run.Output, Does.Not.Contain(".."));
        }
    }

    [Test]
    public async Task A_version_that_does_not_exist_is_refused()
    {
        await Tool.BackUpAsync();
        (await Tool.RestoreAsync("target", "--version", "1")).AssertRefused("InvalidVersion");
        Assert.That((await Tool.RestoreAsync("target", "--version", "-1")).Code, Is.EqualTo(ExitCode.Usage));
        (await Tool.RunAsync("delete", "--version", "5")).AssertRefused("InvalidVersion");
        (await Tool.RunAsync("delete", "--version", "0")).AssertRefused("CannotDeleteAllVersions");
        (await Tool.RestoreAsync("target", "--include", "/nothing/like/it")).AssertRefused("EmptyRestoreOperation");
    }
}
