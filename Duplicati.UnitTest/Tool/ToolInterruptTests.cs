// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;
using Duplicati.Tool.Cli;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Tool;

/// <summary>Ctrl+C stops the tool in good order. The tool runs in a process of its own, as from a shell.</summary>
[TestFixture]
[Platform("Linux")]
internal sealed class ToolInterruptTests
{
    [TestCase("INT")]
    [TestCase("TERM")]
    public async Task An_interrupted_backup_ends_with_130_and_leaves_what_the_next_one_goes_on_from(string signal)
    {
        using var backup = new BackupCase();
        var random = new Random(23);
        SourceTree.Write(backup.Source, "first", 100_000, random);
        await backup.BackUpAsync();
        var before = backup.Volumes("dlist");
        for (var i = 0; i < 10; i++)
            SourceTree.Write(backup.Source, $"more/{i}", 1_000_000, random);

        using var tool = ToolProgram.Start(
            Temporary(backup),
            "backup",
            backup.Remote,
            backup.Source,
            "--dbpath",
            backup.Options.DatabasePath,
            "--no-encryption",
            "--dblock-size",
            "50kb",
            "--verbose",
            "--metrics",
            backup.File("metrics.json"),
            "--trace",
            backup.File("trace.json")
        );
        // Uploading has begun, and hundreds of volumes are to come.
        Wait.ForLine(tool, tool.StandardError, static line => line.StartsWith("Uploading ", StringComparison.Ordinal), "that it uploads");
        ToolProgram.Signal(tool, signal);
        var rest = Wait.ForAll(tool, tool.StandardError);

        Assert.That(tool.ExitCode, Is.EqualTo(ExitCode.Cancelled), rest);
        Assert.That(rest, Does.Contain("Interrupted.").And.Not.Contain("   at "));
        Assert.That(ToolRecord.Read(backup.File("metrics.json")).GetProperty("exitCode").GetInt32(), Is.EqualTo(ExitCode.Cancelled));
        Assert.That(ToolRecord.Events(backup.File("trace.json")).Select(x => x.GetProperty("name").GetString()), Does.Contain("put"));
        Assert.That(backup.Volumes("dlist"), Is.EqualTo(before));
        Assert.That(Directory.GetFileSystemEntries(Temporary(backup)), Is.Empty);
        AssertNoHalfVolume(backup);
        // The rest of the test need not take as long as the interruption had to have time.
        foreach (var file in Directory.GetFiles(Path.Combine(backup.Source, "more"), "*").Order(StringComparer.Ordinal).Skip(3))
            File.Delete(file);
        await backup.BackUpAsync();
        await backup.AssertSoundAsync("after the next backup");
        Assert.That(await backup.RestoredAsync(0), Is.EqualTo(SourceTree.Describe(backup.Source)));
        await backup.AssertRecreateEqualsAsync("after the next backup");
    }

    [Test]
    public async Task A_command_that_is_not_interrupted_ends_with_its_own_code()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("file", 1000, 1);
        using var tool = ToolProgram.Start(
            Temporary(backup),
            "verify",
            backup.Remote,
            "--dbpath",
            backup.Options.DatabasePath,
            "--no-encryption"
        );
        var error = Wait.ForAll(tool, tool.StandardError);
        Assert.That(tool.ExitCode, Is.Zero, error);
    }

    // Their database is a temporary one, that nobody can go on with.
    [TestCase("restore", "--no-database", "--target")]
    [TestCase("repair", "--dry-run", "--dbpath")]
    public async Task An_interrupted_direct_restore_or_dry_run_says_nothing_of_a_recreate(string command, string option, string path)
    {
        using var backup = new BackupCase(x => x with { VolumeSize = 20 * 1024 });
        for (var i = 0; i < 20; i++)
            SourceTree.Write(backup.Source, $"{i}", 150_000, new Random(i));
        await backup.BackUpAsync();
        foreach (var index in backup.Volumes("dindex"))
            File.Delete(index);

        using var tool = ToolProgram.Start(Temporary(backup), command, backup.Remote, option, path, backup.File("made"), "--no-encryption");
        // Reading of hundreds of block volumes is about to begin.
        Wait.ForLine(
            tool,
            tool.StandardError,
            static line => line.Contains("for what the index volumes lack", StringComparison.Ordinal),
            "that it reads block volumes"
        );
        ToolProgram.Signal(tool, "INT");
        var rest = Wait.ForAll(tool, tool.StandardError);

        Assert.That(tool.ExitCode, Is.EqualTo(ExitCode.Cancelled), rest);
        Assert.That(rest, Does.Contain("Interrupted.").And.Not.Contain("is kept").And.Not.Contain(ToolConsole.RUN));
    }

    // Whole before the next backup looks: the size the database recorded, or one it never finished, which is not there under its name.
    private static void AssertNoHalfVolume(BackupCase backup)
    {
        Databases.AssertSound(backup.Options.DatabasePath);
        var known = SampleDatabase
            .Rows(backup.Options.DatabasePath, "SELECT \"Name\" || ' ' || \"Size\" FROM \"Remotevolume\"")
            .Select(x => x.Split(' '))
            .ToDictionary(x => x[0], x => long.Parse(x[1], CultureInfo.InvariantCulture));
        foreach (var file in new DirectoryInfo(backup.Remote).GetFiles())
            Assert.That(file.Length, Is.EqualTo(known[file.Name]), file.Name);
    }

    private static string Temporary(BackupCase backup) => backup.File("temporary");
}
