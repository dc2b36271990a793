// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// A recreate that has to read block volumes is interrupted on the command line: no command takes what it has not read yet for lost,
/// and the advice that they give leads to the end.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolRecreateTests
{
    private ToolCase m_case = null!;
    private string[] m_remote = [];

    [SetUp]
    public async Task MakeAsync()
    {
        m_case = new ToolCase();
        for (var i = 0; i < 20; i++)
            SourceTree.Write(m_case.Source, $"more/{i}", 150_000, new Random(i));
        await m_case.RunAsync("backup", m_case.Source, "--blocksize", "1kb", "--dblock-size", "20kb");
        foreach (var index in Directory.GetFiles(m_case.Remote, "*.dindex.*"))
            File.Delete(index);
        m_remote = Files(m_case.Remote);
        File.Move(m_case.Database, m_case["original.sqlite"]);
    }

    [TearDown]
    public void Remove() => m_case.Dispose();

    [TestCase("INT")]
    [TestCase("KILL")]
    public async Task Nothing_uses_the_unfinished_database_but_recreate_which_goes_on(string signal)
    {
        Interrupt(signal);
        var command = await AssertRefusedAsync();
        Assert.That((await ToolRun.RunAsync("list", "--dbpath", m_case.Database)).Code, Is.Zero);
        Assert.That((await ToolRun.RunAsync("info", m_case.Database)).Code, Is.LessThanOrEqualTo(ExitCode.Found));
        Assert.That(Files(m_case.Remote), Is.EqualTo(m_remote), "nothing is lost");

        var done = await ToolRun.RunAsync([.. command, "--json"]);
        Assert.That(done.Code, Is.EqualTo(ExitCode.Ok), done.Error);
        Assert.That(done.Json.GetProperty("kept").GetInt32(), Is.Positive);
        Databases.AssertEqual(
            m_case["original.sqlite"],
            m_case.Database,
            options: DumpComparisonOptions.Logical with
            {
                IgnoreBlockPlacement = true,
                IgnoredSections = new HashSet<string> { DumpNames.Operations, DumpNames.RemoteVolumes, DumpNames.RowCounts },
            }
        );
        var restored = await m_case.RunAsync("restore", "--target", m_case["restored"]);
        Assert.That(restored.Code, Is.EqualTo(ExitCode.Ok), restored.Error);
        Assert.That(SourceTree.Describe(m_case["restored"]), Is.EqualTo(SourceTree.Describe(m_case.Source)));
        Assert.That((await m_case.RunAsync("backup", m_case.Source)).Code, Is.EqualTo(ExitCode.Ok));
    }

    [Test]
    public async Task Gone_on_with_in_another_folder_it_does_not_name_the_same_command()
    {
        Interrupt("INT");
        using var other = new ToolCase();
        Assert.That((await other.BackUpAsync()).Code, Is.Zero);

        var run = await ToolRun.RunAsync("recreate", other.Remote, "--dbpath", m_case.Database, "--no-encryption", "--json");

        run.AssertRefused("RemoteFolderEmptyWithPrefix");
        Assert.That(run.Error, Does.Contain("What was read is kept.").And.Not.Contain(ToolConsole.RUN));
    }

    // The command that all of them name, as words.
    private async Task<string[]> AssertRefusedAsync()
    {
        string[][] commands =
        [
            ["backup", m_case.Remote, m_case.Source],
            ["delete", m_case.Remote, "--version", "0"],
            ["compact", m_case.Remote],
            ["purge", m_case.Remote, m_case.Source],
            ["purge-broken-files", m_case.Remote],
            ["repair", m_case.Remote],
            ["restore", m_case.Remote, "--target", m_case["nothing"]],
            ["test", m_case.Remote],
        ];
        var advice = "";
        foreach (var words in commands)
        {
            var refused = await ToolRun.RunAsync([.. words, "--dbpath", m_case.Database, "--no-encryption", "--json"]);
            Assert.That(refused.Code, Is.EqualTo(ExitCode.Failed), words[0] + refused.Error);
            Assert.That(refused.HelpId, Is.EqualTo("DatabaseIsUnfinished"), words[0]);
            Assert.That(refused.Json.GetProperty("error").GetString(), Does.Contain(Advice.ContinueRecreate()), words[0]);
            advice = refused.Json.GetProperty("command").GetString()!;
            Assert.That(advice, Is.EqualTo($"duplicati-db recreate {m_case.Remote} --dbpath {m_case.Database} --no-encryption"), words[0]);
        }

        foreach (var name in new[] { "vacuum", "upgrade" })
        {
            var refused = await ToolRun.RunAsync(name, m_case.Database, "--json");
            Assert.That(refused.Code, Is.EqualTo(ExitCode.Failed), refused.Error);
            Assert.That(refused.HelpId, Is.EqualTo("DatabaseIsUnfinished"), name);
        }

        return advice["duplicati-db ".Length..].Split(' ');
    }

    private void Interrupt(string signal)
    {
        using var tool = ToolProgram.Start(m_case["temporary"], "recreate", m_case.Remote, "--dbpath", m_case.Database, "--no-encryption");
        // Reading of hundreds of block volumes is about to begin.
        Wait.ForLine(
            tool,
            tool.StandardError,
            static line => line.Contains("for what the index volumes lack", StringComparison.Ordinal),
            "that it reads block volumes"
        );
        ToolProgram.Signal(tool, signal);
        var rest = Wait.ForAll(tool, tool.StandardError);
        if (signal == "INT")
        {
            Assert.That(tool.ExitCode, Is.EqualTo(ExitCode.Cancelled), rest);
            Assert.That(rest, Does.Contain("What was read is kept. " + Advice.ContinueRecreate()));
        }
    }

    private static string[] Files(string folder) =>
        [.. new DirectoryInfo(folder).GetFiles().Select(x => $"{x.Name} {x.Length}").Order(StringComparer.Ordinal)];
}
