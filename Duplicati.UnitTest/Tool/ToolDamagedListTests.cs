// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool.Following;

namespace Duplicati.UnitTest.Tool;

/// <summary>Restores without a database of versions whose file list is damaged.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class ToolDamagedListTests : CopiedToolTestBase
{
    private string[] m_older = [];

    protected override async Task MakeAsync(ToolCase made)
    {
        for (var version = 0; version < 3; version++)
        {
            m_older = SourceTree.Describe(made.Source);
            for (var file = 0; file < 40; file++)
                SourceTree.Write(made.Source, $"more {version}/{file}", 500, new Random((100 * version) + file));
            await made.BackUpAsync();
        }
    }

    [TestCase("empty")]
    [TestCase("no zip")]
    [TestCase("half")]
    [TestCase("cut at its head")]
    [TestCase("cut inside")]
    [TestCase("altered")]
    public async Task A_damaged_newest_list_is_told_with_the_version_that_can_be_restored(string damage)
    {
        var list = VolumeFiles.Of(Tool.Remote, "dlist")[^1];
        Damage(list, damage);

        var run = await Tool.DirectAsync("newest");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Failed), run.Error);
        Assert.That(run.Error, Does.Contain(Path.GetFileName(list)).And.Contain("--version 1"));
        Assert.That(run.Error, Does.Not.Contain("What was read is kept").And.Not.Contain("duplicati-db recreate"));
        Assert.That(Directory.Exists(Tool["newest"]), Is.False, "nothing is taken for the version");
        await ToolRun.OkAsync(Tool.DirectAsync("older", "--version", "1"));
        Assert.That(SourceTree.Describe(Tool["older"]), Is.EqualTo(m_older));
    }

    [Test]
    public async Task Of_two_damaged_lists_the_version_below_both_is_named()
    {
        foreach (var list in VolumeFiles.Of(Tool.Remote, "dlist")[1..])
            Damage(list, "half");
        Assert.That((await Tool.DirectAsync("target")).Error, Does.Contain("--version 2"));
        Assert.That((await Tool.DirectAsync("target", "--version", "2")).Code, Is.Zero);
    }

    [Test]
    public async Task What_can_be_read_of_a_damaged_list_is_restored_when_its_version_is_asked_for()
    {
        Damage(VolumeFiles.Of(Tool.Remote, "dlist")[^1], "cut inside");
        var run = await Tool.DirectAsync("part", "--version", "0");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(run.Items("listProblems"), Has.Count.EqualTo(1));
        Assert.That(Directory.GetFiles(Tool["part"], "*", SearchOption.AllDirectories), Is.Not.Empty);
    }

    [Test]
    public async Task Where_no_list_can_be_read_the_failure_is_that_of_the_list()
    {
        foreach (var list in VolumeFiles.Of(Tool.Remote, "dlist"))
            Damage(list, "no zip");
        var run = await Tool.DirectAsync("target");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "CorruptVolume")), run.Error);
        Assert.That(run.Error, Does.Not.Contain("--version"));
    }

    // Blocks and their volumes are known without a version.
    [TestCase("no zip")]
    [TestCase("half")]
    public async Task A_recreate_where_no_list_can_be_read_leads_to_a_database_that_the_next_backup_goes_on_with(string damage)
    {
        foreach (var list in VolumeFiles.Of(Tool.Remote, "dlist"))
            Damage(list, damage);
        var access = new[] { Tool.Remote, "--dbpath", Tool["new.sqlite"], "--no-encryption", "--json" };

        var chain = await FollowedAdvice.FollowAsync(["recreate", .. access], 3);
        Assert.That(chain[^1].Run.HelpId, Is.EqualTo("CannotDeleteAllVersions"), "blocks would go with the last version");

        var backup = await ToolRun.RunAsync(["backup", access[0], Tool.Source, .. access[1..]]);
        Assert.That(backup.Code, Is.Zero, $"{FollowedAdvice.Text(chain)}\n{backup.Error}");
        Assert.That(backup.Number("newBlocks"), Is.Zero);
        chain = await FollowedAdvice.FollowAsync(["check", .. access, "--deep"], 3);
        Assert.That(chain[^1].Run.Code, Is.Zero, FollowedAdvice.Text(chain));
    }

    private static void Damage(string list, string damage)
    {
        if (damage == "cut inside")
            VolumeEdit.Rewrite(list, (name, text) => (name, name == "filelist.json" ? text[..(text.Length / 2)] : text));
        var content = File.ReadAllBytes(list);
        // Within the packed list: its checksum tells, if not its form.
        content[content.Length / 2] ^= (byte)(damage == "altered" ? 1 : 0);
        File.WriteAllBytes(
            list,
            damage switch
            {
                "empty" => [],
                "no zip" => "no zip"u8.ToArray(),
                "half" => content[..(content.Length / 2)],
                "cut at its head" => content[(content.Length / 4)..],
                _ => content,
            }
        );
    }
}
