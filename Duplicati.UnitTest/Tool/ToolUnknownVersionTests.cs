// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool;

/// <summary>A database made of a folder with a file list that cannot be read: nobody knows what that version needs.</summary>
[TestFixture]
[Platform("Linux")]
[NonParallelizable]
internal sealed class ToolUnknownVersionTests
{
    private InterruptedCase m_case = null!;
    private string m_list = "";
    private byte[] m_whole = [];

    [OneTimeSetUp]
    public async Task Make() => m_case = await InterruptedCase.CreateAsync();

    [SetUp]
    public async Task Begin()
    {
        await m_case.BeginAsync("walk");
        m_list = VolumeFiles.Of(m_case.Remote, "dlist")[1];
        m_whole = await File.ReadAllBytesAsync(m_list);
    }

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    [TestCase("half", "compact", ExitCode.Failed)]
    [TestCase("half", "delete --version 2 --yes", ExitCode.Ok)]
    [TestCase("half", "purge */secret --yes", ExitCode.Ok)]
    [TestCase("cut inside", "compact", ExitCode.Failed)]
    [TestCase("cut inside", "delete --version 2 --yes", ExitCode.Ok)]
    public async Task Nothing_goes_that_only_an_unknown_version_may_need(string damage, string command, int code)
    {
        Damage(damage);
        await RecreateAsync(ExitCode.Found);
        var volumes = VolumeFiles.Of(m_case.Remote, "dblock");

        var run = await RunAsync(command);

        Assert.That(run.Code, Is.EqualTo(code), run.Error);
        Assert.That(run.Error, Does.Contain(Path.GetFileName(m_list)));
        Assert.That(VolumeFiles.Of(m_case.Remote, "dblock"), Is.EqualTo(volumes));
        if (code == ExitCode.Failed)
            Assert.That(run.HelpId, Is.EqualTo("VersionsAreNotKnown"));

        await File.WriteAllBytesAsync(m_list, m_whole);
        await RecreateAsync(ExitCode.Ok);
        Assert.That((await RunAsync("check --deep")).Code, Is.Zero);
        Assert.That((await RunAsync("compact")).Code, Is.Zero, "nothing is in the way any more");
        for (var version = 0; version < SampleDatabase.Rows(m_case.Database, "SELECT \"ID\" FROM \"Fileset\"").Length; version++)
        {
            run = await RunAsync($"restore --version {version} --target {Path.Combine(m_case.Folder, $"restored-{version}")}");
            Assert.That(run.Code, Is.Zero, $"{version}: {run.Error}");
        }
    }

    // The same number means another version by then.
    [TestCase("half")]
    [TestCase("cut inside")]
    public async Task A_deletion_beside_a_list_that_is_kept_back_is_not_to_be_run_again(string damage)
    {
        Damage(damage);
        await RecreateAsync(ExitCode.Found);
        WatchedFolder.KeepBack(Path.GetFileName(m_list));
        var run = await RunAsync("delete --version 2 --yes");
        RemoteFolder.Through.Value = null;
        Assert.That(run.Code, Is.Zero, run.Error);
        Assert.That(run.Error, Does.Contain("cannot be fetched").And.Contain(Advice.FreeSpace()).And.Not.Contain("same command"));
    }

    [TestCase("half")]
    [TestCase("cut inside")]
    public async Task A_list_that_is_put_back_is_taken_as_it_is(string damage)
    {
        Damage(damage);
        await RecreateAsync(ExitCode.Found);
        await File.WriteAllBytesAsync(m_list, m_whole);

        var chain = await FollowedAdvice.FollowAsync(m_case.Words("check", "--deep"), 2);

        var text = FollowedAdvice.Text(chain);
        Assert.That((await RunAsync("check --deep")).Code, Is.Zero, text);
        Assert.That(await File.ReadAllBytesAsync(m_list), Is.EqualTo(m_whole), text);
        Assert.That(SampleDatabase.Rows(m_case.Database, """SELECT "ID" FROM "Fileset" WHERE "IsFullBackup" = 0"""), Is.Empty, text);
    }

