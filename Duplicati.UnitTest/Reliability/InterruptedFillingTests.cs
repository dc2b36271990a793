// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// A process that fills an empty database is killed: what it leaves is refused by the release before, and completed by this one in one go.
/// </summary>
[TestFixture]
internal sealed class InterruptedFillingTests
{
    private const string Backup = "backup";
    private const string Recreate = "recreate";

    [TestCase(Backup)]
    [TestCase(Recreate)]
    public async Task A_killed_filling_leaves_a_marked_file_that_the_next_opening_completes(string what)
    {
        using var folder = new TestFolder();
        var path = folder.File("a.sqlite");
        Kill(path, what);
        Assert.That(
            (Databases.VersionOf(path), ReleaseBefore.Opens(path), ReleaseBefore.AssertRefusesOrFindsAll(path)),
            Is.EqualTo((1019, false, true))
        );

        await using (await LocalDatabase.CreateLocalDatabaseAsync(path, "Open", true, null, default))
            Assert.That((ReleaseBefore.Opens(path), ReleaseBefore.AssertRefusesOrFindsAll(path)), Is.EqualTo((true, false)));
        Databases.AssertSound(path);
    }

    [Test]
    public async Task The_tool_says_what_a_killed_backup_left_and_upgrade_completes_it()
    {
        using var folder = new TestFolder();
        var path = folder.File("a.sqlite");
        Kill(path, Backup);

        var info = await ToolRun.RunAsync("info", path);
        Assert.That((info.Code, info.Output), Is.EqualTo((1, info.Output)));
        Assert.That(
            info.Output,
            Does.Contain(
                $"interrupted: 5 indexes missing; the next operation that writes, or `duplicati-db upgrade {path}`, completes them"
            )
        );
        Assert.That(info.Output, Does.Contain("Schema version 19"));
        Assert.That((await ToolRun.RunAsync("dump", path)).Json.GetProperty("schema_version").GetInt32(), Is.EqualTo(19));
        Assert.That(Databases.VersionOf(path), Is.EqualTo(1019), "nothing was changed so far");

        var upgrade = await ToolRun.RunAsync("upgrade", path, "--json");
        Assert.That((upgrade.Code, upgrade.Json.GetProperty("indexesCompleted").GetInt32()), Is.EqualTo((0, 5)));
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(path), Is.False);
        Assert.That((await ToolRun.RunAsync("info", path)).Code, Is.Zero);
    }

    [Test]
    public async Task Verify_finds_that_a_backup_was_killed_and_vacuum_completes_what_it_left()
    {
        using var folder = new TestFolder();
        var path = folder.File("a.sqlite");
        Kill(path, Backup);
        Directory.CreateDirectory(folder.File("remote"));
        var verify = await ToolRun.RunAsync("verify", folder.File("remote"), "--dbpath", path, "--no-encryption", "--quick");
        Assert.That(verify.Code, Is.EqualTo(1), verify.Error);
        Assert.That(verify.Output, Does.Contain("interrupted: 5 indexes missing"));
        var check = await ToolRun.RunAsync("check", "--dbpath", path, "--json");
        Assert.That(check.Code, Is.EqualTo(1));
        Assert.That(
            check.Json.GetProperty("findings").EnumerateArray().Select(x => x.GetProperty("kind").GetString()),
            Has.One.EqualTo("MissingIndexes")
        );
        Assert.That(Databases.VersionOf(path), Is.EqualTo(1019), "nothing was changed so far");
        Assert.That((await ToolRun.RunAsync("vacuum", path)).Code, Is.Zero);
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(path), Is.False);
    }

    [Test]
    public async Task A_running_backup_is_no_finding_and_upgrade_says_to_wait_for_it()
    {
        using var folder = new TestFolder();
        var path = folder.File("a.sqlite");
        await using var backup = await LocalBackupDatabase.CreateAsync(path, new Options([]), default);
        await FillingChild.BackUpAsync(backup);

        var info = await ToolRun.RunAsync("info", path);
        Assert.That((info.Code, info.Output), Is.EqualTo((0, info.Output)), info.Output);
        Assert.That(info.Output, Does.Contain("5 indexes left out by a running operation"));
        var upgrade = await ToolRun.RunAsync("upgrade", path, "--json");
        Assert.That((upgrade.Code, upgrade.HelpId), Is.EqualTo((11, "DatabaseIsBeingFilled")));
    }

    private static void Kill(string path, string what)
    {
        var (exitCode, output, _) = ChildProcess.Run<FillingChild>(path, what);
        Assert.That(output, Does.StartWith("filled"));
        Assert.That(exitCode, Is.Not.Zero);
    }

    /// <summary>Fills a database, commits, goes on and dies. Arguments: the database, and what fills it.</summary>
    private sealed class FillingChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            (args[1] == Backup ? BackUpAsync(args[0]) : RecreateAsync(args[0])).GetAwaiter().GetResult();
            return 0;
        }

        internal static async Task BackUpAsync(LocalBackupDatabase database)
        {
            await database.SetDbOptionsAsync(
                new Dictionary<string, string>
                {
                    ["blocksize"] = "1024",
                    ["blockhash"] = "SHA256",
                    ["filehash"] = "SHA256",
                },
                default
            );
            var volume = await database.RegisterRemoteVolumeAsync("blocks", RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, default);
            for (var i = 0; i < BlockIndexes.FewestBlocks + 100; i++)
                await database.AddBlockAsync(BlockFixture.Hash(i), 1024, volume, default);
            await database.CommitAsync(default);
        }

        private static async Task BackUpAsync(string path)
        {
            var database = await LocalBackupDatabase.CreateAsync(path, new Options([]), default);
            await BackUpAsync(database);
            await database.AddBlockAsync(BlockFixture.Hash(-1), 1024, 1, default);
            Die();
        }

        private static async Task RecreateAsync(string path)
        {
            var parent = await LocalDatabase.CreateLocalDatabaseAsync(path, "Recreate", true, null, default);
            var recreate = await LocalRecreateDatabase.CreateAsync(parent, new Options([]), null, default);
            for (var i = 0; i < 1000; i++)
                await recreate.UpdateBlockAsync(BlockFixture.Hash(i), 1024, 1, default);
            await recreate.FindMissingBlocklistHashesAsync(32, 1024, default);
            await recreate.UpdateBlockAsync(BlockFixture.Hash(1000), 1024, 1, default);
            Die();
        }

        private static void Die()
        {
            Console.WriteLine("filled");
            Console.Out.Flush();
            ChildProgram.Die();
        }
    }
}
