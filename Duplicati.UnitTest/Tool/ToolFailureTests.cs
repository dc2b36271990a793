// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.SQLiteHelper;
using Duplicati.Tool;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>What goes wrong for a reason a user can mend ends with exit code 3 and its help id.</summary>
[TestFixture]
internal sealed class ToolFailureTests
{
    private ToolCase m_tool = null!;

    [SetUp]
    public void SetUp() => m_tool = new ToolCase();

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    [TestCase("verify")]
    [TestCase("compact")]
    [TestCase("delete", "--version", "0")]
    [TestCase("restore", "--target", "target")]
    public async Task A_missing_database_is_not_made(string command, params string[] more)
    {
        Directory.CreateDirectory(m_tool.Remote);
        (await m_tool.RunAsync(command, more)).AssertRefused("DatabaseDoesNotExist");
        foreach (var other in new[] { "info", "vacuum" })
            (await ToolRun.RunAsync(other, m_tool.Database, "--json")).AssertRefused("DatabaseDoesNotExist");
        Assert.That(File.Exists(m_tool.Database), Is.False);
    }

    [Test]
    public async Task A_missing_remote_folder_is_named()
    {
        var run = await m_tool.RunAsync("recreate");
        run.AssertRefused("FolderMissing");
        Assert.That(run.Error, Does.Contain(m_tool.Remote).And.Contain("Check the address"));
        Assert.That(run.Error, Does.Not.Contain("run again").And.Not.Contain("Run: "));
        Assert.That(File.Exists(m_tool.Database), Is.False);
        await m_tool.BackUpAsync();
        Directory.Move(m_tool.Remote, m_tool["away"]);
        (await m_tool.RunAsync("verify")).AssertRefused("FolderMissing");
        (await ToolRun.RunAsync("list", m_tool.Remote, "--no-encryption", "--json")).AssertRefused("FolderMissing");
    }

    [Test]
    public async Task A_missing_source_is_named_and_no_version_is_begun()
    {
        await m_tool.BackUpAsync();
        (await m_tool.RunAsync("backup", m_tool["no such source"])).AssertRefused("SourceIsMissing");
        var versions = await ToolRun.RunAsync("list", "--dbpath", m_tool.Database, "--json");
        Assert.That(versions.Json.GetArrayLength(), Is.EqualTo(1));
    }

    [Test]
    public async Task A_database_that_another_program_writes_to_is_refused_after_the_timeout()
    {
        await m_tool.BackUpAsync();
        using var busyTimeout = new EnvironmentVariable("CUSTOMSQLITEOPTIONS_DUPLICATI", "busy_timeout=100");
        using var scope = TestOptions.Waiting(1).Use();
        using (var other = SQLiteLoader.LoadConnection(m_tool.Database))
        {
            other.Execute("BEGIN IMMEDIATE; UPDATE \"Configuration\" SET \"Value\" = \"Value\"");
            File.WriteAllText(Path.Combine(m_tool.Source, "new"), "new");
            var run = await m_tool.BackUpAsync();
            run.AssertRefused("DatabaseIsBusy");
            Assert.That(run.Error, Does.Contain(m_tool.Database));
            other.Execute("ROLLBACK");
        }

        Assert.That((await m_tool.BackUpAsync()).Code, Is.Zero);
    }

    // Not with a command: each first looks, with a timeout of its own, whether a recreate was interrupted.
    [Test]
    public async Task A_database_that_another_program_has_locked_is_refused_while_it_is_opened()
    {
        await m_tool.BackUpAsync();
        using var scope = TestOptions.Waiting(-1, 50).Use();
        using var other = SQLiteLoader.LoadConnection(m_tool.Database);
        other.Execute("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE Version SET Version = Version");

        using var output = new StringWriter();
        using var error = new StringWriter();
        var code = await new ToolConsole(output, error).RunAsync(
            ToolRoot.Of().Parse(["vacuum", m_tool.Database, "--json"]),
            async (_, token) =>
            {
                using (await LocalDatabase.CreateLocalDatabaseAsync(m_tool.Database, "Test", true, null, token))
                    return ExitCode.Ok;
            },
            CancellationToken.None
        );
        (new ToolRun(code, output.ToString(), error.ToString())).AssertRefused("DatabaseIsBusy");
        Assert.That(error.ToString(), Does.Contain("is in use by another program").And.Contain(m_tool.Database));
    }

