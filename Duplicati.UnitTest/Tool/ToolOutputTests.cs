// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Engine.Volumes;

namespace Duplicati.UnitTest.Tool;

/// <summary>What names have in them that would steer a terminal reaches none: in no command, no message, no failure, and no JSON.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolOutputTests : ToolTestBase
{
    // Colours, the cursor, the title of the window, the order of letters, an end of line of its own, a return to its beginning.
    private const string Hostile = "\e[31m\e]0;title\a\u009b2J\u202Ered\u2066\rname\nline\u2028\u007f\b";

    private string File => Path.Combine(Tool.Source, Hostile, Hostile + "file");

    [SetUp]
    public async Task BackUp()
    {
        SourceTree.Write(Tool.Source, $"{Hostile}/{Hostile}file", 30_000, new Random(3));
        await RunAsync("backup", Tool.Remote, Tool.Source, "--blocksize", "1kb", "--dblock-size", "20kb");
        SourceTree.Write(Tool.Source, $"{Hostile}/{Hostile}new", 3000, new Random(4));
        await RunAsync("backup", Tool.Remote, Tool.Source);
    }

    [Test]
    public async Task No_command_writes_one_raw()
    {
        Assert.That((await RunAsync("list", "--version", "0")).Output, Does.Contain("\\u001b[31m"));
        await RunAsync("list", "--all-versions");
        await RunAsync("list", "--file", File);
        await RunAsync("list", "--folder", Path.Combine(Tool.Source, Hostile));
        await RunAsync("list", "--folder", Hostile);
        await RunAsync("search", "red");
        await RunAsync("search", Hostile);
        await RunAsync("changes");
        await RunAsync("report", "--output", Tool[Hostile + "page"]);
        await RunAsync("affected", Hostile, Path.GetFileName(VolumeFiles.Of(Tool.Remote, "dblock")[0]));
        await RunAsync("restore", Tool.Remote, "--target", Tool[Hostile], "--include", Hostile);
        await RunAsync("restore", Tool.Remote, "--target", Tool[Hostile], "--verbose");
        System.IO.File.WriteAllText(Path.Combine(Tool[Hostile], Hostile, Hostile + "file"), "mine");
        await RunAsync("restore", Tool.Remote, "--target", Tool[Hostile]);
        await RunAsync("check", Tool.Remote, "--deep");
        await RunAsync("verify", Tool.Remote);
        await RunAsync("test", Tool.Remote);
        await RunAsync("purge", Tool.Remote, "*red*file", "--dry-run");
        await RunAsync("delete", Tool.Remote, "--version", "1");
        await RunAsync("backup", Tool[Hostile], Tool[Hostile + "no source"]);
        await RunAsync("bug-report", Tool[Hostile + "report"]);
        await RunAsync("help", Hostile);
        await ToolAsync("dump", Tool.Database);
        await ToolAsync("info", Tool.Database);
        await ToolAsync("compare", Tool.Database, Tool[Hostile + "none"]);
        await ToolAsync("info", Tool[Hostile]);
        await ToolAsync(Hostile);
        await ToolAsync("list", "--" + Hostile);
        await ToolAsync("backup", "--blocksize", Hostile);
    }

    [Test]
    public async Task Nothing_damaged_or_missing_writes_one_raw()
    {
        // The whole backup is moved into a folder of such a name.
        Directory.Move(Tool.Remote, Tool[Hostile]);
        var remote = Tool[Hostile];
        System.IO.File.WriteAllText(Path.Combine(remote, "duplicati-" + Hostile + ".dblock.zip"), "unknown");
        foreach (var volume in VolumeFiles.Of(remote, "dblock").Where(x => !x.Contains('\e', StringComparison.Ordinal)).Skip(1))
            System.IO.File.Delete(volume);
        await RunAsync("check", remote);
        await RunAsync("list-broken-files", remote, "--full-result");
        await RunAsync("purge-broken-files", remote);
        await RunAsync("backup", remote, Tool.Source);
        await RunAsync("restore", remote, "--target", Tool["target"]);
        await RunAsync("repair", remote, "--dry-run");
        await RunAsync("repair", remote);
        await RunAsync("purge-broken-files", remote, "--yes");
        System.IO.File.Delete(Tool.Database);
        await FilelistCopy.RewriteAsync(
            VolumeFiles.Of(remote, "dlist")[^1],
            path => path.Replace(Tool.Source, "/../" + Hostile, StringComparison.Ordinal)
        );
        await RunAsync("recreate", remote);
        Assert.That(
            (await RunAsync("restore", remote, "--no-database", "--target", Tool["second"])).Error,
            Does.Contain("PathTraversalDetected")
        );
    }

    // Every command as text and as JSON; at no terminal, as a return belongs to one.
    private async Task<ToolRun> RunAsync(string command, params string[] more)
    {
        string[] database = more.Contains("--no-database") || command == "help" ? [] : ["--dbpath", Tool.Database];
        string[] encryption =
            more.FirstOrDefault() is { } first && (first == Tool.Remote || first == Tool[Hostile]) && command is not "bug-report"
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
