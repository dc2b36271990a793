// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using Duplicati.Engine.Common;
using Duplicati.Engine.Remote;
using Duplicati.Library.SQLiteHelper.Files;

namespace Duplicati.UnitTest.Engine.Remote;

[TestFixture]
public sealed class LocalFolderTests : FolderTestBase
{
    private LocalFolder m_remote = null!;

    [SetUp]
    public void SetUp()
    {
        m_remote = LocalFolder.Parse(Folder.File("remote"));
        m_remote.Create();
    }

    [TearDown]
    public void TearDown() => m_remote.Dispose();

    [Test]
    public async Task What_was_put_is_listed_and_comes_back()
    {
        await m_remote.PutAsync("a file.zip", Local("content"), default);
        var listed = (await m_remote.ListAsync(default)).Single();
        Assert.That((listed.Name, listed.Size), Is.EqualTo(("a file.zip", 7L)));
        await m_remote.GetAsync("a file.zip", Folder.File("back"), default);
        Assert.That(await File.ReadAllTextAsync(Folder.File("back")), Is.EqualTo("content"));
    }

    // As where a volume was moved to another disk.
    [Test]
    [Platform(Exclude = "Win")]
    public async Task A_link_has_the_length_of_what_it_leads_to()
    {
        await m_remote.PutAsync("a file.zip", Local("content"), default);
        File.Move(Folder.File("remote/a file.zip"), Folder.File("moved"));
        File.CreateSymbolicLink(Folder.File("remote/a file.zip"), Folder.File("moved"));
        File.CreateSymbolicLink(Folder.File("remote/nowhere.zip"), Folder.File("nothing"));

        Assert.That((await m_remote.ListAsync(default)).Select(x => (x.Name, x.Size)), Is.EqualTo(new[] { ("a file.zip", 7L) }));
    }

    [Test]
    public async Task A_file_in_the_place_of_the_folder_is_named()
    {
        await File.WriteAllTextAsync(Folder.File("plain"), "");
        using var remote = LocalFolder.Parse(Folder.File("plain"));
        Assert.That(() => remote.Create(), Refused.HelpId("InvalidRemoteAddress"));
    }

    // As an empty folder that is there when its disk is unmounted: on another device.
    [Test]
    [Platform("Linux")]
    public async Task A_folder_whose_disk_is_unmounted_is_missing_and_none_of_its_files()
    {
        var parent = UnixFile.DeviceOf(Folder.Path) == UnixFile.DeviceOf(AppContext.BaseDirectory) ? "/dev/shm" : AppContext.BaseDirectory;
        var empty = Directory.CreateDirectory(Path.Combine(parent, $"duplicati-test-{Guid.NewGuid():N}"));
        try
        {
            Directory.CreateSymbolicLink(Folder.File("link"), Folder.File("remote"));
            using var remote = LocalFolder.Parse(Folder.File("link"));
            await remote.PutAsync("a", Local("content"), default);
            Directory.Delete(Folder.File("link"));
            Directory.CreateSymbolicLink(Folder.File("link"), empty.FullName);

            Assert.ThrowsAsync<RemoteFolderMissingException>(() => remote.ListAsync(default));
            Assert.Throws<RemoteFolderMissingException>(() => remote.OpenLocal("a").Dispose());
            Assert.ThrowsAsync<RemoteFolderMissingException>(() => remote.DeleteAsync("a", default));
            Assert.ThrowsAsync<RemoteFolderMissingException>(() => remote.PutAsync("b", Local("more"), default));
            Assert.That(empty.EnumerateFileSystemInfos(), Is.Empty);

            // The disk has come back as another device.
            await File.WriteAllTextAsync(Path.Combine(empty.FullName, "a"), "content");
            Assert.That((await remote.ListAsync(default)).Single().Name, Is.EqualTo("a"));
        }
        finally
        {
            empty.Delete(recursive: true);
        }
    }

