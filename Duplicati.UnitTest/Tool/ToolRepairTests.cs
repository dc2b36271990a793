// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>The commands that mend: <c>repair</c>, and <c>test</c> where it replaces index volumes.</summary>
[TestFixture]
internal sealed class ToolRepairTests : ToolTestBase
{
    [SetUp]
    public Task BackUp() => ToolRun.OkAsync(Tool.BackUpAsync());

    [Test]
    public async Task A_whole_backup_needs_no_repair()
    {
        var before = RemoteFiles();
        var run = await ToolRun.OkAsync(Tool.RunAsync("repair"));
        Assert.That(run.Strings("uploaded").Concat(run.Strings("deleted")), Is.Empty);
        Assert.That(RemoteFiles(), Is.EqualTo(before));
        var text = await Tool.LineAsync("repair $REMOTE --dbpath $DB --no-encryption");
        Assert.That(text.Output, Is.EqualTo("Database and remote folder fit together.\n"));
    }

    [Test]
    public async Task A_dry_run_tells_what_the_repair_then_does()
    {
        File.Delete(VolumeFiles.Of(Tool.Remote, "dindex")[0]);
        File.Delete(VolumeFiles.Of(Tool.Remote, "dlist")[0]);
        var (volumes, database) = (RemoteFiles(), File.ReadAllBytes(Tool.Database));

        var dry = await Tool.RunAsync("repair", "--dry-run");
        Assert.That((dry.Code, dry.Flag("dryRun")), Is.EqualTo((ExitCode.Ok, true)), dry.Error);
        Assert.That(RemoteFiles(), Is.EqualTo(volumes));
        Assert.That(File.ReadAllBytes(Tool.Database), Is.EqualTo(database));

        var run = await ToolRun.OkAsync(Tool.RunAsync("repair"));
        Assert.That(
            run.Strings("uploaded").Select(KindOf),
            Is.EqualTo(dry.Strings("uploaded").Select(KindOf)).And.EquivalentTo(new[] { "dlist", "dindex" })
        );
        Assert.That((await Tool.RunAsync("test", "--samples", "all")).Code, Is.EqualTo(ExitCode.Ok));
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
            Databases.ZeroPage(Tool.Database, damaged);
        }
        else
        {
            File.Delete(Tool.Database);
            Databases.Upgrade(Tool.Database);
        }

        var run = await (isElsewhere ? other : Tool).LineAsync("repair $REMOTE --no-encryption --dry-run --dbpath", Tool.Database);

        Assert.That(run.Error, Does.Contain(Path.GetFileName(Tool.Database)).And.Contain(text));
        Assert.That(run.Error + run.Output, Does.Not.Contain(Path.GetTempPath() + "duplicati-engine").And.Not.Contain("dry-run.sqlite"));
        Assert.That(run.Error, Does.Not.Contain("is kept as"));
    }

    [Test]
    public async Task Without_a_database_one_is_made_but_not_in_a_dry_run()
    {
        File.Move(Tool.Database, Tool["whole.sqlite"]);

        var dry = await Tool.RunAsync("repair", "--dry-run");
        Assert.That((dry.Code, File.Exists(Tool.Database)), Is.EqualTo((ExitCode.Ok, false)), dry.Error);
        var run = await Tool.RunAsync("repair", "--dblock-size", "50kb");
        Assert.That(run.Json.GetProperty("recreated").GetProperty("filelists").GetInt32(), Is.EqualTo(1));
        Assert.That((await ToolRun.RunAsync("compare", Tool["whole.sqlite"], Tool.Database)).Code, Is.EqualTo(ExitCode.Ok));
    }

    [Test]
    public async Task The_text_names_every_volume()
    {
        var lost = VolumeFiles.Of(Tool.Remote, "dindex")[0];
        File.Delete(lost);

        var run = await ToolRun.OkAsync(Tool.LineAsync("repair $REMOTE --dbpath $DB --no-encryption --verbose"));
        Assert.That(run.Output, Does.StartWith("Uploaded 1 volume.\n").And.Contain("uploaded: duplicati-i"));
        Assert.That(run.Error, Does.Contain("Listing remote folder").And.Contain("Uploading duplicati-i"));
    }

    [Test]
    public async Task A_test_replaces_faulty_index_volumes_when_told_to()
    {
        var faulty = VolumeFiles.Of(Tool.Remote, "dindex")[0];
        File.WriteAllBytes(faulty, [.. File.ReadAllBytes(faulty).Select(x => (byte)~x)]);

        var run = await Tool.RunAsync("test", "--samples", "all", "--replace-faulty-index-files");

        Assert.That(run.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(run.Strings("replacedIndexVolumes"), Is.EqualTo(new[] { Path.GetFileName(faulty) }));
        Assert.That((await Tool.RunAsync("test", "--samples", "all")).Code, Is.EqualTo(ExitCode.Ok));
    }

    private static string KindOf(string name) => name.Split('.')[1];

    private string[] RemoteFiles() => [.. Directory.GetFiles(Tool.Remote).Order(StringComparer.Ordinal)];
}
