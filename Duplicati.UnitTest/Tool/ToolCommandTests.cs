// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine.Parsing;
using System.Text.RegularExpressions;
using Duplicati.Tool;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Every command: its help, its results as JSON and text, its exit codes, and the README's forms of it.</summary>
[TestFixture]
internal sealed class ToolCommandTests
{
    private static IEnumerable<string> Commands => ToolRoot.Of().Subcommands.Select(x => x.Name);

    private static IEnumerable<string> ReadmeLines()
    {
        var lines = File.ReadAllLines(Repository.File("README.md"));
        var table = lines
            .SkipWhile(x => x != "| command of the tool | what it does, or is for |")
            .Skip(2)
            .TakeWhile(x => x.StartsWith('|'));
        return table
            .Select(x => "duplicati-db " + x.Split('`')[1].Replace("\\|", "|", StringComparison.Ordinal))
            .Concat(lines.Where(x => x.StartsWith("duplicati-db ", StringComparison.Ordinal)));
    }

    [TestCaseSource(nameof(Commands))]
    public async Task Every_command_explains_itself(string command)
    {
        var run = await ToolRun.OkAsync(command, "--help");
        Assert.That(run.Output, Does.Contain(command).And.Contain("--json").And.Contain("--quiet"));
        Assert.That(run.Error, Is.Empty);
    }

    [TestCaseSource(nameof(Commands))]
    public void Of_a_command_line_that_begins_with_its_name_a_command_is_made_alone_and_is_the_same(string command)
    {
        var alone = ToolRoot.Of(command).Subcommands.Single();
        var among = ToolRoot.Of().Subcommands.Single(x => x.Name == command);
        Assert.That(alone.Name, Is.EqualTo(command));
        Assert.That(alone.Description, Is.EqualTo(among.Description));
        Assert.That(alone.Options.Select(x => x.Name), Is.EqualTo(among.Options.Select(x => x.Name)));
    }

    [TestCaseSource(nameof(ReadmeLines))]
    public void Every_form_in_the_README_is_understood(string line)
    {
        var root = ToolRoot.Of();
        foreach (var form in CommandForms.Of(line))
            Assert.That(root.Parse(form).Errors.Select(x => x.Message), Is.Empty, string.Join(' ', form));
    }

    [Test]
    public void The_README_names_every_command() => Assert.That(ReadmeLines().Select(x => x.Split(' ')[1]), Is.SupersetOf(Commands));