    // As what would mount a disk whose server is off: the network of a process that has ended, and that nobody has waited for.
    [Test]
    [Platform("Linux")]
    public async Task A_folder_on_another_device_that_cannot_be_listed_is_missing()
    {
        const string Ended = "(while [ \"$(cat /proc/$$/comm)\" != sleep ]; do :; done) & echo $!; exec sleep 600";
        Directory.CreateSymbolicLink(Folder.File("link"), Folder.File("remote"));
        using var remote = LocalFolder.Parse(Folder.File("link"));
        await remote.PutAsync("a", Local("content"), default);
        using var shell = Process.Start(new ProcessStartInfo("sh", ["-c", Ended]) { RedirectStandardOutput = true })!;
        try
        {
            var process = $"/proc/{Wait.ForLine(shell, shell.StandardOutput)}";
            Wait.Until(() => File.ReadAllText($"{process}/stat").Contains(") Z ", StringComparison.Ordinal), "its end");
            Directory.Delete(Folder.File("link"));
            Directory.CreateSymbolicLink(Folder.File("link"), $"{process}/net");
            Assert.Throws<IOException>(() => Directory.GetFiles(Folder.File("link")), "it is there, and cannot be listed");

            Assert.ThrowsAsync<RemoteFolderMissingException>(() => remote.ListAsync(default));
            Assert.Throws<RemoteFolderMissingException>(() => remote.OpenLocal("a").Dispose());
            Assert.ThrowsAsync<RemoteFolderMissingException>(() => remote.DeleteAsync("a", default));
            Assert.ThrowsAsync<RemoteFolderMissingException>(() => remote.PutAsync("b", Local("more"), default));
        }
        finally
        {
            shell.Kill();
            Wait.ForEnd(shell);
        }
    }

    [Test]
    public async Task A_put_file_replaces_one_of_its_name_and_takes_the_local_one_away()
    {
        await m_remote.PutAsync("x", Local("first"), default);
        await m_remote.PutAsync("x", Local("second"), default);
        Assert.That(await File.ReadAllTextAsync(Folder.File("remote/x")), Is.EqualTo("second"));
        Assert.That(Folder.Files(), Is.Empty);
        Assert.That(Directory.GetFiles(Folder.File("remote")), Has.Length.EqualTo(1));
    }

    [Test]
    public async Task A_file_left_by_a_killed_put_is_not_listed()
    {
        await File.WriteAllTextAsync(Folder.File("remote/.putting-1"), "half");
        Assert.That(await m_remote.ListAsync(default), Is.Empty);
    }

    [Test]
    public async Task Files_that_come_and_go_while_the_folder_is_listed_do_no_harm()
    {
        await m_remote.PutAsync("x", Local("content"), default);
        using var stop = new CancellationTokenSource();
        var others = Task.Run(() => ComeAndGo(stop.Token));
        for (var i = 0; i < 200; i++)
            Assert.That((await m_remote.ListAsync(default)).Select(x => x.Name), Does.Contain("x"));
        await stop.CancelAsync();
        await others;
    }

    [Test]
    public async Task A_deleted_file_is_gone_and_deleting_it_again_is_an_error()
    {
        await m_remote.PutAsync("x", Local("first"), default);
        await m_remote.DeleteAsync("x", default);
        Assert.That(await m_remote.ListAsync(default), Is.Empty);
        Assert.ThrowsAsync<RemoteFileMissingException>(() => m_remote.DeleteAsync("x", default));
        Assert.ThrowsAsync<RemoteFileMissingException>(() => m_remote.GetAsync("x", Folder.File("back"), default));
    }

