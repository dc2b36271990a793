// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Engine.Remote;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Files;
using Duplicati.UnitTest.Engine.Operations;

namespace Duplicati.UnitTest.Engine.Remote;

/// <summary>A file that was put is whole and stays, whatever happens to the process or to the power.</summary>
[TestFixture]
internal sealed class DurablePutTests : FolderTestBase
{
    private static readonly string[] s_steps =
    [
        $"{FileSteps.Name}: .putting",
        $"{FileSteps.File}: .putting",
        $"{FileSteps.Name}: volume",
        $"{FileSteps.Folder}: remote",
    ];

    [SetUp]
    public void SetUp() => Directory.CreateDirectory(Remote);

    private string Remote => Folder.File("remote");

    [Test]
    public async Task A_file_is_flushed_before_it_gets_its_name_and_the_folder_afterwards()
    {
        var steps = new List<string>();
        using var files = new FileSteps((step, path) => steps.Add($"{step}: {Path.GetFileName(path).Split('-')[0]}"));
        await LocalFolder.Parse(Remote, files).PutAsync("volume", Local("content"), default);
        Assert.That(steps, Is.EqualTo(s_steps));
    }

    [TestCase(1)]
    [TestCase(2)]
    [TestCase(3)]
    public async Task A_put_that_fails_at_any_step_keeps_the_file_of_that_name_and_leaves_no_other(int step)
    {
        await LocalFolder.Parse(Remote).PutAsync("volume", Local("first"), default);
        using var files = At(step, () => throw new IOException("refused"));
        Assert.ThrowsAsync<IOException>(() => LocalFolder.Parse(Remote, files).PutAsync("volume", Local("second"), default));
        Assert.That(Directory.GetFiles(Remote).Select(Path.GetFileName), Is.EqualTo(new[] { "volume" }));
        Assert.That(await File.ReadAllTextAsync(Path.Combine(Remote, "volume")), Is.EqualTo("first"));
    }

    [Test]
    public void A_folder_that_cannot_be_flushed_is_an_error_the_caller_sees()
    {
        using var files = At(4, () => throw new IOException("refused"));
        Assert.ThrowsAsync<IOException>(() => LocalFolder.Parse(Remote, files).PutAsync("volume", Local("content"), default));
    }

    [TestCase(1)]
    [TestCase(2)]
    [TestCase(3)]
    [TestCase(4)]
    [Platform("Linux")]
    public async Task A_put_that_is_killed_before_any_step_shows_the_whole_file_or_none_and_the_rest_is_removed(int step)
    {
        var run = ChildProcess.Run<PutChild>(Remote, Local("content"), $"{step}");
        Assert.That(run.ExitCode, Is.Not.Zero, run.Error);
        var remote = LocalFolder.Parse(Remote);
        var listed = await remote.ListAsync(default);
        Assert.That(listed.Select(x => (x.Name, x.Size)), Is.EqualTo(step == 4 ? [("volume", 7L)] : Array.Empty<(string, long)>()));
        Assert.That(await remote.RemoveLeftoversAsync(default), Is.EqualTo(step is 2 or 3 ? 1 : 0));
        Assert.That(Directory.GetFiles(Remote), Has.Length.EqualTo(listed.Count));
    }

    [Test]
    public async Task A_file_that_is_being_put_is_no_leftover()
    {
        var remote = LocalFolder.Parse(Remote);
        var removed = -1;
        using var files = At(3, () => removed = remote.RemoveLeftoversAsync(default).GetAwaiter().GetResult());
        await LocalFolder.Parse(Remote, files).PutAsync("volume", Local("content"), default);
        Assert.That(removed, Is.Zero);
        Assert.That(await File.ReadAllTextAsync(Path.Combine(Remote, "volume")), Is.EqualTo("content"));
    }

    [Test]
    public void Leftovers_of_a_missing_folder_are_a_typed_error() =>
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => LocalFolder.Parse(Folder.File("missing")).RemoveLeftoversAsync(default));

    [Test]
    public async Task The_next_backup_removes_what_a_killed_put_left()
    {
        using var backup = new BackupCase();
        await backup.BackUpAsync("file", 5000, 1);
        var leftover = Path.Combine(backup.Remote, ".putting-0123");
        await File.WriteAllTextAsync(leftover, "half");
        await backup.BackUpAsync();
        Assert.That(File.Exists(leftover), Is.False);
        await backup.AssertSoundAsync("after the second backup");
    }

    // Before the step of a number, counted from 1.
    private static FileSteps At(int step, Action action) =>
        new(
            (_, _) =>
            {
                if (--step == 0)
                    action();
            }
        );

    private string Local(string content)
    {
        File.WriteAllText(Folder.File("local"), content);
        return Folder.File("local");
    }

    private sealed class PutChild : IChildProgram
    {
        public static int Run(string[] args)
        {
            using var files = At(int.Parse(args[2], System.Globalization.CultureInfo.InvariantCulture), ChildProgram.Die);
            LocalFolder.Parse(args[0], files).PutAsync("volume", args[1], default).GetAwaiter().GetResult();
            return 0;
        }
    }
}
