// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Golden;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// An existing backup keeps its passphrase and its settings: what differs is refused before anything is uploaded or deleted.
/// </summary>
[TestFixture]
internal sealed class ToolSettingsTests
{
    private const string Hash = "BDFB09E0EFCFA4D485CC8CD1AC5EE3147C3CCE85E7876D72045C9E86D1499BCC";

    [OneTimeTearDown]
    public void Forget() => StoredSettingsCase.Forget();

    // The first backup makes the database.
    [TestCase("--dblock-size", "1mb")]
    [TestCase("--blocksize", "2gb")]
    public async Task Sizes_that_no_backup_can_have_leave_no_database(params string[] sizes)
    {
        using var tool = new ToolCase();
        var run = await ToolRun.RunAsync(["backup", tool.Remote, tool.Source, "--dbpath", tool.Database, "--no-encryption", .. sizes]);
        Assert.That(run.Error, Does.Contain("Help id: Invalid"));
        Assert.That((run.Code, File.Exists(tool.Database)), Is.EqualTo((ExitCode.Failed, false)));
    }

    [TestCase("wrong")]
    [TestCase("none")]
    public async Task Another_passphrase_is_refused_by_all_that_write(string passphrase)
    {
        using var backup = await StoredSettingsCase.CreateAsync(encrypted: true);
        File.WriteAllText(backup["wrong"], "a pasphrase\n");
        string[] access = passphrase == "none" ? ["--no-encryption"] : ["--passphrase-file", backup["wrong"]];
        foreach (
            var command in StoredSettingsCase
                .Writing.Concat(["check", "restore", "verify", "test", "recreate", "list-broken-files"])
                .Except(passphrase == "none" ? [] : ["list-broken-files"])
        )
        {
            var run = await backup.RefusedAsync(command, access, command == "recreate" ? ["--overwrite"] : []);
            var helpId = passphrase == "none" ? "MissingPassphrase" : "WrongPassphrase";
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Of(helpId), helpId)), command);
            // No command is named that the passphrase would fail.
            if (passphrase == "wrong")
                Assert.That(run.Error, Does.Not.Contain(ToolConsole.RUN), command);
            if (command is not ("restore" or "recreate" or "test"))
                Assert.That(run.Error, Does.Contain(backup.Database).And.Contain(Advice.GivePassphrase()).And.Contain(Advice.NewBackup()));
        }

        await backup.AssertWholeAsync();
        // Nothing of the passphrase is in a database that was made anew.
        Assert.That((await backup.RefusedAsync("backup", access)).HelpId, Does.EndWith("Passphrase"));
        Assert.That((await backup.RunAsync("backup")).Code, Is.Zero);
        await backup.AssertWholeAsync();
    }

    [Test]
    public async Task A_passphrase_for_a_backup_without_one_is_refused()
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        foreach (var command in StoredSettingsCase.Writing)
        {
            var run = await backup.RefusedAsync(command, ["--passphrase-file", backup["passphrase"]]);
            Assert.That(run.HelpId, Is.EqualTo("PassphraseChangeUnsupported"));
            Assert.That(run.Error, Does.Contain(backup.Database).And.Contain(Advice.NoEncryption()).And.Contain(Advice.NewBackup()));
        }
    }

    [TestCase("BlocksizeChangeUnsupported", "--blocksize", "2kb")]
    [TestCase("HashChangeUnsupported", "--block-hash-algorithm", "MD5")]
    [TestCase("HashChangeUnsupported", "--file-hash-algorithm", "MD5")]
    [TestCase("PrefixChangeUnsupported", "--prefix", "other")]
    public async Task Another_setting_is_refused(string helpId, params string[] words)
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        foreach (var command in words[0] == "--prefix" ? StoredSettingsCase.Writing : ["backup"])
        {
            var run = await backup.RefusedAsync(command, ["--no-encryption"], words);
            Assert.That(run.HelpId, Is.EqualTo(helpId));
            Assert.That(run.Error, Does.Contain(backup.Database).And.Contain(Advice.NewBackup()));
        }

        // As older releases leave it.
        backup.Sql("DELETE FROM \"Configuration\" WHERE \"Key\" = 'prefix'");
        Assert.That((await backup.RefusedAsync("backup", ["--no-encryption"], words)).HelpId, Is.EqualTo(helpId));
        Assert.That((await backup.RunAsync("backup")).Code, Is.Zero);
    }

    [TestCase("a:b")]
    [TestCase("a-b")]
    [TestCase("a/b")]
    [TestCase("")]
    [TestCase(".putting")]
    [TestCase("\u00e4", 110)]
    public async Task A_prefix_that_no_volume_can_have_is_refused_before_anything_is_made(string part, int times = 1)
    {
        using var backup = new ToolCase();
        var prefix = string.Concat(Enumerable.Repeat(part, times));
        foreach (var command in StoredSettingsCase.Writing.Concat(["recreate", "restore", "verify", "check", "list"]))
        {
            string[] words = command switch
            {
                "backup" => [backup.Source],
                "delete" => ["--version", "1", "--yes"],
                "purge" => ["*new", "--yes"],
                "restore" => ["--no-database", "--target", backup["restored"]],
                _ => [],
            };
            string[] database = command is "restore" or "list" ? [] : ["--dbpath", backup.Database];
            var run = await ToolRun.RunAsync([
                command,
                backup.Remote,
                "--prefix",
                prefix,
                "--no-encryption",
                "--json",
                .. database,
                .. words,
            ]);
            var isNew = command is "backup" or "recreate" or "repair" or "restore" or "list";
            Assert.That((run.IsRefused, run.HelpId), Is.EqualTo((true, isNew ? "InvalidPrefix" : "DatabaseDoesNotExist")), command);
            Assert.That(Directory.Exists(backup.Remote) || File.Exists(backup.Database), Is.False, command);
        }

        Assert.That((await backup.BackUpAsync("--prefix", "other")).Code, Is.Zero);
    }

    [Test]
    public async Task A_prefix_that_was_stored_and_no_volume_can_have_is_named()
    {
        using var backup = new ToolCase();
        await backup.BackUpAsync();
        using (var connection = Databases.Open(backup.Database))
        {
            connection.Execute("UPDATE \"Configuration\" SET \"Value\" = 'a:b' WHERE \"Key\" = 'prefix'");
            connection.Execute("DELETE FROM \"IndexBlockLink\"; DELETE FROM \"Remotevolume\"");
        }

        Assert.That((await backup.BackUpAsync()).HelpId, Is.EqualTo("InvalidPrefix"));
    }

    [Test]
    public async Task The_prefix_of_a_backup_need_not_be_given_again()
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        Directory.CreateDirectory(backup["second"]);
        string[] words = ["--dbpath", backup["second.sqlite"], "--no-encryption", "--json"];
        Assert.That(
            (await ToolRun.RunAsync(["backup", backup.Remote, backup.Source, "--prefix", "other", .. words])).Code,
            Is.Zero,
            "two backups may share a folder"
        );
        Assert.That((await ToolRun.RunAsync(["backup", backup.Remote, backup.Source, .. words])).Code, Is.Zero);
        Assert.That(
            (await ToolRun.RunAsync(["backup", backup.Remote, backup.Source, "--prefix", "duplicati", .. words])).HelpId,
            Is.EqualTo("PrefixChangeUnsupported")
        );
        Assert.That((await backup.RunAsync("check", "--deep")).Code, Is.Zero);
    }

    // The folder holds a backup of the prefix that is taken where none is known.
    [Test]
    public async Task A_database_that_is_made_anew_stays_that_of_its_prefix([Values("repair", "recreate --overwrite")] string command)
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        var (database, words) = await AddOtherAsync(backup);
        if (command == "repair")
            Databases.ZeroPage(database, "Block");

        Assert.That(await RunAsync("--prefix", "duplicati"), Is.EqualTo("PrefixChangeUnsupported"));
        Assert.That(await RunAsync(), Is.Null);
        Assert.That(PrefixesIn(database), Is.EqualTo(new[] { "other" }));
        Assert.That((await ToolRun.RunAsync(["backup", .. words, backup.Source])).Code, Is.Zero);
        Assert.That(PrefixesIn(database), Is.EqualTo(new[] { "other" }));
        Assert.That((await backup.RunAsync("check", "--deep")).Code, Is.Zero);

        async Task<string?> RunAsync(params string[] more)
        {
            var run = await ToolRun.RunAsync([.. command.Split(' '), .. words, .. more]);
            return run.Code is ExitCode.Ok or ExitCode.Found ? null : run.HelpId;
        }
    }

    [Test]
    public async Task A_database_that_cannot_tell_its_prefix_is_made_anew_of_the_one_that_is_given()
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        var (database, words) = await AddOtherAsync(backup);
        File.WriteAllText(database, "no database");

        var refused = await ToolRun.RunAsync(["recreate", "--overwrite", .. words]);
        Assert.That(refused.HelpId, Is.EqualTo("PrefixChangeUnsupported"), refused.Output);
        Assert.That(refused.Error, Does.Contain("--prefix").And.Contain("duplicati, other"));
        Assert.That(File.ReadAllText(database), Is.EqualTo("no database"));
        var run = await ToolRun.RunAsync(["recreate", "--overwrite", .. words, "--prefix", "other"]);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(PrefixesIn(database), Is.EqualTo(new[] { "other" }));
    }

    [Test]
    public async Task A_database_without_volumes_that_is_put_aside_tells_the_prefix()
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        var (database, words) = await AddOtherAsync(backup);
        File.Delete(database);
        Databases.Upgrade(database);

        var refused = await ToolRun.RunAsync(["repair", .. words]);
        Assert.That(refused.HelpId, Is.EqualTo("PrefixChangeUnsupported"), refused.Output);
        Databases.Execute(database, "INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('prefix', 'other')");
        await ToolRun.OkAsync(["repair", .. words]);
        Assert.That(PrefixesIn(database), Is.EqualTo(new[] { "other" }));
    }

    private static async Task<(string Database, string[] Words)> AddOtherAsync(StoredSettingsCase backup)
    {
        string[] words = [backup.Remote, "--dbpath", backup["second.sqlite"], "--no-encryption", "--json"];
        Assert.That((await ToolRun.RunAsync(["backup", .. words, backup.Source, "--prefix", "other"])).Code, Is.Zero);
        return (backup["second.sqlite"], words);
    }

    private static string[] PrefixesIn(string database) =>
        SampleDatabase.Rows(database, "SELECT DISTINCT substr(\"Name\", 1, instr(\"Name\", '-') - 1) FROM \"Remotevolume\"");

    [Test]
    public async Task The_advice_for_a_backup_of_another_prefix_names_it()
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        string[] words = [backup["remote2"], "--dbpath", backup["second.sqlite"], "--no-encryption", "--json"];
        Assert.That((await ToolRun.RunAsync(["backup", .. words, backup.Source, "--prefix", "other"])).Code, Is.Zero);
        Databases.Execute(backup["second.sqlite"], "UPDATE \"Configuration\" SET \"Value\" = 'x' WHERE \"Key\" IN ('blocksize', 'prefix')");

        var refused = await ToolRun.RunAsync(["backup", .. words, backup.Source]);
        Assert.That(refused.Text("command"), Does.Contain(" --prefix other"), refused.Error);
        var check = await ToolRun.RunAsync(["check", .. words]);
        var commands = check.Items("findings").Select(x => x.GetProperty("command").GetString()!).Distinct().ToList();
        Assert.That(commands, Has.Count.EqualTo(1));
        Assert.That((await ToolRun.RunAsync(commands[0].Split(' ')[1..])).Code, Is.Zero);
        Assert.That((await ToolRun.RunAsync(["check", .. words])).Code, Is.Zero);
    }

    [TestCase(false, "blocksize", null, true)]
    [TestCase(false, "blocksize", "2048")]
    [TestCase(false, "blocksize", "0")]
    [TestCase(true, "blocksize", "much")]
    [TestCase(false, "blockhash", null, true)]
    [TestCase(true, "blockhash", "MD5")]
    [TestCase(false, "blockhash", "SHA-none")]
    [TestCase(false, "filehash", null, true)]
    [TestCase(true, "filehash", "SHA512")]
    [TestCase(false, "filehash", "")]
    [TestCase(false, "dblock-size", "x", true)]
    [TestCase(false, "prefix", "other", true)]
    [TestCase(false, "compression-module", "7z", true)]
    [TestCase(true, "encryption-module", "gpg", true)]
    [TestCase(true, "encryption-module", null)]
    [TestCase(true, "passphrase", "no-encryption", true)]
    [TestCase(false, "passphrase", Hash)]
    [TestCase(true, "passphrase", Hash)]
    [TestCase(true, "passphrase-salt", "v1:" + Hash, true)]
    public async Task A_stored_setting_that_is_wrong_is_named_and_nothing_is_done_with_it(
        bool encrypted,
        string key,
        string? value,
        bool byAll = false
    )
    {
        using var backup = await StoredSettingsCase.CreateAsync(encrypted);
        backup.Sql($"DELETE FROM \"Configuration\" WHERE \"Key\" = '{key}'");
        if (value is not null)
            backup.Sql($"INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('{key}', '{value}')");

        foreach (var check in new[] { await backup.RunAsync("check"), await backup.QueryAsync("check") })
        {
            Assert.That(
                (check.Code, string.Join(' ', check.Kinds.Distinct())),
                Is.EqualTo((ExitCode.Found, "DamagedSetting")),
                check.Output
            );
            Assert.That(check.Output, Does.Contain(key));
        }

        Assert.That((await ToolRun.RunAsync("info", backup.Database)).Code, Is.EqualTo(ExitCode.Found));
        // One reader of settings serves them all.
        foreach (var command in byAll ? StoredSettingsCase.Writing : ["backup"])
        {
            var run = await backup.RefusedAsync(command);
            Assert.That(run.HelpId, Is.EqualTo("DatabaseIsDamaged"), command);
            Assert.That(run.Error, Does.Contain(backup.Database).And.Contain(key).And.Contain(Advice.RecreateDatabase()), command);
        }

        // What only matters to new volumes keeps nobody from the old ones.
        var matters = key is not ("dblock-size" or "passphrase-salt") && !(encrypted && value == Hash);
        foreach (var command in new[] { "restore", "list-broken-files" })
            Assert.That((await backup.RunAsync(command)).Code, Is.EqualTo(matters ? ExitCode.Failed : ExitCode.Ok), command);

        await backup.FollowAsync();
        Assert.That((await backup.RunAsync("backup")).Code, Is.Zero);
        await backup.AssertWholeAsync();
    }

    [Test]
    public async Task Where_no_row_tells_the_size_of_blocks_a_volume_does()
    {
        using var backup = await StoredSettingsCase.CreateAsync(small: true);
        backup.Sql("UPDATE \"Configuration\" SET \"Value\" = '2048' WHERE \"Key\" = 'blocksize'");
        var check = await backup.RunAsync("check");
        Assert.That(check.Kinds, Is.EqualTo(new[] { "DamagedSetting" }), check.Output);
        foreach (var command in StoredSettingsCase.Writing)
            Assert.That((await backup.RefusedAsync(command)).HelpId, Is.EqualTo("DatabaseIsDamaged"), command);
        await backup.FollowAsync();
        Assert.That((await backup.RunAsync("backup")).Code, Is.Zero);
        await backup.AssertWholeAsync();
    }

    [Test]
    public async Task Settings_that_older_releases_do_not_store_may_be_missing()
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        backup.Sql("DELETE FROM \"Configuration\" WHERE \"Key\" NOT IN ('blocksize', 'blockhash', 'filehash')");
        Assert.That((await backup.RunAsync("check")).Code, Is.Zero);
        Assert.That((await backup.RunAsync("backup")).Code, Is.Zero);
        await backup.AssertWholeAsync();
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.SetsWithDatabase))]
    public void Databases_of_Duplicati_have_no_wrong_setting(string set)
    {
        using var folder = new TestFolder();
        AssertSound(GoldenData.UnpackDatabase(set, folder.Path));
    }

    [TestCaseSource(typeof(GoldenData), nameof(GoldenData.OldSchemas))]
    public void Databases_of_old_schemas_are_what_they_say(string name)
    {
        using var folder = new TestFolder();
        AssertSound(GoldenData.Unpack("old-schema", name + ".sqlite", folder.Path));
    }

    [Test]
    public async Task The_passphrase_of_a_backup_of_Duplicati_is_asked_of_its_volumes()
    {
        using var folder = new TestFolder();
        var database = GoldenData.UnpackDatabase("b-aes-1k", folder.Path);
        GoldenData.CopyRemote("b-aes-1k", folder.File("remote"));
        File.WriteAllText(folder.File("right"), GoldenData.Passphrase);
        File.WriteAllText(folder.File("wrong"), GoldenData.Passphrase + " ");
        File.WriteAllText(folder.File("source"), "content");
        string[] words = ["backup", folder.File("remote"), folder.File("source"), "--dbpath", database, "--json", "--passphrase-file"];
        Assert.That((await ToolRun.RunAsync([.. words, folder.File("wrong")])).HelpId, Is.EqualTo("WrongPassphrase"));
        Assert.That((await ToolRun.RunAsync([.. words, folder.File("right")])).Code, Is.Zero);
    }

    [TestCase(true, 1)]
    [TestCase(false, 0)]
    public async Task The_proof_fetches_one_volume_of_an_encrypted_backup_and_none_of_another(bool encrypted, int count)
    {
        using var backup = await StoredSettingsCase.CreateAsync(encrypted);
        Assert.That((await backup.RunAsync("compact", "--trace", backup["trace"])).Code, Is.Zero);
        Assert.That(
            File.ReadAllText(backup["trace"]).Split("""{"name":"get","cat":"Duplicati.Engine","ph":"b",""").Length - 1,
            Is.EqualTo(count)
        );
    }

    [Test]
    public async Task A_new_database_beside_an_old_folder_is_told_to_be_recreated()
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        File.Move(backup.Database, backup["old.sqlite"]);
        var refused = await backup.RefusedAsync("backup");
        Assert.That((refused.HelpId, File.Exists(backup.Database)), Is.EqualTo(("ExtraRemoteFiles", false)));
        var command = refused.Text("command");
        Assert.That((await ToolRun.RunAsync(command.Split(' ')[1..])).Code, Is.Zero, command);
        await backup.AssertWholeAsync();
    }

    [TestCase(22)]
    [TestCase(99)]
    [TestCase(1099)]
    [TestCase(500)]
    public async Task A_database_of_a_newer_release_is_called_so_by_all(int version)
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        backup.Sql($"UPDATE \"Version\" SET \"Version\" = {version}");
        foreach (var run in new[] { await backup.RefusedAsync("verify"), await backup.LineAsync("downgrade $DB --to 19 --yes --json") })
        {
            run.AssertRefused("DatabaseVersionNotSupportedError");
            Assert.That(run.Error, Does.Contain($"version {version % 1000}").And.Contain("21").And.Contain("recreate"));
        }

        Assert.That(Databases.VersionOf(backup.Database), Is.EqualTo(version));
        await AssertVersionAsync(backup, "NewerSchema", "DatabaseVersionNotSupportedError", StoredSettingsCase.Writing);
        foreach (var command in new[] { "dump", "compare" })
            Assert.That(
                (
                    await ToolRun.RunAsync([command, backup.Database, .. command == "compare" ? [backup.Database] : Array.Empty<string>()])
                ).Code,
                Is.Zero,
                "it can be looked at"
            );
    }

    [TestCase("UPDATE \"Version\" SET \"Version\" = -1")]
    [TestCase("UPDATE \"Version\" SET \"Version\" = 99999999999")]
    [TestCase("UPDATE \"Version\" SET \"Version\" = 'x'")]
    [TestCase("DELETE FROM \"Version\"")]
    [TestCase("INSERT INTO \"Version\" (\"Version\") VALUES (12)")]
    [TestCase("DROP TABLE \"Version\"")]
    public async Task A_database_that_does_not_tell_its_version_is_called_damaged_by_all(string sql)
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        backup.Sql(sql);
        await AssertVersionAsync(backup, "DamagedSchema", "DatabaseIsDamaged", StoredSettingsCase.Writing);
    }

    [TestCase("UPDATE \"Version\" SET \"Version\" = 12")]
    [TestCase("UPDATE \"Version\" SET \"Version\" = 0")]
    [TestCase("UPDATE \"Version\" SET \"Version\" = 18")]
    [TestCase("ALTER TABLE \"Remotevolume\" DROP COLUMN \"ArchiveTime\"")]
    [TestCase("ALTER TABLE \"Remotevolume\" DROP COLUMN \"ArchiveTime\"; UPDATE \"Version\" SET \"Version\" = 18")]
    public async Task A_database_whose_tables_are_of_another_version_is_called_damaged_by_all(string sql)
    {
        using var backup = await StoredSettingsCase.CreateAsync();
        backup.Sql(sql);
        await AssertVersionAsync(backup, "DamagedDatabase", "DatabaseIsDamaged", StoredSettingsCase.Writing.Where(x => x != "repair"));
        await backup.FollowAsync();
    }

    private static async Task AssertVersionAsync(StoredSettingsCase backup, string kind, string helpId, IEnumerable<string> refused)
    {
        foreach (var check in new[] { await backup.RunAsync("check"), await backup.QueryAsync("check") })
            Assert.That((check.Code, string.Join(' ', check.Kinds.Distinct())), Is.EqualTo((ExitCode.Found, kind)), check.Output);
        foreach (var command in refused.Append("restore"))
            Assert.That((await backup.RefusedAsync(command)).HelpId, Is.EqualTo(helpId), command);
        foreach (var command in new[] { "upgrade", "vacuum" })
        {
            var run = await ToolRun.RunAsync(command, backup.Database, "--json");
            Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Of(helpId), helpId)), command);
        }

        Assert.That((await backup.RunAsync("verify")).Code, Is.AnyOf(ExitCode.Found, ExitCode.Failed));
        Assert.That((await ToolRun.RunAsync("info", backup.Database)).Code, Is.AnyOf(ExitCode.Found, ExitCode.Failed));
        foreach (var command in new[] { "list", "search", "changes" })
            Assert.That(
                (await ToolRun.RunAsync(command, "--dbpath", backup.Database)).Code,
                Is.AnyOf(ExitCode.Ok, ExitCode.Failed),
                command
            );

        await backup.FollowAsync();
        Assert.That((await backup.RunAsync("backup")).Code, Is.Zero);
        await backup.AssertWholeAsync();
    }

    private static void AssertSound(string database)
    {
        using var connection = new SqliteConnection($"Data Source={database};Mode=ReadOnly;Pooling=False");
        connection.Open();
        Assert.That(SchemaState.Find(connection, database), Is.Null);
        Assert.That(SchemaState.Misfits(connection, database), Is.Empty);
        Assert.That(StoredSettings.Problems(connection), Is.Empty);
    }
}