    [Test]
    public async Task A_moved_file_has_its_new_name_only_and_never_takes_one_that_is_in_use()
    {
        await m_remote.PutAsync("x", Local("first"), default);
        await m_remote.MoveAsync("x", "x.damaged", default);
        Assert.That((await m_remote.ListAsync(default)).Select(x => x.Name), Is.EqualTo(new[] { "x.damaged" }));
        Assert.ThrowsAsync<RemoteFileMissingException>(() => m_remote.MoveAsync("x", "y", default));
        await m_remote.PutAsync("x", Local("second"), default);
        Assert.ThrowsAsync<RemoteFileExistsException>(() => m_remote.MoveAsync("x", "x.damaged", default));
        Assert.That(await File.ReadAllTextAsync(Folder.File("remote/x.damaged")), Is.EqualTo("first"));
        Assert.That(await File.ReadAllTextAsync(Folder.File("remote/x")), Is.EqualTo("second"));
        Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_remote.MoveAsync("x", "../x", default));
    }

    [Test]
    public async Task Where_case_makes_no_difference_a_file_can_be_renamed_to_its_own_name_in_other_case()
    {
        // As such a folder answers.
        var remote = LocalFolder.Parse(Folder.File("remote"), new DurableFiles(), IsThereInAnyCase);
        await remote.PutAsync("A VOLUME", Local("first"), default);
        await remote.PutAsync("another", Local("second"), default);
        await remote.MoveAsync("A VOLUME", "a volume", default);
        Assert.That((await remote.ListAsync(default)).Select(x => x.Name), Is.EquivalentTo(new[] { "a volume", "another" }));
        Assert.That(await File.ReadAllTextAsync(Folder.File("remote/a volume")), Is.EqualTo("first"));
        Assert.ThrowsAsync<RemoteFileExistsException>(() => remote.MoveAsync("another", "A volume", default));
        Assert.ThrowsAsync<RemoteFileExistsException>(() => remote.MoveAsync("another", "another", default));
    }

    [Test]
    [Platform("Linux")]
    public async Task A_second_file_whose_name_differs_in_case_only_is_in_the_way()
    {
        await m_remote.PutAsync("X", Local("first"), default);
        await m_remote.PutAsync("x", Local("second"), default);
        Assert.ThrowsAsync<RemoteFileExistsException>(() => m_remote.MoveAsync("X", "x", default));
        Assert.That(await File.ReadAllTextAsync(Folder.File("remote/x")), Is.EqualTo("second"));
    }

    [TestCase("")]
    [TestCase(".")]
    [TestCase("..")]
    [TestCase("../x")]
    [TestCase("a/b")]
    [TestCase("a\\b")]
    [TestCase("/etc/passwd")]
    [TestCase("C:x")]
    [TestCase("a\0b")]
    [TestCase(".putting-x")]
    public void A_name_that_is_no_plain_file_name_is_refused_before_anything_is_touched(string name)
    {
        var local = Local("content");
        Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_remote.PutAsync(name, local, default));
        Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_remote.GetAsync(name, Folder.File("back"), default));
        Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_remote.DeleteAsync(name, default));
        Assert.That(File.Exists(local) && !File.Exists(Folder.File("back")));
    }

    [Test]
    public void A_missing_folder_is_a_typed_error()
    {
        var missing = LocalFolder.Parse(Folder.File("missing"));
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => missing.ListAsync(default));
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => missing.GetAsync("x", Folder.File("back"), default));
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => missing.DeleteAsync("x", default));
        var local = Local("content");
        var error = Assert.ThrowsAsync<RemoteFolderMissingException>(() => missing.PutAsync("x", local, default));
        Assert.That(error!.Message, Does.Contain(Folder.File("missing")));
        Assert.That(File.Exists(local));
    }

    [Test]
    [Platform(Exclude = "Win")]
    public async Task A_folder_that_goes_away_while_it_is_listed_is_a_typed_error_and_never_a_shorter_list()
    {
        const int FILES = 2_000;
        for (var i = 0; i < FILES; i++)
            await File.WriteAllTextAsync(Folder.File($"remote/{i}"), "x");
        var errors = 0;
        for (var round = 0; round < 40; round++)
        {
            using var started = new ManualResetEventSlim();
            // Gone later in each round, from before the first name is read until after the last one.
            var spins = round * 20_000;
            var taking = Task.Run(() =>
            {
                Wait.For(started, "the listing begins");
                Thread.SpinWait(spins);
                Directory.Move(Folder.File("remote"), Folder.File("gone"));
            });
            started.Set();
            try
            {
                Assert.That(await m_remote.ListAsync(default), Has.Count.EqualTo(FILES));
            }
            catch (RemoteFolderMissingException)
            {
                errors++;
            }

            await taking;
            Directory.Move(Folder.File("gone"), Folder.File("remote"));
        }

        TestContext.Out.WriteLine($"{errors} of 40 lists ended with the error.");
    }

    [Test]
    [Platform(Exclude = "Win")]
    public void Addresses_are_paths_with_or_without_a_scheme()
    {
        Assert.That(LocalFolder.Parse("file:///data/with%20blank?x=y").Address, Is.EqualTo("/data/with blank"));
        Assert.That(LocalFolder.Parse("/data/with%20blank?x=y").Address, Is.EqualTo("/data/with%20blank?x=y"));
        Assert.That(LocalFolder.Parse("data").Address, Is.EqualTo(Path.GetFullPath("data")));
        Assert.Throws<ArgumentException>(() => LocalFolder.Parse("ssh://host/path"));
        Assert.Throws<ArgumentException>(() => LocalFolder.Parse("file://"));
        Assert.Throws<ArgumentException>(() => LocalFolder.Parse(" "));
    }

    private bool IsThereInAnyCase(string path) =>
        Directory.GetFiles(Folder.File("remote")).Contains(path, StringComparer.OrdinalIgnoreCase);

    private void ComeAndGo(CancellationToken token)
    {
        var names = Enumerable.Range(0, 50).Select(x => Folder.File($"remote/{x}")).ToArray();
        while (!token.IsCancellationRequested)
        {
            foreach (var name in names)
                File.WriteAllText(name, "");
            foreach (var name in names)
                File.Delete(name);
        }
    }

    private string Local(string content)
    {
        File.WriteAllText(Folder.File("local"), content);
        return Folder.File("local");
    }
}
