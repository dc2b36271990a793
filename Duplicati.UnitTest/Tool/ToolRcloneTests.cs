// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Remote.Rclone;

namespace Duplicati.UnitTest.Tool;

/// <summary>The tool on an address <c>rclone:NAME:PATH</c>, with a program that stands in for rclone.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class ToolRcloneTests
{
    private RcloneCase m_case = null!;
    private string m_source = "";

    [SetUp]
    public void SetUp()
    {
        m_case = new RcloneCase();
        m_source = m_case["source"];
        var random = new Random(5);
        for (var i = 0; i < 4; i++)
            SourceTree.Write(m_source, $"folder/{i}", 30_000, random);
    }

    [TearDown]
    public void TearDown() => m_case.Dispose();

    [Test]
    public async Task A_backup_on_a_remote_goes_through_its_life_with_few_processes()
    {
        await ToolRun.OkAsync(BackUpAsync());
        Assert.That((await m_case.RunAsync("list")).Json.GetArrayLength(), Is.EqualTo(1));

        var calls = m_case.Calls.Length;
        await ToolRun.OkAsync(m_case.RunAsync("recreate", "--dbpath", m_case["b.sqlite"]));
        Assert.That(m_case.Calls, Has.Length.EqualTo(calls + 2), "one to list, one to fetch");
        Assert.That(m_case.Calls[^1].SkipWhile(x => x.Length > 0).Skip(1), Has.All.Contains(".dlist.").Or.Contains(".dindex."));
        Assert.That((await ToolRun.RunAsync("compare", m_case["a.sqlite"], m_case["b.sqlite"], "--json")).Code, Is.Zero);

        await ToolRun.OkAsync(m_case.RunAsync("restore", "--dbpath", m_case["b.sqlite"], "--target", m_case["target"]));
        Assert.That(SourceTree.Describe(m_case["target"]), Is.EqualTo(SourceTree.Describe(m_source)));
        await ToolRun.OkAsync(m_case.RunAsync("verify", "--dbpath", m_case["a.sqlite"]));
    }

    [Test]
    public async Task A_full_local_disk_is_no_fault_of_the_remote()
    {
        await BackUpAsync();
        m_case.Fault("down", "exit 1 write get-1/x: no space left on device");

        (await m_case.RunAsync("restore", "--dbpath", m_case["a.sqlite"], "--target", m_case["target"])).AssertRefused("DiskIsFull");
    }

    [Test]
    public async Task A_recreate_reads_a_block_volume_only_where_an_index_volume_is_missing_and_says_so()
    {
        await BackUpAsync();
        File.Delete(Directory.GetFiles(m_case.Stored, "*.dindex.*")[0]);
        var recreate = await m_case.RunAsync("recreate", "--dbpath", m_case["b.sqlite"]);
        Assert.That((recreate.Code, recreate.Number("blockVolumes")), Is.EqualTo((0, 1)), recreate.Error);
        Assert.That(
            recreate.Error,
            Does.Match(@"Reading 1 block volume of [\d.]+ (KB|bytes)")
                .And.Match(
                    @"The index volume of duplicati-b\w+\.dblock\.zip is missing or cannot be read, so this block volume of [\d.]+ (KB|bytes) is read"
                )
        );
        Assert.That(
            m_case.Calls[^1].SkipWhile(x => x.Length > 0).Count(x => x.Contains(".dblock.", StringComparison.Ordinal)),
            Is.EqualTo(1)
        );
    }

    [Test]
    public async Task Failures_of_the_remote_end_with_3_and_say_what_to_do()
    {
        var missing = await ToolRun.RunAsync(
            "list",
            RcloneCase.Address,
            "--no-encryption",
            "--json",
            "--rclone",
            m_case["no-such-program"]
        );
        Assert.That((missing.Code, missing.HelpId), Is.EqualTo((ExitCode.Failed, "RcloneMissing")));
        (await ToolRun.RunAsync("list", RcloneCase.Address, "--no-encryption", "--json", "--rclone", "")).AssertRefused("RcloneMissing");
        m_case.Fault("lsjson", "exit 1 didn't find section in config file");
        (await m_case.RunAsync("list")).AssertRefused("RcloneNotConfigured");
        Assert.That((await ToolRun.RunAsync("list", "rclone:x", "--no-encryption", "--json")).Code, Is.EqualTo(ExitCode.Failed));
        Assert.That((await m_case.RunAsync("list", "--transfers", "0")).Code, Is.EqualTo(ExitCode.Usage));
    }

    [Test]
    public async Task A_failed_upload_ends_the_backup_and_the_next_one_goes_on()
    {
        m_case.Fault("up", "exit 5 connection reset by peer");
        (await BackUpAsync()).AssertRefused("RcloneNetwork");
        m_case.NoFault();
        Assert.That((await BackUpAsync()).Code, Is.Zero);
        Assert.That((await m_case.RunAsync("verify", "--dbpath", m_case["a.sqlite"])).Code, Is.Zero);
    }

    private Task<ToolRun> BackUpAsync() =>
        m_case.RunAsync("backup", m_source, "--dbpath", m_case["a.sqlite"], "--blocksize", "1kb", "--dblock-size", "50kb");
}
