// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Net;
using System.Net.Sockets;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Remote.Rclone;

namespace Duplicati.UnitTest.Engine.Remote.Rclone;

/// <summary>The adapter to rclone, against a program that stands in for it.</summary>
[TestFixture]
[Platform(Exclude = "Win")]
internal sealed class RcloneFolderTests
{
    private RcloneCase m_case = null!;

    [SetUp]
    public void SetUp() => m_case = new RcloneCase();

    [TearDown]
    public void TearDown() => m_case.Dispose();

    [Test]
    public async Task What_was_put_is_listed_and_comes_back_and_can_be_renamed_and_deleted()
    {
        await m_case.Folder.PutAsync("-a file.zip", m_case.Local("local", "content"), default);
        Assert.That(File.Exists(m_case["local"]), Is.False);
        var listed = (await m_case.Folder.ListAsync(default)).Single();
        Assert.That((listed.Name, listed.Size), Is.EqualTo(("-a file.zip", 7L)));
        await m_case.Folder.GetAsync("-a file.zip", m_case["back"], default);
        Assert.That(await File.ReadAllTextAsync(m_case["back"]), Is.EqualTo("content"));
        await m_case.Folder.MoveAsync("-a file.zip", "-a file.zip.damaged", default);
        Assert.That((await m_case.Folder.ListAsync(default)).Select(x => x.Name), Is.EqualTo(new[] { "-a file.zip.damaged" }));
        await m_case.Folder.DeleteAsync("-a file.zip.damaged", default);
        Assert.That(await m_case.Folder.ListAsync(default), Is.Empty);
    }

