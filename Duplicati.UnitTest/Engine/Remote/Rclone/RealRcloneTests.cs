// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Text;
using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Remote.Rclone;
using Duplicati.UnitTest.Engine.Operations;
using Duplicati.UnitTest.Tool;
using NUnit.Framework.Constraints;

namespace Duplicati.UnitTest.Engine.Remote.Rclone;

/// <summary>
/// The adapter with the installed rclone: a folder, an encrypted one, and a WebDAV server. They need that program, so they run only when
/// asked for:
/// <c>dotnet test Duplicati.UnitTest -c Release --filter "TestCategory=Rclone"</c>.
/// </summary>
[TestFixture]
[Explicit]
[Category(RealRclone.Category)]
[NonParallelizable]
internal sealed class RealRcloneTests
{
    private RealRclone m_rclone = null!;

    [SetUp]
    public void SetUp() => m_rclone = new RealRclone();

    [TearDown]
    public void TearDown() => m_rclone.Dispose();

    [TestCase("disk")]
    [TestCase("secret")]
    [TestCase("net")]
    public async Task Files_of_any_name_are_put_listed_fetched_renamed_and_deleted(string remote)
    {
        using var folder = Open($"rclone:{remote}:a folder/volumes");
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => folder.ListAsync(default));
        await folder.CreateAsync(default);
        Assert.That(await folder.ListAsync(default), Is.Empty);
        string[] names = ["plain.zip", "-x", "--config=evil", "a b", "100%41", "a{b}[c]", "\u00e4\u00f6", "#x;y", "empty"];
        await Task.WhenAll(names.Select(x => folder.PutAsync(x, Local(x), default)));
        var listed = await folder.ListAsync(default);
        Assert.That(
            listed.Select(x => (x.Name, x.Size)),
            Is.EquivalentTo(names.Select(x => (x, (long)Encoding.UTF8.GetByteCount(Content(x)))))
        );

        folder.Prefetch(names.Take(6).Select(x => (x, (long)Encoding.UTF8.GetByteCount(Content(x)))));
        foreach (var name in names)
        {
            await folder.GetAsync(name, m_rclone["back"], default);
            Assert.That(await File.ReadAllTextAsync(m_rclone["back"]), Is.EqualTo(Content(name)), name);
        }

        // Of the same size: what is there must not be taken for the same file.
        var other = Local("plain.zip");
        await File.WriteAllTextAsync(other, new string('z', Content("plain.zip").Length));
        await folder.PutAsync("plain.zip", other, default);
        await folder.GetAsync("plain.zip", m_rclone["back"], default);
        Assert.That(await File.ReadAllTextAsync(m_rclone["back"]), Does.StartWith("zz"));

