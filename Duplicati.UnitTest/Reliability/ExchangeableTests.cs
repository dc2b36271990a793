// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Operations;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// After every commit of every operation the database is one that the release before opens and finds complete, or refuses as newer.
/// </summary>
[TestFixture]
[NonParallelizable]
internal sealed class ExchangeableTests
{
    private ToolCase m_tool = null!;
    private int m_refused;
    private CommitWatch m_watch = null!;

    [SetUp]
    public void Begin()
    {
        m_tool = new ToolCase();
        m_refused = 0;
        m_watch = new CommitWatch(
            Path.GetDirectoryName(m_tool.Database)!,
            x => m_refused += ReleaseBefore.AssertRefusesOrFindsAll(x) ? 1 : 0
        );
    }

    [TearDown]
    public void End()
    {
        m_watch.Dispose();
        m_tool.Dispose();
    }

    [Test]
    public async Task The_release_before_opens_every_database_after_every_commit_of_every_operation()
    {
        var random = new Random(7);
        // More blocks than a first backup keeps its indexes up to date for.
        SourceTree.Write(m_tool.Source, "large", 18_000_000, random);
        await RunAsync("backup", m_tool.Source, "--blocksize", "1kb", "--dblock-size", "500kb");
        Assert.That(m_refused, Is.Positive, "a large first backup leaves indexes out");
        var atFirst = m_refused;

        SourceTree.Write(m_tool.Source, "large", 2_000_000, random);
        await BackUpAsync();
        SourceTree.Write(m_tool.Source, "folder/0", 30_000, random);
        File.Delete(Path.Combine(m_tool.Source, "folder", "1"));
        await BackUpAsync();
        await ReadAsync();
        await RunAsync("delete", "--version", "2", "--yes");
        await RunAsync("compact");
        await RunAsync("purge", "*folder/2", "--yes");
        await RunAsync("test", "--samples", "1");
        await LockAsync();
        File.Delete(Directory.EnumerateFiles(m_tool.Remote, "*.dindex.*").First());
        await RunAsync("repair");
        await OnFileAsync("vacuum", m_tool.Database);
        await OnFileAsync("upgrade", m_tool.Database);
        Assert.That(m_refused, Is.EqualTo(atFirst), "nothing but filling an empty database leaves indexes out");

        File.Delete(m_tool.Database);
        await RunAsync("repair");
        Assert.That(m_refused, Is.GreaterThan(atFirst), "a recreate leaves indexes out until it is complete");
        AssertAll(m_tool.Database);
        TestContext.Out.WriteLine(
            $"{m_watch.Looks} commits, {m_refused} of them of a database without indexes; {m_watch.Misses} that nobody else could see"
        );
        Assert.That(m_watch.Misses, Is.LessThan(m_watch.Looks / 4));
    }

    private async Task ReadAsync()
    {
        await RunAsync("restore", "--target", m_tool["target"]);
        await RunAsync("verify", "--quick");
        await RunAsync("list-broken-files");
        await RunAsync("purge-broken-files");
        await OnFileAsync("list", "--dbpath", m_tool.Database);
        await OnFileAsync("info", m_tool.Database);
        await OnFileAsync("bug-report", "--dbpath", m_tool.Database, m_tool["report.zip"]);
    }

    private async Task LockAsync()
    {
        await using (var database = await LocalLockDatabase.CreateAsync(m_tool.Database, null, default))
        {
            var name = (await database.GetRemoteVolumesAsync(default).FirstAsync()).Name;
            await database.UpdateRemoteVolumeLockExpirationAsync(name, new DateTime(2040, 1, 1, 0, 0, 0, DateTimeKind.Utc), default);
            await database.CommitAsync(default);
        }

        AssertAll(m_tool.Database);
    }

    private Task BackUpAsync() => RunAsync("backup", m_tool.Source);

    private async Task RunAsync(string command, params string[] more)
    {
        var run = await m_tool.RunAsync(command, more);
        Assert.That(run.Code, Is.Zero, $"{command}: {run.Output}{run.Error}");
        AssertAll(m_tool.Database);
    }

    private async Task OnFileAsync(params string[] args)
    {
        var run = await ToolRun.RunAsync(args);
        Assert.That(run.Code, Is.Zero, $"{args[0]}: {run.Output}{run.Error}");
        AssertAll(m_tool.Database);
    }

    private void AssertAll(string path)
    {
        Assert.That(m_watch.Failures, Is.Empty);
        Assert.That(ReleaseBefore.AssertRefusesOrFindsAll(path), Is.False, "an operation that ended leaves nothing out");
    }
}