    [Test]
    public async Task A_database_whose_schema_is_damaged_is_refused_with_what_helps()
    {
        await m_tool.BackUpAsync();
        Databases.Execute(
            m_tool.Database,
            "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = 'CREATE nothing' WHERE name = 'Block'"
        );
        foreach (var run in new[] { await m_tool.BackUpAsync(), await m_tool.RunAsync("compact") })
        {
            run.AssertRefused("DatabaseIsDamaged");
            Assert.That(
                run.Error,
                Does.Contain("The database file is damaged.").And.Contain(Advice.DamagedDatabase()).And.Contain(m_tool.Database)
            );
        }
    }

    [Test]
    public async Task An_empty_remote_folder_gives_no_database()
    {
        Directory.CreateDirectory(m_tool.Remote);
        (await m_tool.RunAsync("recreate")).AssertRefused("EmptyRemoteLocation");
        Assert.That(Directory.GetFiles(m_tool["."], "*.sqlite*"), Is.Empty);
        (await ToolRun.RunAsync("list", m_tool.Remote, "--no-encryption", "--json")).AssertRefused("EmptyRemoteLocation");
        File.WriteAllText(Path.Combine(m_tool.Remote, "other-20260101T000000Z.dlist.zip"), "x");
        (await m_tool.RunAsync("recreate")).AssertRefused("EmptyRemoteLocationWithPrefix");
    }

    [Test]
    public async Task Passphrases_are_asked_for_and_checked()
    {
        string[] common = [m_tool.Remote, "--json", "--dbpath"];
        Assert.That(
            (
                await ToolRun.RunAsync([
                    "backup",
                    .. common,
                    m_tool.Database,
                    m_tool.Source,
                    "--blocksize",
                    "1kb",
                    "--dblock-size",
                    "50kb",
                    "--passphrase-file",
                    m_tool.Passphrase,
                ])
            ).Code,
            Is.Zero
        );
        (await m_tool.BackUpAsync()).AssertRefused("MissingPassphrase");
        var recreated = m_tool["recreated.sqlite"];
        (await ToolRun.RunAsync(["recreate", .. common, recreated, "--no-encryption"])).AssertRefused("MissingPassphrase");
        using (new EnvironmentVariable("DUPLICATI_TEST_PASSPHRASE", "another"))
        {
            (await ToolRun.RunAsync(["recreate", .. common, recreated, "--passphrase-env", "DUPLICATI_TEST_PASSPHRASE"])).AssertRefused(
                "WrongPassphrase"
            );
            Assert.That(File.Exists(recreated), Is.False);
            (
                await ToolRun.RunAsync([
                    "restore",
                    .. common,
                    m_tool.Database,
                    "--target",
                    m_tool["target"],
                    "--passphrase-env",
                    "DUPLICATI_TEST_PASSPHRASE",
                ])
            ).AssertRefused("WrongPassphrase");
            (
                await ToolRun.RunAsync([
                    "verify",
                    .. common,
                    m_tool.Database,
                    "--passphrase-env",
                    "DUPLICATI_TEST_PASSPHRASE",
                    "--no-encryption",
                ])
            ).AssertRefused("InvalidPassphraseOptions");
        }

        Assert.That((await ToolRun.RunAsync(["verify", .. common, m_tool.Database, "--passphrase-file", m_tool.Passphrase])).Code, Is.Zero);
    }

    [Test]
    public async Task A_text_of_SQLite_within_another_ends_with_one_dot()
    {
        await m_tool.BackUpAsync();
        Databases.Execute(m_tool.Database, "UPDATE \"Version\" SET \"Version\" = 10");
        foreach (var run in new[] { await m_tool.BackUpAsync(), await ToolRun.RunAsync("check", "--dbpath", m_tool.Database) })
        {
            Assert.That(run.Error + run.Output, Does.Contain("SQLite Error"));
            Assert.That(run.Error + run.Output, Does.Not.Contain(".."));
        }
    }

    [Test]
    public async Task A_version_that_does_not_exist_is_refused()
    {
        await m_tool.BackUpAsync();
        (await m_tool.RunAsync("restore", "--target", m_tool["target"], "--version", "1")).AssertRefused("InvalidVersion");
        Assert.That((await m_tool.RunAsync("restore", "--target", m_tool["target"], "--version", "-1")).Code, Is.EqualTo(ExitCode.Usage));
        (await m_tool.RunAsync("delete", "--version", "5")).AssertRefused("InvalidVersion");
        (await m_tool.RunAsync("delete", "--version", "0")).AssertRefused("CannotDeleteAllVersions");
        (await ToolRun.RunAsync("list", m_tool.Remote, "--no-encryption", "--json", "--version", "7")).AssertRefused("InvalidVersion");
        (await m_tool.RunAsync("restore", "--target", m_tool["target"], "--include", "/nothing/like/it")).AssertRefused(
            "EmptyRestoreOperation"
        );
    }
}
