// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.IO.Compression;
using Duplicati.Engine.Common;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// Commands on a folder that is of another time than the database: what the one has deleted, or does not know, is all that is there.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolOtherTimeTests
{
    private InterruptedCase m_case = null!;

    [OneTimeSetUp]
    public async Task Make() => m_case = await InterruptedCase.CreateAsync();

    [OneTimeTearDown]
    public void Remove() => m_case.Dispose();

    [Test]
    public async Task Nothing_is_deleted_and_the_recreate_is_named(
        [Values("the folder is set back to before a compact", "the database is older than a compact")] string name,
        [Values(
            "check",
            "check --quick",
            "verify",
            "restore",
            "test",
            "backup",
            "compact",
            "delete --version 1 --yes",
            "purge */secret --yes",
            "list-broken-files",
            "purge-broken-files --yes",
            "repair",
            "repair --check-volume all",
            "repair --rebuild-missing-dblock-files",
            "repair --rebuild-missing-dblock-files --delete-unknown-files --repair-ignore-outdated-database --yes"
        )]
            string command
    )
    {
        await m_case.BeginAsync("walk");
        var whole = Salvage.Read(m_case.Remote).Versions.Values;
        await DamagedStates.All.Single(x => x.Name == name).MakeAsync(m_case.Folder);
        // The time for which what is deleted stays known does not matter.
        Databases.Execute(
            m_case.Database,
            """UPDATE "Remotevolume" SET "DeleteGraceTime" = "DeleteGraceTime" - 864000 WHERE "State" = 'Deleted' """
        );
        var before = FolderState.Of(m_case.Remote);
        string[] words = command.Split(' ');
        string[] more = words[0] switch
        {
            "backup" => [m_case.Source],
            "restore" => ["--target", Path.Combine(m_case.Folder, "restored")],
            _ => [],
        };

        var run = await ToolRun.RunAsync(m_case.Words(words[0], [.. words[1..], .. more]));

        Assert.That(run.Code, Is.EqualTo(ExitCode.Failed).Or.EqualTo(ExitCode.Found), run.Error);
        if (!words.Contains("--rebuild-missing-dblock-files"))
        {
            // Nobody has looked into what is unknown: the rebuild does, and names the recreate.
            Assert.That(run.Error + run.Output, Does.Contain(Advice.MissingBlockVolumes()).And.Not.Contain(Advice.RecreateDatabase()));
            var next = FollowedAdvice.Of(run);
            Assert.That(next, Has.Member("--rebuild-missing-dblock-files"));
            run = await ToolRun.RunAsync(next!);
        }

        Assert.That(run.Error + run.Output, Does.Contain(Advice.RecreateDatabase()).And.Not.Contain(Advice.MissingBlockVolumes()));
        Assert.That(FollowedAdvice.Of(run)?[0], Is.EqualTo("recreate"));
        Assert.That(FolderState.Of(m_case.Remote), Is.EqualTo(before));
        Assert.That((await ToolRun.RunAsync(m_case.Words("recreate", "--overwrite"))).Code, Is.Zero);
        Assert.That((await ToolRun.RunAsync(m_case.Words("check", "--deep"))).Code, Is.Zero);
        Assert.That(Salvage.Read(m_case.Remote).Versions.Values, Is.EqualTo(whole));
    }

    // What comes back for a while, as some remote stores do it, and holds nothing that is missing.
    [Test]
    public async Task What_is_deleted_and_there_again_goes_where_no_block_volume_is_missing()
    {
        await m_case.BeginAsync("walk");
        var volume = VolumeFiles.Of(m_case.Remote, "dblock")[0];
        var content = await File.ReadAllBytesAsync(volume);
        await DamagedStates.CompactAsync(m_case.Folder);
        await File.WriteAllBytesAsync(volume, content);

        Assert.That((await ToolRun.RunAsync(m_case.Words("repair"))).Code, Is.Zero);

        Assert.That(File.Exists(volume), Is.False);
        Assert.That((await ToolRun.RunAsync(m_case.Words("check", "--deep"))).Code, Is.Zero);
    }

    [Test]
    public async Task Unknown_volumes_stay_while_a_damaged_one_is_made_anew()
    {
        await m_case.BeginAsync("walk");
        var whole = Salvage.Read(m_case.Remote).Versions.Values;
        var volume = VolumeFiles.Of(m_case.Remote, "dblock")[0];
        var unknown = Path.Combine(m_case.Remote, "duplicati-b22222222222222222222222222222222.dblock.zip");
        File.Copy(volume, unknown);
        // With the hash of the whole one it would get its name.
        using (var zip = ZipFile.Open(unknown, ZipArchiveMode.Update))
            zip.Comment = "another";
        VolumeEdit.Cut(volume);
        string[] all = ["--rebuild-missing-dblock-files", "--check-volume", "all", "--delete-unknown-files", "--yes"];

        // A source would give what the damaged one has lost.
        Directory.Move(m_case.Source, m_case.Source + ".away");
        var chain = await FollowedAdvice.FollowAsync(m_case.Words("repair", all), most: 3);
        Directory.Move(m_case.Source + ".away", m_case.Source);

        Assert.That(chain[0].Run.Number("lostBlocks"), Is.Positive, FollowedAdvice.Text(chain));
        Assert.That(Salvage.Read(m_case.Remote).Versions.Values, Is.EqualTo(whole), FollowedAdvice.Text(chain));
        Assert.That((await ToolRun.RunAsync(m_case.Words("check", "--deep"))).Code, Is.Zero, FollowedAdvice.Text(chain));
    }

    // A copy of the folder from before the compact, put back over it, because a volume of the compact is damaged.
    [Test]
    public async Task What_is_there_again_stays_while_a_damaged_volume_is_made_anew()
    {
        await m_case.BeginAsync("walk");
        var whole = Salvage.Read(m_case.Remote).Versions.Values;
        var before = Directory.GetFiles(m_case.Remote).ToDictionary(x => x, File.ReadAllBytes);
        await DamagedStates.CompactAsync(m_case.Folder);
        foreach (var volume in VolumeFiles.Of(m_case.Remote, "dblock"))
            await File.WriteAllBytesAsync(volume, new byte[new FileInfo(volume).Length]);
        foreach (var (file, content) in before)
            await File.WriteAllBytesAsync(file, content);

        var chain = await FollowedAdvice.FollowAsync(m_case.Words("check", "--deep"), most: 4);

        Assert.That((await ToolRun.RunAsync(m_case.Words("check", "--deep"))).Code, Is.Zero, FollowedAdvice.Text(chain));
        Assert.That(Salvage.Read(m_case.Remote).Versions.Values, Is.EqualTo(whole), FollowedAdvice.Text(chain));
    }
}
