// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;
using Duplicati.UnitTest.Support;
using NUnit.Framework;

namespace Duplicati.UnitTest.Tool;

/// <summary>What names have in them that would steer a terminal reaches none: in no command, no message, no failure, and no JSON.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolOutputTests
{
    // Colours, the cursor, the title of the window, the order of letters, an end of line of its own, a return to its beginning.
    private const string Hostile = "\e[31m\e]0;title\a\u009b2J\u202Ered\u2066\rname\nline\u2028\u007f\b";

    private ToolCase m_tool = null!;

    private string File => Path.Combine(m_tool.Source, Hostile, Hostile + "file");

    [SetUp]
    public async Task SetUp()
    {
        m_tool = new ToolCase();
        SourceTree.Write(m_tool.Source, $"{Hostile}/{Hostile}file", 30_000, new Random(3));
        await RunAsync("backup", m_tool.Remote, m_tool.Source, "--blocksize", "1kb", "--dblock-size", "20kb");
        SourceTree.Write(m_tool.Source, $"{Hostile}/{Hostile}new", 3000, new Random(4));
        await RunAsync("backup", m_tool.Remote, m_tool.Source);
    }

    [TearDown]
    public void TearDown() => m_tool.Dispose();

    [Test]
    public async Task No_command_writes_one_raw()
    {
        Assert.That((await RunAsync("list", "--version", "0")).Output, Does.Contain("\\u001b[31m"));
        await RunAsync("list", "--all-versions");
        await RunAsync("list", "--file", File);
        await RunAsync("list", "--folder", Path.Combine(m_tool.Source, Hostile));
        await RunAsync("list", "--folder", Hostile);
        await RunAsync("search", "red");
        await RunAsync("search", Hostile);
        await RunAsync("changes");
        await RunAsync("report", "--output", m_tool[Hostile + "page"]);
        await RunAsync("affected", Hostile, Path.GetFileName(VolumeFiles.Of(m_tool.Remote, "dblock")[0]));
        await RunAsync("restore", m_tool.Remote, "--target", m_tool[Hostile], "--include", Hostile);
        await RunAsync("restore", m_tool.Remote, "--target", m_tool[Hostile], "--verbose");
        System.IO.File.WriteAllText(Path.Combine(m_tool[Hostile], Hostile, Hostile + "file"), "mine");
        await RunAsync("restore", m_tool.Remote, "--target", m_tool[Hostile]);
        await RunAsync("check", m_tool.Remote, "--deep");
        await RunAsync("verify", m_tool.Remote);
        await RunAsync("test", m_tool.Remote);
        await RunAsync("purge", m_tool.Remote, "*red*file", "--dry-run");
        await RunAsync("delete", m_tool.Remote, "--version", "1");
        await RunAsync("backup", m_tool[Hostile], m_tool[Hostile + "no source"]);
        await RunAsync("bug-report", m_tool[Hostile + "report"]);
        await RunAsync("help", Hostile);
        await ToolAsync("dump", m_tool.Database);
        await ToolAsync("info", m_tool.Database);
        await ToolAsync("compare", m_tool.Database, m_tool[Hostile + "none"]);
        await ToolAsync("info", m_tool[Hostile]);
        await ToolAsync(Hostile);
        await ToolAsync("list", "--" + Hostile);
        await ToolAsync("backup", "--blocksize", Hostile);
    }

    [Test]
    public async Task Nothing_damaged_or_missing_writes_one_raw()
    {
        // The whole backup is moved into a folder of such a name.
        Directory.Move(m_tool.Remote, m_tool[Hostile]);
        var remote = m_tool[Hostile];
        System.IO.File.WriteAllText(Path.Combine(remote, "duplicati-" + Hostile + ".dblock.zip"), "unknown");
        foreach (var volume in VolumeFiles.Of(remote, "dblock").Where(x => !x.Contains('\e', StringComparison.Ordinal)).Skip(1))
            System.IO.File.Delete(volume);
        await RunAsync("check", remote);
        await RunAsync("list-broken-files", remote, "--full-result");
        await RunAsync("purge-broken-files", remote);
        await RunAsync("backup", remote, m_tool.Source);
        await RunAsync("restore", remote, "--target", m_tool["target"]);
        await RunAsync("repair", remote, "--dry-run");
        await RunAsync("repair", remote);
        await RunAsync("purge-broken-files", remote, "--yes");
        System.IO.File.Delete(m_tool.Database);
        await FilelistCopy.RewriteAsync(
            VolumeFiles.Of(remote, "dlist")[^1],
            path => path.Replace(m_tool.Source, "/../" + Hostile, StringComparison.Ordinal)
        );
        await RunAsync("recreate", remote);
        Assert.That(
            (await RunAsync("restore", remote, "--no-database", "--target", m_tool["second"])).Error,
            Does.Contain("PathTraversalDetected")
        );
    }

    // Every command as text and as JSON; at no terminal, as a return belongs to one.
    private async Task<ToolRun> RunAsync(string command, params string[] more)
    {
        string[] database = more.Contains("--no-database") || command == "help" ? [] : ["--dbpath", m_tool.Database];
        string[] encryption =
            more.FirstOrDefault() is { } first && (first == m_tool.Remote || first == m_tool[Hostile]) && command is not "bug-report"
                ? ["--no-encryption"]
                : [];
        return await ToolAsync([command, .. more, .. database, .. encryption]);
    }

    private static async Task<ToolRun> ToolAsync(params string[] arguments)
    {
        var run = await ToolRun.RunAsync(arguments);
        AssertHarmless(run, arguments);
        if (arguments[0] is not ("backup" or "repair" or "recreate" or "purge-broken-files" or "delete" or "bug-report"))
            AssertHarmless(await ToolRun.RunAsync([.. arguments, "--json"]), arguments);
        return run;
    }

    private static void AssertHarmless(ToolRun run, string[] arguments)
    {
        Assert.That(run.Code, Is.Not.EqualTo(ExitCode.Internal), run.Error);
        foreach (var text in new[] { run.Output, run.Error })
        {
            var raw = text.Where(x =>
                    x != '\n'
                    && char.GetUnicodeCategory(x)
                        is UnicodeCategory.Control
                            or UnicodeCategory.Format
                            or UnicodeCategory.LineSeparator
                            or UnicodeCategory.ParagraphSeparator
                )
                .Select(x => ((int)x).ToString("x4", CultureInfo.InvariantCulture))
                .Distinct();
            Assert.That(raw, Is.Empty, string.Join(' ', arguments) + ":\n" + text);
            Assert.That(
                text.Split('\n').Where(x => x.StartsWith("line", StringComparison.Ordinal)),
                Is.Empty,
                "no name begins a line of its own"
            );
        }
    }
}
