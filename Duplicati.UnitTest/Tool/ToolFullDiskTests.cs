// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Reliability.Storage;

namespace Duplicati.UnitTest.Tool;

/// <summary>A recreate that ends because there is no room: the message says so, and the same command goes on with more.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolFullDiskTests
{
    private RecreateCase m_case = null!;

    [TearDown]
    public void Remove() => m_case.Dispose();

    [Test]
    public async Task A_file_that_may_not_grow_is_named_and_with_more_room_the_recreate_goes_on()
    {
        m_case = await RecreateCase.MakeAsync(new Random(51));
        var size = new FileInfo(m_case.Whole).Length;
        var done = 0;
        RunLimited(50_000);
        Assert.That(UnfinishedRecreate.Is(m_case.Database) || !File.Exists(m_case.Database), "no file has the name without the mark");
        foreach (var percent in new[] { 60, 80 })
        {
            RunLimited(size * percent / 100);
            Assert.That((await RunAsync("compact")).HelpId, Is.EqualTo("DatabaseIsUnfinished"));
            var now = RecreateCase.Done(m_case.Database).Length;
            Assert.That(now, Is.GreaterThanOrEqualTo(done));
            done = now;
        }

        Assert.That(done, Is.Positive);
        var last = await ToolRun.OkAsync(RunAsync("recreate"));
        Assert.That(last.Number("kept"), Is.EqualTo(done));
        m_case.AssertComplete("with room again");
    }

    [Test]
    public async Task Another_passphrase_is_refused_and_what_was_read_stays()
    {
        m_case = await RecreateCase.MakeAsync(new Random(52), change: x => x with { Passphrase = "right" });
        await m_case.InterruptAsync(m_case.Volumes / 2);
        var done = RecreateCase.Done(m_case.Database);
        Assert.That(done, Is.Not.Empty);

        (await RunAsync("recreate", "wrong")).AssertRefused("WrongPassphrase");
        Assert.That(RecreateCase.Done(m_case.Database), Is.EqualTo(done));

        var last = await ToolRun.OkAsync(RunAsync("recreate"));
        Assert.That(last.Number("kept"), Is.EqualTo(done.Length));
        m_case.AssertComplete("with the right one");
    }

    private async Task<ToolRun> RunAsync(string command, string? passphrase = null)
    {
        using var variable = new EnvironmentVariable("DUPLICATI_TEST_PASSPHRASE", passphrase ?? m_case.Backup.Options.Passphrase);
        string[] access = m_case.Backup.Options.Passphrase is null
            ? ["--no-encryption"]
            : ["--passphrase-env", "DUPLICATI_TEST_PASSPHRASE"];
        string[] size = command == "recreate" ? ["--dblock-size", "20kb"] : [];
        return await ToolRun.RunAsync([command, m_case.Backup.Remote, "--dbpath", m_case.Database, "--json", .. access, .. size]);
    }

    private void RunLimited(long bytes)
    {
        var (code, _, error) = LimitedDisk.Run<LimitedTool>(
            LimitedDisk.Limit,
            m_case.Backup.File("temporary"),
            $"{bytes}",
            "recreate",
            m_case.Backup.Remote,
            "--dbpath",
            m_case.Database,
            "--no-encryption",
            "--dblock-size",
            "20kb"
        );
        Assert.That(code, Is.EqualTo(ExitCode.Failed), error);
        Assert.That(error, Does.Contain("Help id: DiskIsFull").And.Contain("\nRun: duplicati-db recreate ").And.Not.Contain("   at "));
    }

    /// <summary>Arguments: those of the disk, how long a file may get, and the command.</summary>
    private sealed class LimitedTool : IChildProgram
    {
        public static int Run(string[] args)
        {
            new LimitedDisk(args[0], args[1]).Leave(long.Parse(args[2], System.Globalization.CultureInfo.InvariantCulture));
            return ToolProgram.Run(args[3..]);
        }
    }
}
