// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;
using Duplicati.UnitTest.Tool.Following;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>Restores without a database of versions whose file list is damaged.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class ToolDamagedListTests
{
    private ToolCase m_made = null!;
    private ToolCase m_tool = null!;
    private string[] m_older = [];

    // Once; each test has a copy, and leaves the source as it is.
    [OneTimeSetUp]
    public async Task MakeAsync()
    {
        m_made = new ToolCase();
        for (var version = 0; version < 3; version++)
        {
            m_older = SourceTree.Describe(m_made.Source);
            for (var file = 0; file < 40; file++)
                SourceTree.Write(m_made.Source, $"more {version}/{file}", 500, new Random((100 * version) + file));
            await m_made.BackUpAsync();
        }
    }

    [OneTimeTearDown]
    public void Remove() => m_made.Dispose();

    [SetUp]
    public void SetUp() => m_tool = new ToolCase(m_made);

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    [TestCase("empty")]
    [TestCase("no zip")]
    [TestCase("half")]
    [TestCase("cut at its head")]
    [TestCase("cut inside")]
    [TestCase("altered")]
    public async Task A_damaged_newest_list_is_told_with_the_version_that_can_be_restored(string damage)
    {
        var list = VolumeFiles.Of(m_tool.Remote, "dlist")[^1];
        Damage(list, damage);

        var run = await RestoreAsync("newest");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Failed), run.Error);
        Assert.That(run.Error, Does.Contain(Path.GetFileName(list)).And.Contain("--version 1"));
        Assert.That(run.Error, Does.Not.Contain("What was read is kept").And.Not.Contain("duplicati-db recreate"));
        Assert.That(Directory.Exists(m_tool["newest"]), Is.False, "nothing is taken for the version");
        var other = await RestoreAsync("older", "--version", "1");
        Assert.That(other.Code, Is.Zero, other.Error);
        Assert.That(SourceTree.Describe(m_tool["older"]), Is.EqualTo(m_older));
    }

    [Test]
    public async Task Of_two_damaged_lists_the_version_below_both_is_named()
    {
        foreach (var list in VolumeFiles.Of(m_tool.Remote, "dlist")[1..])
            Damage(list, "half");
        Assert.That((await RestoreAsync("target")).Error, Does.Contain("--version 2"));
        Assert.That((await RestoreAsync("target", "--version", "2")).Code, Is.Zero);
    }

    [Test]
    public async Task What_can_be_read_of_a_damaged_list_is_restored_when_its_version_is_asked_for()
    {
        Damage(VolumeFiles.Of(m_tool.Remote, "dlist")[^1], "cut inside");
        var run = await RestoreAsync("part", "--version", "0");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Found), run.Error);
        Assert.That(run.Json.GetProperty("listProblems").GetArrayLength(), Is.EqualTo(1));
        Assert.That(Directory.GetFiles(m_tool["part"], "*", SearchOption.AllDirectories), Is.Not.Empty);
    }

    [Test]
    public async Task Where_no_list_can_be_read_the_failure_is_that_of_the_list()
    {
        foreach (var list in VolumeFiles.Of(m_tool.Remote, "dlist"))
            Damage(list, "no zip");
        var run = await RestoreAsync("target");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "CorruptVolume")), run.Error);
        Assert.That(run.Error, Does.Not.Contain("--version"));
    }

    // Blocks and their volumes are known without a version.
    [TestCase("no zip")]
    [TestCase("half")]
    public async Task A_recreate_where_no_list_can_be_read_leads_to_a_database_that_the_next_backup_goes_on_with(string damage)
    {
        foreach (var list in VolumeFiles.Of(m_tool.Remote, "dlist"))
            Damage(list, damage);
        var access = new[] { m_tool.Remote, "--dbpath", m_tool["new.sqlite"], "--no-encryption", "--json" };

        var chain = await FollowedAdvice.FollowAsync(["recreate", .. access], 3);
        Assert.That(chain[^1].Run.HelpId, Is.EqualTo("CannotDeleteAllVersions"), "blocks would go with the last version");

        var backup = await ToolRun.RunAsync(["backup", access[0], m_tool.Source, .. access[1..]]);
        Assert.That(backup.Code, Is.Zero, $"{FollowedAdvice.Text(chain)}\n{backup.Error}");
        Assert.That(backup.Json.GetProperty("newBlocks").GetInt64(), Is.Zero);
        chain = await FollowedAdvice.FollowAsync(["check", .. access, "--deep"], 3);
        Assert.That(chain[^1].Run.Code, Is.Zero, FollowedAdvice.Text(chain));
    }

    private Task<ToolRun> RestoreAsync(string target, params string[] more) =>
        ToolRun.RunAsync(["restore", m_tool.Remote, "--no-database", "--target", m_tool[target], "--no-encryption", "--json", .. more]);

    private static void Damage(string list, string damage)
    {
        var content = File.ReadAllBytes(list);
        switch (damage)
        {
            case "empty":
                File.WriteAllBytes(list, []);
                break;
            case "no zip":
                File.WriteAllText(list, "no zip");
                break;
            case "half":
                VolumeEdit.Cut(list);
                break;
            case "cut at its head":
                File.WriteAllBytes(list, content[(content.Length / 4)..]);
                break;
            case "cut inside":
                VolumeEdit.Rewrite(list, (name, text) => (name, name == "filelist.json" ? text[..(text.Length / 2)] : text));
                break;
            default:
                // Within the packed list: its checksum tells, if not its form.
                content[content.Length / 2] ^= 1;
                File.WriteAllBytes(list, content);
                break;
        }
    }
}
