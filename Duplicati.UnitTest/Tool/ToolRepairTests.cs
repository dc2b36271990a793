// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>The commands that mend: <c>repair</c>, and <c>test</c> where it replaces index volumes.</summary>
[TestFixture]
internal sealed class ToolRepairTests
{
    private ToolCase m_tool = null!;

    [SetUp]
    public async Task SetUp()
    {
        m_tool = new ToolCase();
        Assert.That((await m_tool.BackUpAsync()).Code, Is.Zero);
    }

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    [Test]
    public async Task A_whole_backup_needs_no_repair()
    {
        var before = RemoteFiles();
        var run = await m_tool.RunAsync("repair");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), run.Error);
        Assert.That(run.Strings("uploaded").Concat(run.Strings("deleted")), Is.Empty);
        Assert.That(RemoteFiles(), Is.EqualTo(before));
        var text = await ToolRun.RunAsync("repair", m_tool.Remote, "--dbpath", m_tool.Database, "--no-encryption");
        Assert.That(text.Output, Is.EqualTo("Database and remote folder fit together.\n"));
    }

    [Test]
    public async Task A_dry_run_tells_what_the_repair_then_does()
    {
        File.Delete(VolumeFiles.Of(m_tool.Remote, "dindex")[0]);
        File.Delete(VolumeFiles.Of(m_tool.Remote, "dlist")[0]);
        var (volumes, database) = (RemoteFiles(), File.ReadAllBytes(m_tool.Database));

        var dry = await m_tool.RunAsync("repair", "--dry-run");
        Assert.That((dry.Code, dry.Json.GetProperty("dryRun").GetBoolean()), Is.EqualTo((ExitCode.Ok, true)), dry.Error);
        Assert.That(RemoteFiles(), Is.EqualTo(volumes));
        Assert.That(File.ReadAllBytes(m_tool.Database), Is.EqualTo(database));

        var run = await m_tool.RunAsync("repair");
        Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), run.Error);
        Assert.That(
            run.Strings("uploaded").Select(KindOf),
            Is.EqualTo(dry.Strings("uploaded").Select(KindOf)).And.EquivalentTo(new[] { "dlist", "dindex" })
        );
        Assert.That((await m_tool.RunAsync("test", "--samples", "all")).Code, Is.EqualTo(ExitCode.Ok));
    }

    [TestCase("Block", ".backup")]
    [TestCase("Block", "and none is at", true)]
    [TestCase("LogData", ".backup")]
    [TestCase("", ".backup")]
    public async Task A_dry_run_names_no_temporary_file(string damaged, string text, bool isElsewhere = false)
    {
        using var other = new ToolCase();
        SourceTree.Write(other.Source, "more", 1000, new Random(1));
        Assert.That((await other.BackUpAsync()).Code, Is.Zero);
        if (damaged.Length > 0)
        {
            Databases.ZeroPage(m_tool.Database, damaged);
        }
        else
        {
            File.Delete(m_tool.Database);
            Databases.Upgrade(m_tool.Database);
        }

        var run = await ToolRun.RunAsync(
            "repair",
            isElsewhere ? other.Remote : m_tool.Remote,
            "--dbpath",
            m_tool.Database,
            "--no-encryption",
            "--dry-run"
        );

        Assert.That(run.Error, Does.Contain(Path.GetFileName(m_tool.Database)).And.Contain(text));
        Assert.That(run.Error + run.Output, Does.Not.Contain(Path.GetTempPath() + "duplicati-engine").And.Not.Contain("dry-run.sqlite"));
        Assert.That(run.Error, Does.Not.Contain("is kept as"));
    }

    [Test]
    public async Task Without_a_database_one_is_made_but_not_in_a_dry_run()
    {
        File.Move(m_tool.Database, m_tool["whole.sqlite"]);

        var dry = await m_tool.RunAsync("repair", "--dry-run");
        Assert.That((dry.Code, File.Exists(m_tool.Database)), Is.EqualTo((ExitCode.Ok, false)), dry.Error);
        var run = await m_tool.RunAsync("repair", "--dblock-size", "50kb");
        Assert.That(run.Json.GetProperty("recreated").GetProperty("filelists").GetInt32(), Is.EqualTo(1));
        Assert.That((await ToolRun.RunAsync("compare", m_tool["whole.sqlite"], m_tool.Database)).Code, Is.EqualTo(ExitCode.Ok));
    }

    [Test]
    public async Task The_text_names_every_volume()
    {
        var lost = VolumeFiles.Of(m_tool.Remote, "dindex")[0];
        File.Delete(lost);

        var run = await ToolRun.RunAsync("repair", m_tool.Remote, "--dbpath", m_tool.Database, "--no-encryption", "--verbose");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Ok), run.Error);
        Assert.That(run.Output, Does.StartWith("Uploaded 1 volume.\n").And.Contain("uploaded: duplicati-i"));
        Assert.That(run.Error, Does.Contain("Listing remote folder").And.Contain("Uploading duplicati-i"));
    }

    [Test]
    public async Task A_test_replaces_faulty_index_volumes_when_told_to()
    {
        var faulty = VolumeFiles.Of(m_tool.Remote, "dindex")[0];
        File.WriteAllBytes(faulty, [.. File.ReadAllBytes(faulty).Select(x => (byte)~x)]);

        var run = await m_tool.RunAsync("test", "--samples", "all", "--replace-faulty-index-files");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(run.Strings("replacedIndexVolumes"), Is.EqualTo(new[] { Path.GetFileName(faulty) }));
        Assert.That((await m_tool.RunAsync("test", "--samples", "all")).Code, Is.EqualTo(ExitCode.Ok));
    }

    private static string KindOf(string name) => name.Split('.')[1];

    private string[] RemoteFiles() => [.. Directory.GetFiles(m_tool.Remote).Order(StringComparer.Ordinal)];
}