    [TestCase]
    [TestCase("no-such-command")]
    [TestCase("backup")]
    [TestCase("restore", "remote", "--dbpath", "x")]
    [TestCase("backup", "remote", "source", "--dbpath", "x", "--blocksize", "huge")]
    [TestCase("delete", "remote", "--dbpath", "x", "--version", "newest")]
    [TestCase("dump", "x", "--no-such-option")]
    public async Task A_wrong_command_line_is_refused_with_exit_code_2(params string[] args)
    {
        var run = await ToolRun.RunAsync(args);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage));
        Assert.That(run.Error, Is.Not.Empty);
    }

    [Test]
    public async Task A_backup_goes_through_all_commands()
    {
        using var tool = new ToolCase();
        var first = await ToolRun.OkAsync(tool.BackUpAsync());
        Assert.That(first.Flag("newVersion"), Is.True);
        Assert.That(first.Number("files"), Is.EqualTo(6));
        File.WriteAllText(Path.Combine(tool.Source, "new"), "new");
        Assert.That((await tool.BackUpAsync()).Code, Is.Zero);

        var versions = await ToolRun.RunAsync("list", tool.Remote, "--no-encryption", "--json");
        Assert.That(versions.Json.GetArrayLength(), Is.EqualTo(2));
        var known = await tool.QueryAsync("list");
        Assert.That(
            known.Json.EnumerateArray().Select(x => x.GetProperty("time").GetDateTime()),
            Is.EqualTo(versions.Json.EnumerateArray().Select(x => x.GetProperty("time").GetDateTime()))
        );

        var recreated = tool["recreated.sqlite"];
        var recreate = await ToolRun.RunAsync("recreate", tool.Remote, "--dbpath", recreated, "--no-encryption", "--json");
        Assert.That((recreate.Code, recreate.Number("filelists")), Is.EqualTo((0, 2)));
        var compare = await ToolRun.RunAsync("compare", tool.Database, recreated, "--json");
        Assert.That((compare.Code, compare.Json.GetArrayLength()), Is.EqualTo((0, 0)));
        Assert.That((await ToolRun.RunAsync("dump", tool.Database)).Json.EnumerateObject().Count(), Is.Positive);

        var restore = await tool.RestoreAsync("target", "--version", "0");
        Assert.That((restore.Code, restore.Number("files")), Is.EqualTo((0, 7L)));
        Assert.That(File.ReadAllText(Path.Combine(tool["target"], "new")), Is.EqualTo("new"));
        var verify = await tool.RunAsync("verify");
        Assert.That((verify.Code, verify.Items("problems").Count), Is.EqualTo((0, 0)));

        var delete = await tool.RunAsync("delete", "--version", "1", "--yes");
        Assert.That((delete.Code, delete.Number("deletedVersions")), Is.EqualTo((0, 1)));
        Assert.That((await tool.RunAsync("compact")).Code, Is.Zero);
        compare = await ToolRun.RunAsync("compare", tool.Database, recreated, "--json");
        Assert.That(compare.Code, Is.EqualTo(ExitCode.Found));
        Assert.That(compare.Json.GetArrayLength(), Is.Positive);
        await AssertSummaryAsync(compare, tool.Database, recreated);
        var upgrade = await ToolRun.RunAsync("upgrade", tool.Database, "--json");
        Assert.That((upgrade.Code, upgrade.Number("to")), Is.EqualTo((0, 19L)));
    }

    // As text: how many of each kind, and the first ten of them.
    private static async Task AssertSummaryAsync(ToolRun all, params string[] databases)
    {
        var sections = all.Json.EnumerateArray().Select(x => x.GetProperty("section").GetString()!).ToList();
        var kinds = sections.Distinct().ToList();
        foreach (var isFull in new[] { false, true })
        {
            var text = await ToolRun.RunAsync(["compare", .. databases, .. isFull ? ["--all"] : Array.Empty<string>()]);
            var lines = text.Output.TrimEnd().Split('\n');
            Assert.That(lines[0], Does.StartWith($"{sections.Count} differences; "));
            Assert.That(lines.Skip(1).Where(x => x[0] != ' ').Select(x => x.Split(':')[0]), Is.EqualTo(kinds));
            Assert.That(
                lines.Count(x => x.StartsWith("  - ", StringComparison.Ordinal) || x.StartsWith("  + ", StringComparison.Ordinal)),
                Is.EqualTo(kinds.Sum(kind => Math.Min(isFull ? int.MaxValue : 10, sections.Count(x => x == kind))))
            );
            Assert.That(
                text.Output.Contains("use --full-result", StringComparison.Ordinal),
                Is.EqualTo(!isFull && kinds.Exists(kind => sections.Count(x => x == kind) > 10))
            );
        }
    }

    [Test]
    public async Task Generate_makes_what_it_says_and_quiet_keeps_the_error_stream_empty()
    {
        using var tool = new ToolCase();
        await ToolRun.OkAsync(tool.LineAsync("generate $made --total 100kb --files 7 --max-file 50kb --seed 4 --json"));
        var files = Directory.GetFiles(tool["made"], "*", SearchOption.AllDirectories);
        Assert.That((files.Length, files.Sum(x => new FileInfo(x).Length)), Is.EqualTo((7, 100L * 1024)));
        Assert.That((await tool.BackUpAsync("--quiet")).Error, Is.Empty);
    }
}

/// <summary>The command lines that a form such as <c>duplicati-db list REMOTE | --dbpath FILE [--version N]</c> stands for.</summary>
internal static partial class CommandForms
{
    /// <summary>The words after the first one, optional parts included; one list for each alternative.</summary>
    public static IEnumerable<string[]> Of(string line)
    {
        var plain = line.Replace(" TIME", " 3D", StringComparison.Ordinal)
            .Replace(" SIZE", " 1mb", StringComparison.Ordinal)
            .Replace("[", "", StringComparison.Ordinal)
            .Replace("]", "", StringComparison.Ordinal)
            .Replace("…", "", StringComparison.Ordinal);
        string[] words = [.. CommandLineParser.SplitCommandLine(Placeholder().Replace(plain, "1")).Skip(1)];
        var bar = Array.IndexOf(words, "|");
        if (bar < 0)
            return [words];
        // "REMOTE | --dbpath FILE" or "--version N | --time TIME", and what follows both.
        var first = words[bar - 2].StartsWith("--", StringComparison.Ordinal) ? 2 : 1;
        return
        [
            [.. words[..bar], .. words[(bar + 3)..]],
            [.. words[..(bar - first)], .. words[(bar + 1)..]],
        ];
    }

    [GeneratedRegex(@"\b(?:N|NAME)\b(\|all)?")]
    private static partial Regex Placeholder();
}
