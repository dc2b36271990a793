// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Tool;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>A full or closed output, error stream or log file is no unexpected failure of any command, and messages end none.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolFullOutputTests : ToolTestBase
{
    [TestCase("")]
    [TestCase("--json")]
    public async Task A_full_output_is_told_by_every_command_that_has_a_result(string json)
    {
        await foreach (var words in CommandsAsync())
        {
            using var output = new FullWriter();
            using var error = new StringWriter();
            var code = await ToolRoot.RunAsync([.. words, .. json.Length > 0 ? [json] : Array.Empty<string>()], output, error);
            if (output.IsTried)
                Assert.That(code, Is.EqualTo(ExitCode.Failed), words[0]);
            else
                Assert.That(code, Is.Zero.Or.EqualTo(ExitCode.Found), words[0] + error);
            Assert.That(output.IsTried || words[0] is "report" or "bug-report" or "generate", words[0]);
            Assert.That(
                error.ToString(),
                output.IsTried ? Does.Contain("Help id: ").And.Contain("No space left") : Does.Not.Contain("Help id")
            );
            Assert.That(error.ToString(), Does.Not.Contain("   at "));
        }
    }

    [TestCase("")]
    [TestCase("--verbose")]
    public async Task A_full_error_stream_ends_no_command(string verbose)
    {
        await foreach (var words in CommandsAsync())
        {
            using var output = new StringWriter();
            using var error = new FullWriter();
            var code = await ToolRoot.RunAsync([.. words, .. verbose.Length > 0 ? [verbose] : Array.Empty<string>()], output, error);
            Assert.That(code, Is.Zero.Or.EqualTo(ExitCode.Found), words[0]);
        }
    }

    [Test]
    public async Task A_full_log_file_is_told_once_and_ends_no_command()
    {
        await foreach (var words in CommandsAsync())
        {
            var run = await ToolRun.RunAsync([.. words, "--log-file", "/dev/full"]);
            Assert.That(run.Code, Is.Zero.Or.EqualTo(ExitCode.Found), run.Error);
            var told = run.Error.Split('\n').Count(x => x.StartsWith("Warning: The log file is not complete", StringComparison.Ordinal));
            Assert.That(told, words[0] is "backup" or "recreate" ? Is.EqualTo(1) : Is.AtMost(1), run.Error);
        }
    }

    [TestCase(ExitCode.NoBackup, "list", "--dbpath", "/no/such/database", "--json")]
    [TestCase(ExitCode.Usage, "list", "--no-such-option")]
    [TestCase(ExitCode.Failed, "--help")]
    [TestCase(ExitCode.Failed, "list", "--help")]
    [TestCase(ExitCode.Failed, "help", "--json")]
    [TestCase(ExitCode.Failed, "--version")]
    public async Task With_both_full_the_exit_code_is_left(int code, params string[] words)
    {
        using var full = new FullWriter();
        Assert.That(await ToolRoot.RunAsync(words, full, full), Is.EqualTo(code));
    }

    [TestCase(">/dev/full", ExitCode.NoBackup, ExitCode.Failed)]
    [TestCase(">&-", ExitCode.NoBackup, ExitCode.Failed)]
    [TestCase("2>/dev/full", ExitCode.NoBackup, 0)]
    [TestCase("2>&-", ExitCode.NoBackup, 0)]
    [TestCase(">&- 2>&-", ExitCode.NoBackup, ExitCode.Failed)]
    public void A_shell_gets_the_exit_code(string redirection, int ofFailure, int ofHelp)
    {
        foreach (var (code, words) in ((int, string)[])[(ofFailure, "list --dbpath /no/such/database --json"), (ofHelp, "help")])
        {
            var run = ChildProcess.Run("/bin/sh", ["-c", $"exec \"$@\" {words} {redirection}", "sh", .. ToolProgram.Words]);
            Assert.That(run.ExitCode, Is.EqualTo(code), run.Error);
            Assert.That(run.Error, Does.Not.Contain("   at "));
        }
    }

    // One after the other on one backup; each does what it does whatever becomes of its texts.
    private async IAsyncEnumerable<string[]> CommandsAsync()
    {
        string[] database = ["--dbpath", Tool.Database];
        string[] both = [Tool.Remote, .. database, "--no-encryption"];
        Assert.That((await Tool.BackUpAsync("--schema", "20")).Code, Is.Zero);
        File.WriteAllText(Path.Combine(Tool.Source, "new"), "new");
        string[][] lines =
        [
            ["backup", .. both[..1], Tool.Source, .. both[1..]],
            ["list", .. database],
            ["search", .. database, "folder"],
            ["find", .. database, "--version", "0"],
            ["volumes", .. database],
            ["report", .. database, "--output", Tool["page"]],
            ["changes", .. database],
            ["affected", .. database, Path.GetFileName(VolumeFiles.Of(Tool.Remote, "dblock")[0])],
            ["recreate", Tool.Remote, "--dbpath", Tool["new.sqlite"], "--no-encryption"],
            ["repair", .. both],
            ["restore", .. both, "--target", Tool["target"]],
            ["check", .. both],
            ["verify", .. both],
            ["test", .. both],
            ["list-broken-files", .. both],
            ["purge-broken-files", .. both],
            ["purge", .. both, "*/folder/3", "--yes"],
            ["delete", .. both, "--version", "1", "--yes"],
            ["compact", .. both],
            ["label", "a label", .. database, "--version", "0"],
            ["downgrade", Tool.Database, "--to", "19", "--yes"],
            ["upgrade", Tool.Database],
            ["databases", Tool["."]],
            ["info", Tool.Database],
            ["bug-report", Tool["report"], .. database],
            ["vacuum", Tool.Database],
            ["dump", Tool.Database],
            ["compare", Tool.Database, Tool.Database],
            ["generate", Tool["generated"], "--files", "10", "--total", "100kb"],
            ["completion", "bash"],
            ["help"],
        ];
        Assert.That(lines.Select(x => x[0]), Is.EquivalentTo(ToolRoot.Of().Subcommands.Select(x => x.Name)));
        foreach (var line in lines)
            yield return line;
        Assert.That(Directory.GetFiles(Tool["target"], "new", SearchOption.AllDirectories), Has.Length.EqualTo(1));
        Assert.That((await ToolRun.RunAsync(["list", .. database, "--json"])).Json.GetArrayLength(), Is.EqualTo(1));
    }

    private sealed class FullWriter : TextWriter
    {
        internal bool IsTried { get; private set; }

        public override Encoding Encoding => Encoding.UTF8;

        public override void Write(char value)
        {
            IsTried = true;
            throw new IOException("No space left on device", 28);
        }
    }
}