    [TestCase("half")]
    [TestCase("cut inside")]
    public async Task Without_a_copy_of_the_list_the_advice_frees_the_space_of_the_version(string damage)
    {
        Damage(damage);
        await RecreateAsync(ExitCode.Found);
        var volumes = VolumeFiles.Of(m_case.Remote, "dblock");

        var chain = await FollowedAdvice.FollowAsync(m_case.Words("compact"), 1);

        Assert.That(chain, Has.Count.EqualTo(2), FollowedAdvice.Text(chain));
        Assert.That(chain[^1].Run.Code, Is.Zero, FollowedAdvice.Text(chain));
        Assert.That((await RunAsync("compact")).Code, Is.Zero);
        Assert.That(VolumeFiles.Of(m_case.Remote, "dblock"), Has.Length.LessThan(volumes.Length));
        Assert.That((await RunAsync("check --deep")).Code, Is.Zero);
    }

    [Test]
    public async Task A_lost_volume_that_only_it_may_need_leads_to_an_end()
    {
        Damage("half");
        await RecreateAsync(ExitCode.Found);
        const string Unneeded = """
            SELECT "Name" FROM "Remotevolume" "v" WHERE "Type" = 'Blocks' AND NOT EXISTS (
                SELECT 1 FROM "Block" "b" JOIN "BlocksetEntry" "e" ON "e"."BlockID" = "b"."ID" WHERE "b"."VolumeID" = "v"."ID")
            """;
        File.Delete(Path.Combine(m_case.Remote, Databases.Query(m_case.Database, Unneeded)!));

        var chain = await FollowedAdvice.FollowAsync(m_case.Words("purge-broken-files", "--yes"), 5);
        chain.AddRange(await FollowedAdvice.FollowAsync(m_case.Words("check", "--deep"), 5));

        Assert.That((await RunAsync("check --deep")).Code, Is.Zero, FollowedAdvice.Text(chain));
    }

    [Test]
    public async Task A_version_that_had_no_files_holds_nothing_back()
    {
        VolumeEdit.RewriteList(m_list, x => x.Clear());
        await RecreateAsync(ExitCode.Ok);
        var volumes = VolumeFiles.Of(m_case.Remote, "dblock");
        Assert.That((await RunAsync("compact")).Code, Is.Zero);
        Assert.That(VolumeFiles.Of(m_case.Remote, "dblock"), Has.Length.LessThan(volumes.Length));
    }

    [Test]
    public async Task A_list_of_another_passphrase_is_one_that_cannot_be_read()
    {
        using var tool = new ToolCase();
        var other = tool["other"];
        await File.WriteAllTextAsync(other, "another passphrase\n");
        foreach (var passphrase in new[] { other, tool.Passphrase })
        {
            for (var version = 0; version < 2; version++)
            {
                await File.WriteAllTextAsync(Path.Combine(tool.Source, "small"), $"{version}");
                Assert.That((await ToolRun.RunAsync(Words("backup", passphrase, tool.Source))).Code, Is.Zero);
            }
        }

        File.Copy(
            VolumeFiles.Of(tool["remote of other"], "dlist")[0],
            VolumeFiles.Of(tool["remote of passphrase"], "dlist")[0],
            overwrite: true
        );
        File.Delete(tool["passphrase.sqlite"]);

        var chain = await FollowedAdvice.FollowAsync(Words("recreate", tool.Passphrase), 1);

        Assert.That(chain.Select(x => x.Run.Code), Is.EqualTo(new[] { ExitCode.Found, ExitCode.Ok }), FollowedAdvice.Text(chain));
        Assert.That((await ToolRun.RunAsync([.. Words("check", tool.Passphrase), "--deep"])).Code, Is.Zero);

        string[] Words(string command, string passphrase, params string[] more)
        {
            var name = Path.GetFileName(passphrase);
            return
            [
                command,
                tool[$"remote of {name}"],
                .. more,
                "--dbpath",
                tool[$"{name}.sqlite"],
                "--passphrase-file",
                passphrase,
                "--json",
            ];
        }
    }

    private void Damage(string damage)
    {
        if (damage == "half")
            VolumeEdit.Cut(m_list);
        else
            VolumeEdit.Rewrite(
                m_list,
                (name, text) => (name, name == "filelist.json" ? text[..text.AsSpan().IndexOf("changing"u8)] : text)
            );
    }

    private Task<ToolRun> RunAsync(string command)
    {
        var words = command.Split(' ');
        return ToolRun.RunAsync(m_case.Words(words[0], words[1..]));
    }

    private async Task RecreateAsync(int code)
    {
        var run = await RunAsync("recreate --overwrite");
        Assert.That(run.Code, Is.EqualTo(code), run.Error);
    }
}
