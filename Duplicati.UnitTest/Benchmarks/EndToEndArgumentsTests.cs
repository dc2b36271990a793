// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.CommandLine;
using System.CommandLine.Parsing;
using Duplicati.Benchmarks;
using Duplicati.Benchmarks.Commands;
using Duplicati.Benchmarks.EndToEnd;
using Duplicati.Benchmarks.Replay;

namespace Duplicati.UnitTest.Benchmarks;

[TestFixture]
public class EndToEndArgumentsTests
{
    [TestCase("--total 5zz", "--total 5zz: this is no size")]
    [TestCase("--blocksize -1kb", "--blocksize -1kb: this is no size")]
    [TestCase("--dblock-size 99999999999tb", "this is no size")]
    [TestCase("--presets foo", "--presets foo: there are default, ")]
    [TestCase("--operations backup fly", "--operations fly: there are backup, ")]
    [TestCase("--versions 1", "--versions 1: give 2 or more.")]
    [TestCase("--repeat 0", "--repeat 0: give 1 or more.")]
    public void A_wrong_value_is_one_line(string line, string expected)
    {
        var errors = EndToEndCommand.Create().Parse(line).Errors.Select(error => error.Message).ToList();
        Assert.That(errors, Has.Count.EqualTo(1));
        Assert.That(errors[0], Does.Contain(expected).And.Not.Contain("\n"));
    }

    [Test]
    public void The_command_that_repeats_a_run_does_not_say_where_its_reports_went() =>
        Assert.That(
            EndToEndCommand.Repeated(["e2e", "--output", "/some/where", "--peer", "x=a b", "--repeat", "3", "-o", "here"]),
            Is.EqualTo("e2e --peer \"x=a b\" --repeat 3")
        );

    [Test]
    public void The_help_fits_on_a_screen_and_has_examples()
    {
        using var output = new StringWriter();
        BenchmarkRoot.Create().Parse("e2e --help").Invoke(new InvocationConfiguration { Output = output });

        var lines = output.ToString().TrimEnd().Split('\n');
        Assert.That(lines, Has.Length.LessThan(50));
        Assert.That(lines.Where(line => line.Length > 140), Is.Empty);
        Assert.That(lines.Count(line => line.StartsWith("    e2e --", StringComparison.Ordinal)), Is.AtLeast(3));
    }

    [TestCase("--peer x", "write NAME=COMMAND")]
    [TestCase("--peer x=", "there is no command")]
    [TestCase("--peer \"a b=c\"", "write NAME=COMMAND")]
    [TestCase("--peer x=a --peer x=b", "two peers x")]
    [TestCase("--peer engine=a", "Two contenders are called engine")]
    [TestCase("--peer x=a --peer-options y=--b", "there is no peer y")]
    [TestCase("--peer x=a --peer-options x:fly=--b", "there is no operation fly")]
    [TestCase("--peer x=a --peer-options x", "write NAME=OPTIONS")]
    [TestCase("--presets none", "nothing to time")]
    [TestCase("--cross --presets default", "two contenders")]
    [TestCase("--cross --resume", "cannot be resumed")]
    public void What_does_not_fit_together_is_one_line(string line, string expected) =>
        Assert.That(
            () => Read(line),
            Throws.InstanceOf<EndToEndException>().With.Message.Contains(expected).And.Message.Not.Contains("\n")
        );

    [Test]
    public void Peers_and_their_options_are_read()
    {
        var options = Read([
            "--peer",
            "own=dotnet \"C:\\My Folder\\cli.dll\"",
            "--peer",
            "layer=/opt/cli",
            "--peer-options",
            "own:restore=--one=1 --two",
            "--peer-options",
            "own=--three",
        ]);

        var peers = Peer.Contenders(options);
        Assert.That(peers.Select(peer => peer.Name), Is.EqualTo(new[] { "own", "layer", "engine" }));
        Assert.That(peers[0].Command, Is.EqualTo(new[] { "dotnet", @"C:\My Folder\cli.dll" }));
        Assert.That(peers[0].OptionsOf(TimedOperation.Restore), Is.EqualTo(new[] { "--one=1", "--two", "--three" }));
        Assert.That(peers[0].OptionsOf(TimedOperation.Backup), Is.EqualTo(new[] { "--three" }));
    }

    [Test]
    public void A_command_that_is_a_path_with_spaces_is_one_word()
    {
        using var folder = new TestFolder();
        var program = folder.File("a program");
        File.WriteAllText(program, "");
        Assert.That(PeerArguments.Parse([$"x={program}"], [])[0].Command, Is.EqualTo(new[] { program }));
    }

    private static EndToEndOptions Read(string line) => Read([.. CommandLineParser.SplitCommandLine(line)]);

    private static EndToEndOptions Read(IReadOnlyList<string> words)
    {
        var command = new Command("e2e");
        var arguments = new EndToEndArguments(command);
        var parsed = command.Parse(words);
        Assert.That(parsed.Errors, Is.Empty);
        return arguments.Read(parsed);
    }
}
