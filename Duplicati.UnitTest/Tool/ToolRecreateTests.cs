// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>
/// A recreate that has to read block volumes is interrupted on the command line: no command takes what it has not read yet for lost,
/// and the advice that they give leads to the end.
/// </summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolRecreateTests : ToolTestBase
{
    private string[] m_remote = [];

    [SetUp]
    public async Task MakeAsync()
    {
        for (var i = 0; i < 20; i++)
            SourceTree.Write(Tool.Source, $"more/{i}", 150_000, new Random(i));
        await Tool.RunAsync("backup", Tool.Source, "--blocksize", "1kb", "--dblock-size", "20kb");
        foreach (var index in Directory.GetFiles(Tool.Remote, "*.dindex.*"))
            File.Delete(index);
        m_remote = Files(Tool.Remote);
        File.Move(Tool.Database, Tool["original.sqlite"]);
    }

    [TestCase("INT")]
    [TestCase("KILL")]
    public async Task Nothing_uses_the_unfinished_database_but_recreate_which_goes_on(string signal)
    {
        Interrupt(signal);
        var command = await AssertRefusedAsync();
        Assert.That((await ToolRun.RunAsync("list", "--dbpath", Tool.Database)).Code, Is.Zero);
        Assert.That((await ToolRun.RunAsync("info", Tool.Database)).Code, Is.LessThanOrEqualTo(ExitCode.Found));
        Assert.That(Files(Tool.Remote), Is.EqualTo(m_remote), "nothing is lost");

        var done = await ToolRun.OkAsync([.. command, "--json"]);
        Assert.That(done.Number("kept"), Is.Positive);
        Databases.AssertEqual(
            Tool["original.sqlite"],
            Tool.Database,
            options: DumpComparisonOptions.Logical with
            {
                IgnoreBlockPlacement = true,
                IgnoredSections = new HashSet<string> { DumpNames.Operations, DumpNames.RemoteVolumes, DumpNames.RowCounts },
            }
        );
        var restored = await ToolRun.OkAsync(Tool.RestoreAsync("restored"));
        Assert.That(SourceTree.Describe(Tool["restored"]), Is.EqualTo(SourceTree.Describe(Tool.Source)));
        Assert.That((await Tool.RunAsync("backup", Tool.Source)).Code, Is.EqualTo(ExitCode.Ok));
    }

    [Test]
    public async Task Gone_on_with_in_another_folder_it_does_not_name_the_same_command()
    {
        Interrupt("INT");
        using var other = new ToolCase();
        Assert.That((await other.BackUpAsync()).Code, Is.Zero);

        var run = await ToolRun.RunAsync("recreate", other.Remote, "--dbpath", Tool.Database, "--no-encryption", "--json");

        run.AssertRefused("RemoteFolderEmptyWithPrefix");
        Assert.That(run.Error, Does.Contain("What was read is kept.").And.Not.Contain(ToolConsole.RUN));
    }

    // The command that all of them name, as words.
    private async Task<string[]> AssertRefusedAsync()
    {
        string[][] commands =
        [
            ["backup", Tool.Remote, Tool.Source],
            ["delete", Tool.Remote, "--version", "0"],
            ["compact", Tool.Remote],
            ["purge", Tool.Remote, Tool.Source],
            ["purge-broken-files", Tool.Remote],
            ["repair", Tool.Remote],
            ["restore", Tool.Remote, "--target", Tool["nothing"]],
            ["test", Tool.Remote],
        ];
        var advice = "";
        foreach (var words in commands)
        {
            var refused = await ToolRun.RunAsync([.. words, "--dbpath", Tool.Database, "--no-encryption", "--json"]);
            Assert.That(refused.Code, Is.EqualTo(ExitCode.Failed), words[0] + refused.Error);
            Assert.That(refused.HelpId, Is.EqualTo("DatabaseIsUnfinished"), words[0]);
            Assert.That(refused.Text("error"), Does.Contain(Advice.ContinueRecreate()), words[0]);
            advice = refused.Text("command");
            Assert.That(advice, Is.EqualTo($"duplicati-db recreate {Tool.Remote} --dbpath {Tool.Database} --no-encryption"), words[0]);
        }

        foreach (var name in new[] { "vacuum", "upgrade" })
        {
            var refused = await ToolRun.RunAsync(name, Tool.Database, "--json");
            Assert.That(refused.Code, Is.EqualTo(ExitCode.Failed), refused.Error);
            Assert.That(refused.HelpId, Is.EqualTo("DatabaseIsUnfinished"), name);
        }

        return advice["duplicati-db ".Length..].Split(' ');
    }

    private void Interrupt(string signal)
    {
        using var tool = ToolProgram.Start(Tool["temporary"], "recreate", Tool.Remote, "--dbpath", Tool.Database, "--no-encryption");
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