        await folder.MoveAsync("-x", "-x.damaged", default);
        Assert.ThrowsAsync<RemoteFileMissingException>(() => folder.MoveAsync("-x", "y", default));
        Assert.ThrowsAsync<RemoteFileExistsException>(() => folder.MoveAsync("a b", "-x.damaged", default));
        Assert.ThrowsAsync<RemoteFileMissingException>(() => folder.DeleteAsync("-x", default));
        Assert.ThrowsAsync<RemoteFileMissingException>(() => folder.GetAsync("-x", m_rclone["back"], default));
        foreach (var file in await folder.ListAsync(default))
            await folder.DeleteAsync(file.Name, default);
        Assert.That(await folder.ListAsync(default), Is.Empty);
    }

    [TestCase("disk")]
    [TestCase("secret")]
    [TestCase("net")]
    public async Task A_backup_goes_through_its_life(string remote)
    {
        var (address, source, database) = ($"rclone:{remote}:backup", m_rclone["source"], m_rclone["a.sqlite"]);
        var random = new Random(7);
        for (var i = 0; i < 10; i++)
            SourceTree.Write(source, $"folder/{i}", 100_000, random);
        await RunAsync("backup", address, source, "--dbpath", database, "--blocksize", "1kb", "--dblock-size", "100kb");
        for (var i = 0; i < 5; i++)
            SourceTree.Write(source, $"folder/{i}", 50_000, random);
        await RunAsync("backup", address, source, "--dbpath", database);

        var recreate = await RunAsync("recreate", address, "--dbpath", m_rclone["b.sqlite"]);
        Assert.That(recreate.Number("blockVolumes"), Is.Zero);
        Assert.That((await ToolRun.RunAsync("compare", database, m_rclone["b.sqlite"], "--json")).Code, Is.Zero);
        await RunAsync("restore", address, "--dbpath", m_rclone["b.sqlite"], "--target", m_rclone["target"]);
        Assert.That(SourceTree.Describe(m_rclone["target"]), Is.EqualTo(SourceTree.Describe(source)));

        await RunAsync("delete", address, "--dbpath", database, "--version", "1", "--yes");
        await RunAsync("verify", address, "--dbpath", database);
        using (var folder = Open(address))
            await folder.DeleteAsync(
                (await folder.ListAsync(default)).First(x => x.Name.Contains(".dindex.", StringComparison.Ordinal)).Name,
                default
            );
        recreate = await RunAsync("recreate", address, "--dbpath", m_rclone["c.sqlite"]);
        Assert.That((recreate.Number("blockVolumes"), recreate.Error), Is.EqualTo((1, recreate.Error)));
        Assert.That(recreate.Error, Does.Contain("so this block volume of"));
        await RunAsync("repair", address, "--dbpath", database);
        await RunAsync("test", address, "--dbpath", database, "--samples", "all");
        await RunAsync("verify", address, "--dbpath", database);
    }

    [TestCase("intruder", "RcloneAccessDenied")]
    [TestCase("gone", "RcloneNetwork")]
    [TestCase("unknown", "RcloneNotConfigured")]
    public void What_goes_wrong_with_a_real_remote_has_a_help_id(string remote, string helpId)
    {
        var failure = new ReusableConstraint(Throws.TypeOf<RcloneException>().With.Matches<RcloneException>(x => x.HelpID == helpId));
        using var folder = Open($"rclone:{remote}:folder");
        Assert.That(() => folder.ListAsync(default), failure);
        Assert.That(() => folder.GetAsync("x", m_rclone["back"], default), failure);
        var local = Local("x");
        Assert.That(() => folder.PutAsync("x", local, default), failure);
        Assert.That(File.Exists(local), Is.True);
    }

    [Test]
    public async Task A_file_that_somebody_changes_on_the_server_does_not_come_as_if_it_were_whole()
    {
        using var folder = Open("rclone:net:backup");
        await folder.CreateAsync(default);
        await folder.PutAsync("plain.zip", Local("plain.zip"), default);
        _ = await folder.ListAsync(default);
        await File.WriteAllTextAsync(Path.Combine(m_rclone.Stored, "backup", "plain.zip"), "half");
        Assert.That(() => folder.GetAsync("plain.zip", m_rclone["back"], default), Throws.InstanceOf<RcloneException>());
        Assert.That(File.Exists(m_rclone["back"]), Is.False);
    }

    private static async Task<ToolRun> RunAsync(string command, params string[] more)
    {
        var run = await ToolRun.RunAsync([command, .. more, "--no-encryption", "--json"]);
        Assert.That(run.Code, Is.Zero, $"{command}: {run.Error}");
        return run;
    }

    private static string Content(string name) => name == "empty" ? "" : string.Concat(Enumerable.Repeat(name, 1000));

    private IRemoteFolder Open(string address) =>
        RemoteFolder.Open(new EngineOptions { Remote = address, DatabasePath = m_rclone["unused.sqlite"] }, SilentProgress.Instance);

    private string Local(string name)
    {
        var path = m_rclone[$"local-{Guid.NewGuid():N}"];
        File.WriteAllText(path, Content(name));
        return path;
    }
}
