// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers.Binary;
using Duplicati.Tool.Cli;

namespace Duplicati.UnitTest.Tool;

/// <summary>Which version of AES Crypt the tool writes: the one of an option, of Duplicati's environment variable, or 2.</summary>
[TestFixture]
[NonParallelizable]
internal sealed class ToolEncryptionTests : ToolTestBase
{
    protected override ToolCase Begin() => new() { IsEncrypted = true };

    [Test]
    [Contract("B 8.10")]
    public async Task Without_an_option_it_is_version_2()
    {
        await BackUpAsync();
        Assert.That(Heads().Select(x => x.Version), Is.All.EqualTo(2));
        Assert.That(Heads().Select(x => x.HasExtensions), Is.All.True);
    }

    [Test]
    public async Task Options_choose_version_3_its_iterations_and_no_extensions()
    {
        await BackUpAsync("--aes-version", "3", "--aes-v3-iterations", "77", "--aes-minimal-header");
        Assert.That(Heads(), Is.All.EqualTo(new Head(3, false, 77)));
        foreach (var command in new[] { "check", "verify", "test", "list-broken-files" })
            Assert.That((await Tool.RunAsync(command)).Code, Is.Zero, command);
    }

    [Test]
    public async Task An_environment_variable_chooses_and_an_option_beats_it()
    {
        using var version = new EnvironmentVariable("DUPLICATI__AES_VERSION", "3");
        using var iterations = new EnvironmentVariable("DUPLICATI__AES_V3_ITERATIONS", "55");
        using var header = new EnvironmentVariable("DUPLICATI__AES_MINIMAL_HEADER", "true");
        await BackUpAsync();
        Assert.That(Heads(), Is.All.EqualTo(new Head(3, false, 55)));

        var known = Directory.GetFiles(Tool.Remote);
        File.WriteAllText(Path.Combine(Tool.Source, "second"), "b");
        await BackUpAsync("--aes-version", "2", "--aes-minimal-header", "false");
        Assert.That(Heads(known).Select(x => (x.Version, x.HasExtensions)), Is.All.EqualTo((2, true)));

        known = Directory.GetFiles(Tool.Remote);
        File.WriteAllText(Path.Combine(Tool.Source, "third"), "c");
        await BackUpAsync("--aes-v3-iterations", "66");
        Assert.That(Heads(known), Is.All.EqualTo(new Head(3, false, 66)));
    }

    [TestCase("--aes-version", "1")]
    [TestCase("--aes-version", "4")]
    [TestCase("--aes-v3-iterations", "0")]
    [TestCase("--aes-v3-iterations", "10000001")]
    public async Task A_value_that_cannot_be_is_a_wrong_command_line(string option, string value)
    {
        var run = await Tool.RunAsync("backup", Tool.Source, option, value);
        Assert.That((run.Code, Directory.Exists(Tool.Remote)), Is.EqualTo((ExitCode.Usage, false)), run.Error);
        Assert.That(run.Output + run.Error, Does.Contain(option));
    }

    [Test]
    public async Task Iterations_without_version_3_are_refused()
    {
        var run = await Tool.RunAsync("backup", Tool.Source, "--aes-v3-iterations", "1000");
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "InvalidAesOptions")));
        Assert.That(run.Error, Does.Contain("--aes-version 3"));
    }

    // Who only reads is not kept from it.
    [TestCase("DUPLICATI__AES_VERSION", "5")]
    [TestCase("DUPLICATI__AES_VERSION", "two")]
    [TestCase("DUPLICATI__AES_V3_ITERATIONS", "-1")]
    public async Task A_variable_that_cannot_be_is_named_by_who_writes(string name, string value)
    {
        await BackUpAsync();
        using var variable = new EnvironmentVariable(name, value);
        var run = await Tool.RunAsync("backup", Tool.Source);
        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.Failed, "InvalidAesOptions")));
        Assert.That(run.Error, Does.Contain(name).And.Contain(value));
        Assert.That((await Tool.RestoreAsync("restored")).Code, Is.Zero);
        Assert.That((await Tool.RunAsync("check")).Code, Is.Zero);
    }

    [Test]
    public async Task The_command_that_is_advised_writes_the_same_version()
    {
        await BackUpAsync("--aes-version", "3", "--aes-v3-iterations", "77");
        File.Delete(VolumeFiles.Of(Tool.Remote, "dlist")[0]);
        var run = await Tool.RunAsync("backup", Tool.Source, "--aes-version", "3", "--aes-v3-iterations", "77");
        var next = run.Text("command");
        Assert.That(next, Does.StartWith("duplicati-db repair").And.Contain("--aes-version 3 --aes-v3-iterations 77"));
        Assert.That((await ToolRun.RunAsync(next.Split(' ')[1..])).Code, Is.Zero);
        Assert.That(Heads(), Is.All.EqualTo(new Head(3, true, 77)));
    }

    // What to do about one volume that does not open would lead here again.
    [TestCase("recreate")]
    [TestCase("repair")]
    public async Task Of_a_passphrase_that_opens_no_volume_nothing_but_another_one_is_advised(string command)
    {
        await BackUpAsync();
        File.Delete(Tool.Database);
        File.WriteAllText(Tool["wrong"], "wrong");

        var run = await Tool.LineAsync($"{command} $REMOTE --dbpath $DB --passphrase-file $wrong --json");

        Assert.That((run.Code, run.HelpId), Is.EqualTo((ExitCode.WrongPassphrase, "WrongPassphrase")));
        Assert.That(run.Error, Does.Contain("--passphrase-file").And.Not.Contain("duplicati-db"));
        Assert.That(File.Exists(Tool.Database), Is.False);
        Assert.That((await Tool.RunAsync(command)).Code, Is.Zero);
    }

    private Task BackUpAsync(params string[] more) => ToolRun.OkAsync(Tool.BackUpAsync(more));

    private List<Head> Heads(params string[] known)
    {
        var heads = Directory.GetFiles(Tool.Remote).Except(known).Select(x => HeadOf(File.ReadAllBytes(x))).ToList();
        Assert.That(heads, Is.Not.Empty);
        return heads;
    }

    private static Head HeadOf(byte[] volume)
    {
        var (at, length) = (5, 0);
        do
        {
            length = BinaryPrimitives.ReadUInt16BigEndian(volume.AsSpan(at));
            at += 2 + length;
        } while (length > 0);
        return new Head(volume[3], at > 7, volume[3] == 3 ? BinaryPrimitives.ReadInt32BigEndian(volume.AsSpan(at)) : 0);
    }

    private sealed record Head(int Version, bool HasExtensions, int Iterations);
}