    [Test]
    public async Task What_does_not_exist_and_what_is_in_the_way_are_typed_errors()
    {
        m_case.Store(2, 10);
        Assert.ThrowsAsync<RemoteFileMissingException>(() => m_case.Folder.GetAsync("x", m_case["back"], default));
        Assert.ThrowsAsync<RemoteFileMissingException>(() => m_case.Folder.DeleteAsync("x", default));
        Assert.ThrowsAsync<RemoteFileMissingException>(() => m_case.Folder.MoveAsync("x", "y", default));
        Assert.ThrowsAsync<RemoteFileExistsException>(() => m_case.Folder.MoveAsync("file-000", "file-001", default));
        Assert.That(await File.ReadAllTextAsync(Path.Combine(m_case.Stored, "file-001")), Is.EqualTo("file-001  "));
        Directory.Delete(m_case.Stored, recursive: true);
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => m_case.Folder.ListAsync(default));
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => m_case.Folder.GetAsync("x", m_case["back"], default));
        Assert.ThrowsAsync<RemoteFolderMissingException>(() => m_case.Folder.DeleteAsync("x", default));
        await m_case.Folder.CreateAsync(default);
        Assert.That(await m_case.Folder.ListAsync(default), Is.Empty);
    }

    [Test]
    public async Task Files_that_are_named_ahead_come_with_one_process()
    {
        var names = m_case.Store(60, 100);
        var listed = await m_case.Folder.ListAsync(default);
        m_case.Folder.Prefetch(listed.Select(x => (x.Name, x.Size)));
        await Parallel.ForEachAsync(names, async (name, token) => await m_case.Folder.GetAsync(name, m_case["back-" + name], token));
        foreach (var name in names)
            Assert.That(await File.ReadAllTextAsync(m_case["back-" + name]), Is.EqualTo(name.PadRight(100)));
        Assert.That(m_case.Calls, Has.Length.EqualTo(2));
    }

    [Test]
    public async Task What_is_fetched_ahead_is_bounded_in_whatever_order_it_is_asked_for()
    {
        using var bounded = new RcloneCase(cacheSize: 10_000);
        var names = bounded.Store(40, 1000);
        bounded.Folder.Prefetch(names.Select(x => (x, 1000L)));
        await bounded.Folder.GetAsync(names[^1], bounded["back"], default);
        Assert.That(await File.ReadAllTextAsync(bounded["back"]), Is.EqualTo(names[^1].PadRight(1000)));
        foreach (var name in names.Take(20).Reverse().Concat(names.Skip(20)))
        {
            await bounded.Folder.GetAsync(name, bounded["back"], default);
            Assert.That(await File.ReadAllTextAsync(bounded["back"]), Is.EqualTo(name.PadRight(1000)));
        }

        // One more for each that was waited for before its turn.
        Assert.That(bounded.MostHeld, Is.LessThanOrEqualTo(12_000));
        Assert.That(bounded.Calls, Has.Length.LessThan(41));
    }

    [Test]
    public async Task A_new_plan_takes_the_place_of_the_old_one()
    {
        var names = m_case.Store(6, 100);
        m_case.Folder.Prefetch(names.Take(4).Select(x => (x, 100L)));
        m_case.Folder.Prefetch(names.Skip(2).Select(x => (x, 100L)));
        foreach (var name in names)
        {
            await m_case.Folder.GetAsync(name, m_case["back"], default);
            Assert.That(await File.ReadAllTextAsync(m_case["back"]), Is.EqualTo(name.PadRight(100)));
        }
    }

    [Test]
    public async Task Files_that_are_put_at_the_same_time_go_with_few_processes()
    {
        var locals = Enumerable.Range(0, 30).Select(x => m_case.Local($"local-{x}", $"content {x}")).ToList();
        await Task.WhenAll(locals.Select((x, i) => m_case.Folder.PutAsync($"volume-{i}", x, default)));
        for (var i = 0; i < 30; i++)
            Assert.That(await File.ReadAllTextAsync(Path.Combine(m_case.Stored, $"volume-{i}")), Is.EqualTo($"content {i}"));
        Assert.That(m_case.Calls, Has.Length.LessThanOrEqualTo(8));
        Assert.That(locals.Exists(File.Exists), Is.False);
    }

    [Test]
    public async Task A_put_file_that_arrives_in_part_is_put_again_and_then_refused([Values] bool hasHashes)
    {
        if (!hasHashes)
            m_case.NoHashes();
        m_case.Fault("up", "truncate", once: true);
        await m_case.Folder.PutAsync("x", m_case.Local("local", "the first content"), default);
        Assert.That(await File.ReadAllTextAsync(Path.Combine(m_case.Stored, "x")), Is.EqualTo("the first content"));
        m_case.Fault("up", "truncate");
        var error = Assert.ThrowsAsync<RcloneTransferException>(() =>
            m_case.Folder.PutAsync("y", m_case.Local("local", "the second"), default)
        );
        Assert.That(error!.Message, Does.Contain("5 bytes arrived of 10"));
        Assert.That(File.Exists(m_case["local"]), Is.True, "what was not put is kept");
        Assert.That(File.Exists(Path.Combine(m_case.Stored, "y")), Is.False);
    }

    [TestCase("corrupt", "sha1 differs")]
    [TestCase("lie", "not there")]
    public void A_put_file_that_arrives_otherwise_is_refused_and_does_not_stay(string fault, string message)
    {
        m_case.Fault("up", fault);
        var error = Assert.ThrowsAsync<RcloneTransferException>(() =>
            m_case.Folder.PutAsync("x", m_case.Local("local", "content"), default)
        );
        Assert.That(error!.Message, Does.Contain(message));
        Assert.That(File.Exists(m_case["local"]), Is.True);
        Assert.That(Directory.GetFiles(m_case.Stored), Is.Empty);
    }

    [Test]
    public void A_put_file_of_another_content_does_not_stay_if_rclone_fails()
    {
        m_case.Fault("up", "spoil");
        Assert.CatchAsync<RcloneException>(() => m_case.Folder.PutAsync("x", m_case.Local("local", "content"), default));
        Assert.That(File.Exists(m_case["local"]), Is.True);
        Assert.That(Directory.GetFiles(m_case.Stored), Is.Empty);
    }

    [Test]
    public async Task What_had_the_name_before_and_cannot_be_taken_for_the_put_file_stays_if_rclone_fails()
    {
        await m_case.Folder.PutAsync("x", m_case.Local("local", "earlier content"), default);
        m_case.Fault("up", "exit 1 connection refused");
        Assert.CatchAsync<RcloneException>(() => m_case.Folder.PutAsync("x", m_case.Local("local", "content"), default));
        Assert.That(await File.ReadAllTextAsync(Path.Combine(m_case.Stored, "x")), Is.EqualTo("earlier content"));
    }

    // Its size says nothing of it, and the remote knows no hash.
    [Test]
    public async Task What_had_the_name_and_the_size_before_is_not_taken_for_the_put_file_if_rclone_fails()
    {
        m_case.NoHashes();
        await m_case.Folder.PutAsync("x", m_case.Local("local", "content 1"), default);
        m_case.Fault("up", "exit 1 connection refused");
        Assert.CatchAsync<RcloneException>(() => m_case.Folder.PutAsync("x", m_case.Local("local", "content 2"), default));
        Assert.That(await File.ReadAllTextAsync(m_case["local"]), Is.EqualTo("content 2"));
        Assert.That(await File.ReadAllTextAsync(Path.Combine(m_case.Stored, "x")), Is.EqualTo("content 1"));
    }

    [Test]
    public async Task What_rclone_has_copied_before_it_failed_has_arrived([Values] bool hasHashes)
    {
        if (!hasHashes)
            m_case.NoHashes();
        m_case.Fault("up", "late");
        await m_case.Folder.PutAsync("x", m_case.Local("local", "content"), default);
        Assert.That(await File.ReadAllTextAsync(Path.Combine(m_case.Stored, "x")), Is.EqualTo("content"));
        Assert.That(File.Exists(m_case["local"]), Is.False);
    }

    [Test]
    public async Task A_fetched_file_that_arrives_in_part_is_fetched_again_and_then_refused()
    {
        var names = m_case.Store(3, 100);
        var listed = await m_case.Folder.ListAsync(default);
        m_case.Fault("down", "truncate", once: true);
        m_case.Folder.Prefetch(listed.Select(x => (x.Name, x.Size)));
        foreach (var name in names)
        {
            await m_case.Folder.GetAsync(name, m_case["back"], default);
            Assert.That(await File.ReadAllTextAsync(m_case["back"]), Is.EqualTo(name.PadRight(100)));
        }

        foreach (var fault in new[] { "truncate", "lie" })
        {
            m_case.Fault("down", fault);
            Assert.ThrowsAsync<RcloneTransferException>(() => m_case.Folder.GetAsync(names[0], m_case["not-back"], default));
            Assert.That(File.Exists(m_case["not-back"]), Is.False);
        }
    }

    [TestCase("half")]
    [TestCase("garbage")]
    public void A_list_that_is_none_is_an_error_and_no_empty_folder(string fault)
    {
        m_case.Store(3, 10);
        m_case.Fault("lsjson", fault);
        Assert.ThrowsAsync<RcloneException>(() => m_case.Folder.ListAsync(default));
    }

    [Test]
    public async Task Names_that_lead_elsewhere_are_not_listed_not_asked_for_and_make_no_file()
    {
        var names = m_case.Store(2, 10);
        m_case.Fault("lsjson", "hostile");
        Assert.That((await m_case.Folder.ListAsync(default)).Select(x => x.Name), Is.EquivalentTo(names));
        var calls = m_case.Calls.Length;
        foreach (var name in new[] { "", ".", "..", "../evil", "a/b", "a\\b", "/etc/passwd", "C:x", "a\0b", "a\nb" })
        {
            var local = m_case.Local("local", "content");
            Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_case.Folder.PutAsync(name, local, default));
            Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_case.Folder.GetAsync(name, m_case["back"], default));
            Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_case.Folder.DeleteAsync(name, default));
            Assert.ThrowsAsync<InvalidRemoteNameException>(() => m_case.Folder.MoveAsync(names[0], name, default));
            m_case.Folder.Prefetch([(name, 1)]);
        }

        Assert.That(m_case.Calls, Has.Length.EqualTo(calls), "rclone was not asked");
        m_case.Fault("down", "hostile");
        m_case.Folder.Prefetch(names.Select(x => (x, 10L)));
        await m_case.Folder.GetAsync(names[1], m_case["back"], default);
        Assert.That(await File.ReadAllTextAsync(m_case["back"]), Is.EqualTo(names[1].PadRight(10)));
    }

    [TestCase(
        "exit 1 Failed to create file system for \"cloud:\": didn't find section in config file",
        "RcloneNotConfigured",
        "rclone config"
    )]
    [TestCase("exit 1 couldn't list files: Unauthorized: 401 Unauthorized", "RcloneAccessDenied", "rclone config reconnect cloud:")]
    [TestCase("exit 1 Propfind: dial tcp 127.0.0.1:9: connect: connection refused", "RcloneNetwork", "network")]
    [TestCase("exit 3 error listing: directory not found", "FolderMissing", "some/folder")]
    [TestCase("exit 7 something unheard of", "RcloneFailed", "something unheard of")]
    public void A_failure_has_a_help_id_and_tells_what_rclone_says(string fault, string helpId, string message)
    {
        m_case.Fault("lsjson", fault);
        var error = Assert.CatchAsync<RemoteException>(() => m_case.Folder.ListAsync(default));
        Assert.That(error!.HelpID, Is.EqualTo(helpId));
        Assert.That(error.Message, Does.Contain(message));
    }

    [Test]
    public void Secrets_are_left_out_of_what_rclone_says()
    {
        m_case.Fault(
            "lsjson",
            "exit 1 https://me:hidden1@host/dav?sig=hidden2 failed, password=hidden3, Authorization: Bearer hidden4hidden4hidden4\\nand env-secret-value"
        );
        using var variable = new Support.EnvironmentVariable("RCLONE_CONFIG_CLOUD_PASS", "env-secret-value");
        var error = Assert.ThrowsAsync<RcloneException>(() => m_case.Folder.ListAsync(default));
        Assert.That(error!.Message, Does.Contain("https://***@host/dav?***").And.Not.Contain("hidden").And.Not.Contain("env-secret"));
    }

    [Test]
    public void A_missing_program_is_an_error_that_says_how_to_get_it()
    {
        using var folder = RemoteFolder.Open(
            m_case.Options with
            {
                RcloneProgram = m_case["no-such-program"],
            },
            Duplicati.Engine.Common.SilentProgress.Instance
        );
        var error = Assert.ThrowsAsync<RcloneException>(() => folder.ListAsync(default));
        Assert.That(error!.HelpID, Is.EqualTo("RcloneMissing"));
        Assert.That(error.Message, Does.Contain("Install rclone").And.Contain("--rclone"));
    }

    [TestCase("lsjson")]
    [TestCase("up")]
    [TestCase("down")]
    public async Task Cancelling_kills_the_program(string command)
    {
        m_case.Store(1, 10);
        var local = m_case.Local("local", "content");
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        m_case.Fault(command, $"hang {((IPEndPoint)listener.LocalEndpoint).Port}");
        using var stop = new CancellationTokenSource();
        var call = command switch
        {
            "lsjson" => m_case.Folder.ListAsync(stop.Token),
            "up" => m_case.Folder.PutAsync("x", local, stop.Token),
            _ => m_case.Folder.GetAsync("file-000", m_case["back"], stop.Token),
        };
        using var client = await listener.AcceptTcpClientAsync();
        await stop.CancelAsync();
        Assert.That(async () => await call, Throws.InstanceOf<OperationCanceledException>());
        // The connection ends with the process.
        Assert.That(await ReadAsync(client), Is.Zero);
    }

    [Test]
    public async Task Disposing_ends_what_is_fetched_ahead_and_removes_the_temporary_files()
    {
        using var other = m_case.Open();
        m_case.Store(1, 10);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        m_case.Fault("down", $"hang {((IPEndPoint)listener.LocalEndpoint).Port}");
        other.Prefetch([("file-000", 10)]);
        using var client = await listener.AcceptTcpClientAsync();
        other.Dispose();
        Assert.That(await ReadAsync(client), Is.Zero);
        Assert.That(
            Directory.Exists(
                Path.GetDirectoryName(
                    m_case.Calls[^1][Array.FindIndex(m_case.Calls[^1], x => x.StartsWith("cloud:", StringComparison.Ordinal)) + 1]
                )
            ),
            Is.False
        );
    }

    [Test]
    public async Task Names_and_secrets_are_never_on_a_command_line()
    {
        using var variable = new Support.EnvironmentVariable("RCLONE_CONFIG_CLOUD_PASS", "env-secret-value");
        await m_case.Folder.PutAsync("--config=evil", m_case.Local("local", "content"), default);
        await m_case.Folder.GetAsync("--config=evil", m_case["back"], default);
        await m_case.Folder.DeleteAsync("--config=evil", default);
        var arguments = m_case.Calls.SelectMany(x => x.TakeWhile(y => y.Length > 0)).ToList();
        Assert.That(arguments, Has.None.StartsWith("--config").And.None.Contains("env-secret-value"));
    }

    // A reset connection has ended as well.
    private static async Task<int> ReadAsync(TcpClient client)
    {
        try
        {
            return await client.GetStream().ReadAsync(new byte[1]);
        }
        catch (IOException)
        {
            return 0;
        }
    }
}
