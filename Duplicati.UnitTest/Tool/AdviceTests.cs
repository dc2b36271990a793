// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using System.Reflection;
using System.Text.RegularExpressions;
using Duplicati.Engine.Access;
using Duplicati.Engine.Backup;
using Duplicati.Engine.Check;
using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Every piece of advice: a backup is broken so that it is given, and done to the letter. What could be restored before can be restored
/// afterwards.
/// </summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed partial class AdviceTests
{
    private const string CASE = "Advice";

    private AdviceCase m_case = null!;

    [OneTimeTearDown]
    public void Forget() => AdviceCase.Forget();

    [SetUp]
    public async Task SetUp() => m_case = await AdviceCase.CreateAsync();

    [TearDown]
    public void TearDown() => m_case.Dispose();

    [Test]
    public void Every_advice_has_a_case()
    {
        const BindingFlags Members = BindingFlags.Static | BindingFlags.NonPublic | BindingFlags.Public | BindingFlags.DeclaredOnly;
        var cases = typeof(AdviceTests)
            .GetMethods()
            .SelectMany(x => x.GetCustomAttributes<PropertyAttribute>())
            .SelectMany(x => x.Properties[CASE].Cast<string>());
        Assert.That(cases, Is.EquivalentTo(typeof(Advice).GetMethods(Members).Select(x => x.Name)));
    }

    [Test]
    public void No_message_gives_advice_that_is_not_in_the_catalogue()
    {
        var found =
            from file in Directory.GetFiles(Repository.File("Tools"), "*.cs", SearchOption.AllDirectories)
            where
                !file.Contains($"{Path.DirectorySeparatorChar}obj{Path.DirectorySeparatorChar}", StringComparison.Ordinal)
                && Path.GetFileName(file) != "Advice.cs"
            from line in File.ReadLines(file)
            where !line.TrimStart().StartsWith("//", StringComparison.Ordinal)
            from text in Literal().Matches(line).Select(x => x.Value)
            where Imperative().IsMatch(text)
            select $"{Path.GetFileName(file)}: {text}";
        Assert.That(found, Is.Empty);
    }

    [Test, Property(CASE, nameof(Advice.DamagedVolume))]
    public async Task A_damaged_volume_is_salvaged()
    {
        var volume = m_case.Damage("dblock");
        m_case.RemoveSources();
        var before = await m_case.ReadableAsync();
        var verify = await m_case.RunAsync("verify");
        Assert.That(verify.Error, Does.Contain(Advice.DamagedVolume(volume)));

        var repair = await m_case.RunAsync("repair", "--check-volume", volume);

        Assert.That(repair.Code, Is.EqualTo(ExitCode.Found), repair.Error);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
        Assert.That(File.Exists(Path.Combine(m_case.Remote, "damaged-" + volume)));
    }

    [Test, Property(CASE, nameof(Advice.ContinueRecreate))]
    public async Task An_interrupted_recreate_is_run_again()
    {
        var before = await m_case.ReadableAsync();
        m_case.Sql("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('unfinished-recreate', '{}')""");

        var refused = await m_case.RunAsync("compact");
        Assert.That(refused.IsRefused, Is.True);
        Assert.That(refused.Error, Does.Contain(Advice.ContinueRecreate()));

        await ToolRun.OkAsync(m_case.RunAsync("recreate"));
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test, Property(CASE, nameof(Advice.UnopenedVolume))]
    public async Task A_volume_with_a_damaged_head_is_no_reason_to_lose_another()
    {
        using var tool = await AdviceCase.CreateAsync(encrypted: true);
        var before = await tool.ReadableAsync();
        var volume = tool.Damage("dindex", 200);
        File.Delete(tool.Database);
        var recreate = await tool.RunAsync("recreate");
        Assert.That(recreate.Error, Does.Contain(Advice.UnopenedVolume(volume)));

        await tool.RunAsync("repair", "--check-volume", volume);

        Assert.That(await tool.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test]
    public async Task A_list_with_a_damaged_head_stays_as_it_may_be_all_there_is()
    {
        using var tool = await AdviceCase.CreateAsync(encrypted: true);
        var volume = tool.Damage("dlist", 200);
        File.Delete(tool.Database);
        var recreate = await tool.RunAsync("recreate");
        Assert.That(recreate.Error, Does.Contain(Advice.EmptyVersion(volume, VolumeName.Parse(volume)!.Time)));
        var before = await tool.ReadableAsync();
        var list = File.ReadAllBytes(Path.Combine(tool.Remote, volume));

        await tool.RunAsync("repair", "--check-volume", volume);

        Assert.That(await tool.ReadableAsync(), Is.SupersetOf(before));
        Assert.That(File.ReadAllBytes(Path.Combine(tool.Remote, volume)), Is.EqualTo(list));
    }

    [Test, Property(CASE, nameof(Advice.OtherFolder))]
    public async Task The_right_folder_is_given()
    {
        var before = await m_case.ReadableAsync();
        Directory.CreateDirectory(m_case["empty"]);
        var check = await m_case.LineAsync("check $empty --dbpath $DB --no-encryption --json");
        Assert.That(check.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(check.Output, Does.Contain(Advice.OtherFolder()));

        Assert.That((await m_case.RunAsync("check")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
    }

    // A repair would refuse, and only then say what helps.
    [Test]
    public async Task A_database_that_is_older_than_the_folder_is_recreated_at_once(
        [Values("check", "verify")] string command,
        [Values] bool isMissing
    )
    {
        File.Copy(m_case.Database, m_case["old"]);
        await m_case.AddSmallVersionAsync();
        var before = await m_case.ReadableAsync();
        File.Copy(m_case["old"], m_case.Database, overwrite: true);
        // As after a compact.
        if (isMissing)
            m_case.Remove("dindex");

        var found = await m_case.RunAsync(command);
        Assert.That(found.Code, Is.EqualTo(ExitCode.Found));
        var chain = await FollowedAdvice.FollowAsync(FollowedAdvice.Of(found)!, 3);

        Assert.That(chain[0].Command, Does.StartWith("recreate "), FollowedAdvice.Text(chain));
        Assert.That(chain, Has.None.Matches<(string, ToolRun Run)>(x => x.Run.IsRefused), FollowedAdvice.Text(chain));
        Assert.That((await m_case.RunAsync("check")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test, Property(CASE, nameof(Advice.OtherVersion))]
    public async Task A_version_whose_list_is_not_damaged_is_restored()
    {
        var before = await m_case.ReadableAsync(1);
        m_case.EmptyNewestList();
        var newest = await m_case.DirectAsync("newest");
        Assert.That(newest.IsRefused, Is.True);
        Assert.That(newest.Error, Does.Contain(Advice.OtherVersion(1)));

        await ToolRun.OkAsync(m_case.DirectAsync("other", "--version", "1"));
        Assert.That(Directory.GetFiles(m_case["other"], "*", SearchOption.AllDirectories), Has.Length.EqualTo(before.Count));
    }

    // Beside one that a pattern would take with it.
    [TestCase("bad")]
    [TestCase("b?d and *")]
    [Property(CASE, nameof(Advice.UnreadSource))]
    public async Task What_its_disk_never_gives_again_is_left_out_and_versions_are_complete(string name)
    {
        SourceTree.Write(m_case.Source, $"{name}/file", 1_000, new Random(15));
        SourceTree.Write(m_case.Source, "bid and more/file", 1_000, new Random(16));
        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
        var whole = await m_case.ReadableAsync(0);
        SourceScanner.Listing.Value = path =>
        {
            if (Path.GetFileName(path) == name)
                throw new IOException("The disk says no", 5);
        };
        var path = Path.Combine(m_case.Source, name);
        for (var i = 0; i < 3; i++)
        {
            SourceTree.Write(m_case.Source, "changing", 1_000, new Random(17 + i));
            var backup = await m_case.BackUpAsync();
            Assert.That(backup.Code, Is.EqualTo(ExitCode.Found), backup.Error);
            Assert.That(backup.Error, Does.Contain($"{path} could not be had from its disk. {Advice.UnreadSource(path)}"));
        }

        Assert.That((await m_case.BackUpAsync()).Error, Does.Contain("No version was made").And.Contain(Advice.UnreadSource(path)));
        Assert.That((await m_case.RunAsync("delete", "--keep-versions", "1", "--yes")).Number("deletedVersions"), Is.EqualTo(2));
        var words = FollowedAdvice.Split(Advised().Match(Advice.UnreadSource(path)).Groups[1].Value);

        var followed = await m_case.RunAsync("backup", [m_case.Source, .. words]);

        Assert.That(followed.Code, Is.Zero, followed.Error);
        Assert.That(await m_case.ReadableAsync(0), Has.Count.EqualTo(whole.Count), "one file less, and one that is new");
        Assert.That(await m_case.ReadableAsync(4), Is.EquivalentTo(whole), "nothing was lost");
        Assert.That((await m_case.RunAsync("delete", "--keep-versions", "1", "--yes")).Number("deletedVersions"), Is.EqualTo(4));
    }

    [Test, Property(CASE, nameof(Advice.GivePassphrase))]
    public async Task A_missing_passphrase_is_given()
    {
        using var tool = await AdviceCase.CreateAsync(encrypted: true);
        var before = await tool.ReadableAsync();
        var verify = await tool.LineAsync("verify $REMOTE --dbpath $DB --no-encryption --json");
        Assert.That(verify.IsRefused, Is.True);
        Assert.That(verify.Error, Does.Contain(tool.Database).And.Contain(Advice.GivePassphrase()));

        Assert.That((await tool.RunAsync("verify")).Code, Is.Zero);
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
        Assert.That(await tool.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test, Property(CASE, nameof(Advice.NoEncryption))]
    public async Task A_passphrase_that_is_one_too_many_is_left_out()
    {
        var before = await m_case.ReadableAsync();
        var verify = await m_case.LineAsync("verify $REMOTE --dbpath $DB --passphrase-file $passphrase --json");
        Assert.That(verify.IsRefused, Is.True);
        Assert.That(verify.Error, Does.Contain(m_case.Database).And.Contain(Advice.NoEncryption()));

        Assert.That((await m_case.RunAsync("verify")).Code, Is.Zero);
        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test, Property(CASE, nameof(Advice.NewBackup))]
    public async Task A_backup_with_another_passphrase_begins_with_a_folder_and_a_database_of_its_own()
    {
        using var tool = await AdviceCase.CreateAsync(encrypted: true);
        var before = await tool.ReadableAsync();
        File.WriteAllText(tool["another"], "another one\n");
        string[] Words(string remote, string database) =>
            ["backup", remote, tool.Source, "--dbpath", database, "--passphrase-file", tool["another"], "--json"];
        Assert.That((await ToolRun.RunAsync(Words(tool.Remote, tool.Database))).Error, Does.Contain(Advice.NewBackup()));

        Assert.That((await ToolRun.RunAsync(Words(tool["another-remote"], tool["another.sqlite"]))).Code, Is.Zero);

        Assert.That((await tool.RunAsync("verify")).Code, Is.Zero);
        Assert.That(await tool.ReadableAsync(), Is.EquivalentTo(before));
    }

    [Test, Property(CASE, nameof(Advice.NewerDatabase))]
    public async Task A_database_of_a_newer_release_is_moved_away()
    {
        var whole = await m_case.ReadableAsync();
        m_case.Sql("""UPDATE "Version" SET "Version" = 99""");
        Assert.That((await m_case.BackUpAsync()).Error, Does.Contain(Advice.NewerDatabase()));
        await m_case.RecreateAsync();
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
    }

    [TestCase(true, "encryption-module")]
    [TestCase(false, "passphrase")]
    public async Task Settings_that_the_volumes_belie_are_not_followed(bool isEncrypted, string key)
    {
        using var tool = await AdviceCase.CreateAsync(isEncrypted);
        var before = await tool.ReadableAsync();
        tool.Sql(
            $"""UPDATE "Configuration" SET "Key" = 'x' || substr("Key", 2), "Value" = 'x' || substr("Value", 2) WHERE "Key" = '{key}'"""
        );
        if (!isEncrypted)
            tool.Sql("""UPDATE "Configuration" SET "Key" = 'passphrase' WHERE "Key" = 'xassphrase'""");
        var refused = await tool.BackUpAsync();
        Assert.That(refused.IsRefused, Is.True);
        Assert.That(refused.Error, Does.Contain(tool.Database).And.Contain(Advice.RecreateDatabase()));

        await tool.RecreateAsync();

        Assert.That(await tool.ReadableAsync(), Is.EquivalentTo(before));
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);
    }

    [Test]
    public async Task A_missing_volume_is_not_given_up()
    {
        m_case.Remove("dblock");
        var before = await m_case.ReadableAsync();
        Assert.That((await m_case.RestoreAsync("target")).Error, Does.Contain(Advice.MissingBlockVolumes()));
        await m_case.RunAsync("repair", "--rebuild-missing-dblock-files");
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test, Property(CASE, nameof(Advice.DamagedName))]
    public async Task A_damaged_name_in_the_database_costs_nothing()
    {
        m_case.Sql(
            """UPDATE "Remotevolume" SET "Name" = 'a/b' WHERE "ID" = (SELECT MIN("ID") FROM "Remotevolume" WHERE "Type" = 'Blocks')"""
        );
        var before = await m_case.ReadableAsync();
        Assert.That((await m_case.RestoreAsync("target")).Error, Does.Contain(Advice.DamagedName()));
        await m_case.RunAsync("repair");
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test, Property(CASE, nameof(Advice.MissingVolume))]
    public async Task A_folder_that_lacks_an_index_volume_is_mended()
    {
        var before = await m_case.ReadableAsync();
        m_case.Remove("dindex");
        var refused = await m_case.BackUpAsync();
        refused.AssertRefused("MissingRemoteFiles");
        Assert.That(refused.Error, Does.Contain(Advice.MissingVolume()));
        Assert.That((await m_case.RunAsync("repair")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(before));
        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
    }

    [Test, Property(CASE, nameof(Advice.UnknownVolume)), Property(CASE, nameof(Advice.DifferentFolder))]
    public async Task An_unknown_volume_is_moved_away_whole()
    {
        var unknown = Path.Combine(m_case.Remote, $"duplicati-b{Guid.NewGuid():N}.dblock.zip");
        File.WriteAllText(unknown, "what nobody knows");
        var before = await m_case.ReadableAsync();
        var refused = await m_case.BackUpAsync();
        refused.AssertRefused("ExtraRemoteFiles");
        Assert.That(refused.Error, Does.Contain(Advice.DifferentFolder()));
        var repair = await m_case.RunAsync("repair");
        Assert.That(repair.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(repair.Error, Does.Contain(Advice.UnknownVolume()));
        File.Move(unknown, m_case["away"]);
        Assert.That((await m_case.RunAsync("repair")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(before));
    }

    [Test, Property(CASE, nameof(Advice.MissingBlockVolumes))]
    public async Task A_missing_block_volume_is_made_from_the_sources()
    {
        var whole = await m_case.ReadableAsync();
        m_case.Remove("dblock", newest: true);
        var refused = await m_case.RunAsync("repair");
        refused.AssertRefused("MissingDblockFiles");
        Assert.That(refused.Error, Does.Contain(Advice.MissingBlockVolumes()));
        Assert.That((await m_case.RunAsync("repair", "--rebuild-missing-dblock-files")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test, Property(CASE, nameof(Advice.LostBlocks))]
    public async Task Only_files_whose_blocks_are_gone_are_purged()
    {
        m_case.Remove("dblock");
        m_case.RemoveSources();
        var before = await m_case.ReadableAsync();
        Assert.That((await m_case.RunAsync("repair", "--rebuild-missing-dblock-files")).Error, Does.Contain(Advice.LostBlocks()));
        Assert.That((await m_case.RunAsync("list-broken-files")).Code, Is.EqualTo(ExitCode.Found));
        Assert.That((await m_case.RunAsync("purge-broken-files", "--yes")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
        Assert.That((await m_case.RunAsync("verify")).Code, Is.Zero);
    }

    [Test, Property(CASE, nameof(Advice.AbsentSource)), Property(CASE, nameof(Advice.UnseenSource))]
    public async Task Sources_that_are_not_mounted_are_mounted_before_their_blocks_count_as_lost([Values] bool isEmptyFolder)
    {
        var whole = await m_case.ReadableAsync();
        m_case.Remove("dblock", newest: true);
        Directory.Move(m_case.Source, m_case["elsewhere"]);
        if (isEmptyFolder)
            Directory.CreateDirectory(m_case.Source);
        var refused = await m_case.RunAsync("repair", "--rebuild-missing-dblock-files");
        var told = Regex.Match(refused.Error, "Of the sources there is nothing in '([^']+)'").Groups[1].Value;
        Assert.That(told, Is.EqualTo(m_case.Source), refused.Error);
        Assert.That(refused.Error, Does.Contain(Advice.AbsentSource(told)));
        Assert.That(FollowedAdvice.Of(refused)![0], Is.EqualTo("check"), "not a purge");
        foreach (var command in new[] { "check", "verify", "repair", "compact" })
        {
            var run = await m_case.RunAsync(command);
            Assert.That(run.Error + run.Output, Does.Contain(Advice.UnseenSource(told) + " " + Advice.LostBlocks()), command);
        }

        if (isEmptyFolder)
            Directory.Delete(m_case.Source);
        Directory.Move(m_case["elsewhere"], m_case.Source);
        foreach (var command in new[] { "check", "verify", "repair" })
        {
            var run = await m_case.RunAsync(command);
            Assert.That(run.Error + run.Output, Does.Contain(Advice.MissingBlockVolumes()), command);
            Assert.That(FollowedAdvice.Of(run), Does.Contain("--rebuild-missing-dblock-files"), command);
        }

        Assert.That((await m_case.RunAsync("repair", "--rebuild-missing-dblock-files")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
        Assert.That((await m_case.RunAsync("check", "--deep")).Code, Is.Zero);
    }

    // The purge that is advised for lost blocks would forget the second one, too.
    [Test]
    public async Task A_volume_that_nobody_has_looked_for_is_looked_for_before_what_is_lost_is_purged()
    {
        var volumes = VolumeFiles.Of(m_case.Remote, "dblock").OrderBy(File.GetLastWriteTimeUtc).ToList();
        foreach (var path in Directory.GetFiles(m_case.Source, "*", SearchOption.AllDirectories))
        {
            if (Path.GetFileName(path) is not ("3" or "new"))
                File.Delete(path);
        }

        File.Delete(volumes[0]);
        var readable = await m_case.ReadableAsync();
        Assert.That((await m_case.RunAsync("repair", "--rebuild-missing-dblock-files")).Error, Does.Contain(Advice.LostBlocks()));
        Assert.That((await m_case.RunAsync("repair")).Error, Does.Contain(Advice.LostBlocks()));

        File.Delete(volumes[^1]);
        foreach (var command in new[] { "repair", "verify", "check" })
        {
            var run = await m_case.RunAsync(command);
            Assert.That(run.Error + run.Output, Does.Contain(Advice.MissingBlockVolumes()), command);
            Assert.That(FollowedAdvice.Of(run), Does.Contain("--rebuild-missing-dblock-files"), $"{command}: {run.Error}{run.Output}");
        }

        Assert.That((await m_case.RunAsync("repair", "--rebuild-missing-dblock-files")).Error, Does.Contain(Advice.LostBlocks()));
        Assert.That((await m_case.RunAsync("purge-broken-files", "--yes")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(readable));
        Assert.That((await m_case.RunAsync("check", "--deep")).Code, Is.Zero);
    }

    [Test, Property(CASE, nameof(Advice.TakePart))]
    public async Task What_was_found_of_a_volume_is_kept_before_the_rest_is_purged()
    {
        m_case.Remove("dblock");
        foreach (var path in Directory.GetFiles(m_case.Source, "*", SearchOption.AllDirectories))
        {
            var content = File.ReadAllBytes(path);
            content.AsSpan(content.Length / 3, content.Length / 3).Clear();
            File.WriteAllBytes(path, content);
        }

        var readable = await m_case.ReadableAsync();
        var refused = await m_case.RunAsync("repair", "--rebuild-missing-dblock-files", "--disable-partial-dblock-recovery");
        refused.AssertRefused("RepairIsNotPossible");
        Assert.That(refused.Error, Does.Contain(Advice.TakePart()).And.Not.Contain(Advice.LostBlocks()));
        Assert.That(
            (await m_case.RunAsync("check")).Output,
            Does.Contain(Advice.MissingBlockVolumes()).And.Not.Contain(Advice.LostBlocks())
        );
        var next = FollowedAdvice.Of(refused)!;
        Assert.That(next, Does.Contain("--rebuild-missing-dblock-files").And.Not.Contain("--disable-partial-dblock-recovery"));
        var run = await ToolRun.RunAsync(next);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(new[] { "recoveredBlocks", "lostBlocks" }.Select(x => run.Json.GetProperty(x).GetInt64()), Has.All.Positive);
        Assert.That(run.Error, Does.Contain(Advice.LostBlocks()));
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(readable));
    }

    [Test]
    public async Task A_volume_whose_row_is_lost_is_not_deleted_as_an_unknown_one()
    {
        var whole = await m_case.ReadableAsync();
        var volumes = VolumeFiles.Of(m_case.Remote, "dblock");
        m_case.Sql(
            """DELETE FROM "Remotevolume" WHERE "ID" = (SELECT "VolumeID" FROM "Block" GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1)"""
        );
        _ = await m_case.RunAsync("repair", "--delete-unknown-files", "--yes");
        Assert.That(VolumeFiles.Of(m_case.Remote, "dblock"), Is.SupersetOf(volumes));
        await m_case.RecreateAsync();
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test]
    public async Task A_version_of_which_only_the_list_is_lost_outlives_the_purge_of_another()
    {
        await m_case.AddSmallVersionAsync();
        m_case.Remove("dblock", newest: true);
        File.Delete(VolumeFiles.Of(m_case.Remote, "dlist")[1]);
        m_case.RemoveSources();
        var before = await m_case.ReadableAsync();
        Assert.That((await m_case.RunAsync("repair")).Error, Does.Contain(Advice.MissingBlockVolumes()));
        var refused = await m_case.RunAsync("repair", "--rebuild-missing-dblock-files");
        Assert.That(refused.HelpId, Is.EqualTo("RepairIsNotPossible"));
        Assert.That(refused.Error, Does.Contain(Advice.LostBlocks()));
        Assert.That((await m_case.RunAsync("list-broken-files")).Code, Is.EqualTo(ExitCode.Found));
        Assert.That((await m_case.RunAsync("purge-broken-files", "--yes")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
        await m_case.RecreateAsync();
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
    }

    [Test, Property(CASE, nameof(Advice.RecreateDatabase))]
    public async Task An_outdated_database_is_made_anew()
    {
        var whole = await m_case.ReadableAsync();
        File.Copy(m_case["old.sqlite"], m_case.Database, overwrite: true);
        Assert.That((await m_case.RunAsync("repair")).Error, Does.Contain(Advice.RecreateDatabase()));
        Assert.That((await m_case.RunAsync("recreate", "--overwrite")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test]
    public async Task An_unfinished_recreate_begins_again()
    {
        var whole = await m_case.ReadableAsync();
        m_case.Sql("""INSERT INTO "Configuration" ("Key", "Value") VALUES ('repair-in-progress', 'true')""");
        Assert.That((await m_case.BackUpAsync()).Error, Does.Contain(Advice.RecreateDatabase()));
        Assert.That((await m_case.RunAsync("recreate", "--overwrite")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test]
    public async Task A_recreate_that_did_not_find_all_blocks_is_followed_by_a_purge_and_not_by_another()
    {
        m_case.Remove("dblock");
        m_case.RemoveSources();
        var before = await m_case.ReadableAsync();
        File.Delete(m_case.Database);
        for (var time = 0; time < 2; time++)
        {
            Assert.That((await m_case.RunAsync("recreate", "--overwrite")).HelpId, Is.EqualTo("DatabaseIsBrokenConsiderPurge"));
            foreach (var command in new[] { "repair", "verify", "check", "list-broken-files", "purge" })
            {
                var run = await m_case.RunAsync(command, command == "purge" ? ["*/folder/3", "--yes"] : []);
                Assert.That(run.Error + run.Output, Does.Contain(Advice.LostBlocks()), command);
            }
        }

        Assert.That(Directory.GetFiles(Path.GetDirectoryName(m_case.Database)!, "*.backup*"), Is.Empty);
        Assert.That((await m_case.RunAsync("purge-broken-files", "--yes")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.SupersetOf(before));
        Assert.That((await m_case.RunAsync("check", "--deep")).Code, Is.Zero);
    }

    [Test, Property(CASE, nameof(Advice.NothingLeft))]
    public async Task Where_nothing_is_left_a_new_backup_is_begun()
    {
        foreach (var volume in VolumeFiles.Of(m_case.Remote, "dblock"))
            File.Delete(volume);
        var purge = await m_case.RunAsync("purge-broken-files", "--yes");
        Assert.That(purge.HelpId, Is.EqualTo("AllFilesetsBroken"));
        Assert.That(purge.Error, Does.Contain(Advice.NothingLeft()));
        Assert.That(
            (await ToolRun.RunAsync("backup", m_case["other"], m_case.Source, "--dbpath", m_case["other.sqlite"], "--no-encryption")).Code,
            Is.Zero
        );
    }

    [Test, Property(CASE, nameof(Advice.DatabaseExists))]
    public async Task A_database_in_the_way_is_moved()
    {
        var whole = await m_case.ReadableAsync();
        var refused = await m_case.RunAsync("recreate");
        Assert.That((refused.Code, refused.HelpId), Is.EqualTo((ExitCode.Failed, "RecreateTargetDatabaseExists")));
        Assert.That(refused.Error, Does.Contain(Advice.DatabaseExists()));
        Assert.That((await m_case.RunAsync("recreate", "--overwrite")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test, Property(CASE, nameof(Advice.NoDatabase))]
    public async Task A_database_that_is_gone_is_made_anew()
    {
        var whole = await m_case.ReadableAsync();
        File.Delete(m_case.Database);
        Assert.That((await m_case.RunAsync("verify")).Error, Does.Contain(Advice.NoDatabase()));
        Assert.That((await m_case.RunAsync("recreate")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test, Property(CASE, nameof(Advice.InconsistentDatabase))]
    public async Task A_database_with_rows_of_no_version_is_repaired()
    {
        var whole = await m_case.ReadableAsync();
        m_case.Sql(
            """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") SELECT "PrefixID", 'of no version', "BlocksetID", "MetadataID" FROM "FileLookup" LIMIT 1"""
        );
        Assert.That((await m_case.RunAsync("purge", "*/folder/3")).Error, Does.Contain(Advice.InconsistentDatabase()));
        Assert.That((await m_case.RunAsync("repair")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
        Assert.That((await m_case.RunAsync("purge", "*/folder/3", "--dry-run")).Code, Is.Zero);
    }

    [Test, Property(CASE, nameof(Advice.EmptyVersion))]
    public async Task A_version_that_a_damaged_list_made_empty_is_a_problem_until_the_list_is_back()
    {
        var whole = await m_case.ReadableAsync();
        var list = m_case.EmptyNewestList();
        await m_case.RecreateAsync(ExitCode.Found);
        var verify = await m_case.RunAsync("verify");
        Assert.That(verify.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(verify.Error, Does.Contain(Advice.EmptyVersion(list, VolumeName.Parse(list)!.Time)));
        var damaged = File.ReadAllBytes(Path.Combine(m_case.Remote, list));
        var repair = await m_case.RunAsync("repair", "--check-volume", list);
        Assert.That((repair.Code, repair.Items("uploaded").Count), Is.EqualTo((ExitCode.Found, 0)), repair.Error);
        Assert.That(File.ReadAllBytes(Path.Combine(m_case.Remote, list)), Is.EqualTo(damaged));
        File.Delete(Path.Combine(m_case.Remote, list));
        Assert.That((await m_case.RunAsync("repair")).Items("uploaded"), Is.Empty, "no empty list is made of it");

        File.Copy(m_case["list"], Path.Combine(m_case.Remote, list));
        Assert.That((await m_case.RunAsync("recreate", "--overwrite")).Code, Is.Zero);

        Assert.That((await m_case.RunAsync("verify")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test]
    public async Task Of_versions_of_one_time_the_empty_one_alone_is_advised_to_be_deleted()
    {
        var list = m_case.EmptyNewestList();
        await m_case.RecreateAsync(ExitCode.Found);
        Databases.Execute(m_case.Database, """UPDATE "Fileset" SET "Timestamp" = (SELECT MAX("Timestamp") FROM "Fileset")""");
        const string Empty = """
            SELECT (SELECT COUNT(*) FROM "Fileset" "o" WHERE "o"."ID" > "f"."ID") FROM "Fileset" "f"
            WHERE "ID" NOT IN (SELECT "FilesetID" FROM "FilesetEntry")
            """;
        var number = long.Parse(Databases.Query(m_case.Database, Empty)!, CultureInfo.InvariantCulture);
        var time = DateTimeOffset.FromUnixTimeSeconds(
            long.Parse(Databases.Query(m_case.Database, """SELECT MAX("Timestamp") FROM "Fileset" """)!, CultureInfo.InvariantCulture)
        );
        var whole = await m_case.ReadableAsync();
        var verify = await m_case.RunAsync("verify");
        Assert.That(verify.Error, Does.Contain(Advice.EmptyVersion(list, time.UtcDateTime, number)));
        (await m_case.RunAsync("delete", "--time", time.UtcDateTime.ToString("yyyy-MM-ddTHH:mm:ssZ"), "--yes")).AssertRefused(
            "SeveralVersionsOfTime"
        );

        Assert.That((await m_case.RunAsync("delete", "--version", $"{number}", "--yes")).Code, Is.Zero);

        Assert.That((await m_case.RunAsync("verify")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    // The list of a version of which nothing is known is missing, or is not what it was.
    [Test]
    public async Task A_version_whose_damaged_list_goes_too_is_deleted([Values] bool isThere)
    {
        var list = m_case.EmptyNewestList();
        var time = VolumeName.Parse(list)!.Time;
        await m_case.RecreateAsync(ExitCode.Found);
        var kept = await m_case.ReadableAsync(1);
        if (isThere)
            VolumeEdit.Cut(Path.Combine(m_case.Remote, list));
        else
            File.Delete(Path.Combine(m_case.Remote, list));
        string[] words = ["repair", m_case.Remote, "--dbpath", m_case.Database, "--no-encryption", "--json", "--check-volume", list];

        var chain = await FollowedAdvice.FollowAsync(words, 2);

        Assert.That(chain[0].Run.Error, Does.Contain(Advice.EmptyVersion(list, time)));
        Assert.That(chain[1].Command, Does.StartWith("delete "), FollowedAdvice.Text(chain));
        Assert.That(chain[^1].Run.Code, Is.Zero, FollowedAdvice.Text(chain));
        Assert.That((await m_case.RunAsync("check", "--deep")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(0), Is.EquivalentTo(kept));
    }

    // Of a sound database a repair makes the lists anew.
    [TestCase("setting", "recreate --overwrite")]
    [TestCase("partial", "recreate --overwrite")]
    [TestCase("page", "repair --check-indexes")]
    [TestCase("empty", "recreate --overwrite")]
    [TestCase("foreign", "recreate --overwrite")]
    [TestCase("schema", "repair --check-indexes")]
    [TestCase("newer", "recreate --overwrite")]
    [Property(CASE, nameof(Advice.NoLists))]
    public async Task Without_lists_a_database_that_no_repair_can_use_is_left_and_nothing_is_advised_in_a_circle(
        string what,
        string command
    )
    {
        foreach (var list in VolumeFiles.Of(m_case.Remote, "dlist"))
            File.Delete(list);
        if (what == "page")
            Databases.ZeroPage(m_case.Database, "FileLookup");
        else if (what == "empty")
            File.WriteAllBytes(m_case.Database, []);
        else if (what == "foreign")
            File.WriteAllText(m_case.Database, new string('x', 5000));
        else if (what == "schema")
            m_case.Sql("PRAGMA writable_schema = ON; UPDATE \"sqlite_master\" SET \"sql\" = 'CREATE TABLE' WHERE \"name\" = 'FileLookup'");
        else if (what == "newer")
            m_case.Sql("UPDATE \"Version\" SET \"Version\" = 99");
        else if (what == "partial")
            m_case.Sql("INSERT INTO \"Configuration\" (\"Key\", \"Value\") VALUES ('partially-recreated', 'true')");
        else
            m_case.Sql("UPDATE \"Configuration\" SET \"Value\" = 'x' WHERE \"Key\" = 'blocksize'");
        var before = File.ReadAllBytes(m_case.Database);

        var run = await m_case.RunAsync(command.Split(' ')[0], command.Split(' ')[1]);

        Assert.That(run.Error, Does.Contain(Advice.NoLists()));
        Assert.That(FollowedAdvice.Of(run), Is.Null, run.Error);
        Assert.That(File.ReadAllBytes(m_case.Database), Is.EqualTo(before));
    }

    [Test]
    public async Task The_only_version_is_not_deleted_because_it_is_of_the_last_second_of_the_calendar()
    {
        Assert.That((await m_case.RunAsync("delete", "--version", "1", "--yes")).Code, Is.Zero);
        m_case.Sql("UPDATE \"Fileset\" SET \"Timestamp\" = 253402300799");
        SourceTree.Write(m_case.Source, "later", 1000, new Random(16));

        var backup = await m_case.BackUpAsync();

        Assert.That((backup.Code, backup.HelpId), Is.EqualTo((ExitCode.Failed, "NoFreeFilelistName")), backup.Error);
        Assert.That(backup.Error, Does.Contain(Advice.NothingLeft()));
        Assert.That(FollowedAdvice.Of(backup), Is.Null);
    }

    [Test, Property(CASE, nameof(Advice.LastTime))]
    public async Task After_a_version_of_the_last_second_of_the_calendar_a_backup_says_what_helps()
    {
        Databases.Execute(
            m_case.Database,
            """UPDATE "Fileset" SET "Timestamp" = 253402300799 WHERE "ID" = (SELECT MAX("ID") FROM "Fileset")"""
        );
        SourceTree.Write(m_case.Source, "later", 1000, new Random(16));
        var backup = await m_case.BackUpAsync();
        var last = new DateTime(9999, 12, 31, 23, 59, 59, DateTimeKind.Utc);
        Assert.That((backup.Code, backup.HelpId), Is.EqualTo((ExitCode.Failed, "NoFreeFilelistName")), backup.Error);
        Assert.That(backup.Error, Does.Contain(Advice.LastTime(last)));
        var purge = await m_case.RunAsync("purge", "*", "--yes", "--version", "0");
        Assert.That(purge.HelpId, Is.Not.EqualTo("ArgumentOutOfRangeException"), purge.Error);

        Assert.That((await m_case.RunAsync("delete", "--time", "9999-12-31T23:59:59Z", "--yes")).Code, Is.Zero);

        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
    }

    [Test, Property(CASE, nameof(Advice.FreeSpace))]
    public async Task A_deletion_that_a_full_disk_ends_takes_no_further_version()
    {
        var kept = await m_case.ReadableAsync(0);
        SourceTree.Write(m_case.Source, "large", 200_000, new Random(15));
        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
        File.Delete(Path.Combine(m_case.Source, "large"));
        Assert.That((await m_case.BackUpAsync()).Code, Is.Zero);
        RemoteFolder.Through.Value = static folder => new FullFolder(folder);
        var delete = await m_case.RunAsync("delete", "--version", "1", "--yes");
        RemoteFolder.Through.Value = null;
        Assert.That((delete.Code, delete.HelpId), Is.EqualTo((ExitCode.Failed, "DiskIsFull")), delete.Error);
        Assert.That(delete.Error, Does.Contain(Advice.FreeSpace()).And.Not.Contain("same command"));
        Assert.That((await m_case.RunAsync("compact")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(0), Is.EquivalentTo(kept));
        Assert.That(await m_case.ReadableAsync(1), Is.EquivalentTo(kept), "the version that would have gone next");
        Assert.That((await m_case.RunAsync("verify")).Code, Is.Zero);
    }

    [Test, Property(CASE, nameof(Advice.Confirm))]
    public async Task What_would_go_is_shown_before_it_goes()
    {
        var whole = await m_case.ReadableAsync();
        Assert.That(
            (await m_case.RunAsync("delete", "--version", "1")).Error,
            Does.Contain(Advice.Confirm()).And.Contain("the whole version of")
        );
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(whole));
    }

    [Test, Property(CASE, nameof(Advice.AllVersions))]
    public async Task A_deletion_of_everything_is_told_to_leave_something()
    {
        Assert.That((await m_case.RunAsync("delete", "--version", "0", "1", "--yes")).Error, Does.Contain(Advice.AllVersions()));
        var newest = await m_case.ReadableAsync(0);
        Assert.That((await m_case.RunAsync("delete", "--version", "1", "--yes")).Code, Is.Zero);
        Assert.That(await m_case.ReadableAsync(), Is.EquivalentTo(newest));
    }

    // Some file systems need room to delete, too.
    private sealed class FullFolder(IRemoteFolder folder) : WatchedFolder(folder, static _ => { })
    {
        public override Task PutAsync(string name, string localPath, CancellationToken token) =>
            throw new IOException("No space left on device", 28);

        public override Task DeleteAsync(string name, CancellationToken token) => throw new IOException("No space left on device", 28);
    }

    [GeneratedRegex("`([^`]+)`")]
    private static partial Regex Advised();

    [GeneratedRegex("\"(?:\\\\.|[^\"\\\\])*\"")]
    private static partial Regex Literal();

    [GeneratedRegex(
        @"\b(run|consider|please|enable)\b[^.]*\b(repair|recreate|purge|delete|compact|restore|backup)\b|\b(repair|recreate|purge|delete) (it|them)\b|purge the broken",
        RegexOptions.IgnoreCase
    )]
    private static partial Regex Imperative();
}
