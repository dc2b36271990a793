// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using Duplicati.Tool;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Values that no option takes: each command line is refused as such, whatever is checked beside it.</summary>
[TestFixture]
internal sealed class ToolOptionTests
{
    private static IEnumerable<string> Commands => ToolRoot.Of().Subcommands.Select(x => x.Name);

    [TestCaseSource(nameof(Commands))]
    public async Task A_value_that_an_option_does_not_take_is_a_wrong_command_line(string name)
    {
        var command = ToolRoot.Of().Subcommands.Single(x => x.Name == name);
        var faults = new List<string>();
        foreach (var option in command.Options.Where(x => x.ValueType != typeof(bool) && x.Name != "--help"))
        {
            string[][] wrong =
            [
                ["", "99999999999999999999", "-1", " "],
                ["x", "y"],
            ];
            foreach (var values in wrong[0].Select(x => new[] { x }).Append(wrong[1]))
            {
                // Without what the command requires, so that nothing is done where the value is one. A name may be that of a database that
                // is not there.
                string[] words = [name, .. values.SelectMany(x => new[] { option.Name, x }), "--preset", "none such"];
                try
                {
                    var run = await ToolRun.RunAsync(words);
                    if (run.Code is not (ExitCode.Usage or ExitCode.NoBackup) || run.Error.Contains("   at ", StringComparison.Ordinal))
                        faults.Add($"{string.Join(' ', words)}: {run.Code} {run.Error}");
                }
                catch (Exception ex)
                {
                    faults.Add($"{string.Join(' ', words)}: {ex.GetType().Name}");
                }
            }
        }

        Assert.That(faults, Is.Empty, string.Join("\n", faults));
    }

    [TestCase("delete", "--keep-time")]
    [TestCase("restore", "--time")]
    public async Task A_blank_time_is_no_time(string command, string option)
    {
        using var tool = new ToolCase();
        foreach (var blank in new[] { "", " " })
        {
            var run = await ToolRun.RunAsync(command, tool.Remote, "--dbpath", tool.Database, "--no-encryption", option, blank);
            Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), run.Error);
            Assert.That(run.Error, Does.Contain($"\"{blank}\" is not a time"));
        }
    }

    [TestCase("info", "")]
    [TestCase("databases", "")]
    [TestCase("list", "")]
    [TestCase("verify", " ", "--dbpath", "me.sqlite")]
    [TestCase("backup", "remote", "", "--dbpath", "me.sqlite")]
    public async Task An_empty_path_is_told(params string[] words)
    {
        var run = await ToolRun.RunAsync(words);
        Assert.That(run.Code, Is.EqualTo(ExitCode.Usage), run.Error);
        Assert.That(run.Error, Does.Contain("is empty; give a path"));
    }

    [TestCase("2gb")]
    [TestCase("5tb")]
    [TestCase("1b")]
    public async Task A_block_size_out_of_its_bounds_is_refused(string size)
    {
        using var tool = new ToolCase();
        var run = await tool.RunAsync("backup", tool.Source, "--blocksize", size);
        Assert.That(run.HelpId, Is.EqualTo("InvalidBlocksize"), run.Error);
    }

    [Test]
    public async Task A_passphrase_that_is_not_text_is_refused()
    {
        using var tool = new ToolCase();
        await File.WriteAllBytesAsync(tool.Passphrase, [0x70, 0xE4, 0x73, 0x0A]);
        var run = await ToolRun.RunAsync("list", tool.Remote, "--passphrase-file", tool.Passphrase, "--json");
        Assert.That(run.HelpId, Is.EqualTo("InvalidPassphraseOptions"), run.Error);
        Assert.That(run.Error, Does.Contain("UTF-8"));
    }

    // A pipe that nobody writes to, as a prompt that nobody answers.
    [Test]
    [Platform("Linux")]
    [CancelAfter(60_000)]
    public async Task Whoever_waits_for_a_passphrase_can_be_interrupted(CancellationToken limit)
    {
        using var tool = new ToolCase();
        Directory.CreateDirectory(tool.Remote);
        var pipe = tool["pipe"];
        Assert.That(ChildProcess.Run("mkfifo", pipe).ExitCode, Is.Zero);
        using var interrupt = new CancellationTokenSource();
        string[] words = ["list", tool.Remote, "--passphrase-file", pipe];
        // Signals are caught when the call has returned.
        var call = Task.Run(() => new { Running = ToolRun.RunAsync(null, interrupt.Token, words) }, limit);
        var running = (await call.WaitAsync(limit)).Running;
        // Opened when the tool reads.
        using var writer = new FileStream(pipe, FileMode.Open, FileAccess.Write);
        await interrupt.CancelAsync();
        var run = await running.WaitAsync(limit);

        Assert.That(run.Code, Is.EqualTo(ExitCode.Cancelled), run.Error);
        Assert.That(run.Error, Does.Contain("Interrupted.").And.Not.Contain("   at "));
    }
}
