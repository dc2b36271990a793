// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.SQLiteHelper.WriterQueue;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.WriterQueue;

[TestFixture]
internal sealed class CommitQueueTests
{
    private CommitQueueCase m_case = null!;

    private CommitQueue Queue => m_case.Queue;

    [SetUp]
    public void Open() => m_case = new CommitQueueCase();

    [TearDown]
    public void Close() => m_case.Dispose();

    [Test]
    public async Task A_completed_work_is_committed_and_has_its_result()
    {
        var id = await Queue.RunAsync(CommitQueueCase.Write(42));
        Assert.That(id, Is.EqualTo(1));
        Assert.That(m_case.Values(), Is.EqualTo(new[] { 42L }));
        Assert.That(Queue.IsDurable);
    }

    [Test]
    public async Task What_waits_is_one_transaction()
    {
        var commits = Queue.Commits;
        Task[] works;
        using (m_case.Hold())
            works = [.. Enumerable.Range(0, 100).Select(i => Queue.RunAsync(CommitQueueCase.Write(i)))];
        await Task.WhenAll(works);
        Assert.That(Queue.Commits, Is.EqualTo(commits + 1));
        Assert.That(Queue.CommittedWorks, Is.EqualTo(102), "the table, the work that held the writer and the others");
    }

    [Test]
    public async Task A_group_is_not_larger_than_its_bound()
    {
        using var small = new CommitQueueCase(new CommitQueueOptions { MostWorksPerCommit = 3 });
        var commits = small.Queue.Commits;
        Task[] works;
        using (small.Hold())
            works = [.. Enumerable.Range(0, 9).Select(i => small.Queue.RunAsync(CommitQueueCase.Write(i)))];
        await Task.WhenAll(works);
        Assert.That(small.Queue.Commits - commits, Is.EqualTo(4), "10 works, 3 at a time");
    }

    [Test]
    public async Task Nothing_is_acknowledged_before_its_group_is_committed()
    {
        using var gate = m_case.Hold();
        var first = Queue.RunAsync(CommitQueueCase.Write(1));
        var failing = Queue.RunAsync(CommitQueueCase.Write(1));
        using var second = new CommitQueueCase.Gate();
        second.Held = Queue.RunAsync(_ => second.Pass());
        gate.Open();
        second.WaitUntilHeld();
        Assert.That(gate.Held.IsCompleted || first.IsCompleted || failing.IsCompleted, Is.False, "all three have run");
        Assert.That(m_case.Values(), Is.Empty);

        second.Open();
        await first;
        Assert.That(async () => await failing, Throws.TypeOf<SqliteException>());
    }

    [Test]
    public async Task A_statement_that_a_work_forgot_does_not_keep_the_group_from_its_commit()
    {
        await Queue.RunAsync(CommitQueueCase.Write(1));
        await Queue.RunAsync(statements =>
            statements.Take("INSERT INTO \"Row\" (\"Writer\", \"Value\") VALUES (0, 2), (0, 3) RETURNING \"ID\"").Read()
        );
        await Queue.RunAsync(statements => statements.Prepare("SELECT \"Value\" FROM \"Row\"").Read());
        await Queue.RunAsync(CommitQueueCase.Write(4));
        Assert.That(m_case.Values(), Is.EqualTo(new[] { 1L, 2, 3, 4 }));
    }

    [Test]
    public async Task A_full_queue_lets_those_wait_who_run_ahead()
    {
        using var small = new CommitQueueCase(new CommitQueueOptions { Capacity = 2 });
        List<Task<Task<long>>> handedIn;
        using (small.Hold())
        {
            handedIn = [.. Enumerable.Range(0, 5).Select(i => small.Queue.EnqueueAsync(CommitQueueCase.Write(i)).AsTask())];
            Assert.That(handedIn.Select(x => x.IsCompleted), Is.EqualTo(new[] { true, true, false, false, false }));
        }

        foreach (var accepted in handedIn)
            await await accepted;
        Assert.That(small.Values(), Is.EqualTo(new[] { 0L, 1, 2, 3, 4 }));
    }

    [Test]
    public async Task A_cancelled_work_that_waits_does_not_run_and_leaves_the_others_alone()
    {
        using var source = new CancellationTokenSource();
        Task cancelled;
        Task<long> after;
        using (m_case.Hold())
        {
            cancelled = Queue.RunAsync(CommitQueueCase.Write(1), source.Token);
            after = Queue.RunAsync(CommitQueueCase.Write(2));
            await source.CancelAsync();
            Assert.That(cancelled.IsCanceled, "it does not wait for the writer");
        }

        await after;
        Assert.That(Queue.RunAsync(CommitQueueCase.Write(3), source.Token).IsCanceled);
        Assert.That(m_case.Values(), Is.EqualTo(new[] { 2L }));
    }

    [Test]
    public async Task Cancelling_ends_the_waiting_for_room()
    {
        using var small = new CommitQueueCase(new CommitQueueOptions { Capacity = 1 });
        using var source = new CancellationTokenSource();
        using (small.Hold())
        {
            var first = await small.Queue.EnqueueAsync(CommitQueueCase.Write(1));
            var second = small.Queue.EnqueueAsync(CommitQueueCase.Write(2), source.Token);
            await source.CancelAsync();
            Assert.That(async () => await second, Throws.InstanceOf<OperationCanceledException>());
            Assert.That(first.IsCompleted, Is.False);
        }

        await small.Queue.RunAsync(CommitQueueCase.Write(3));
        Assert.That(small.Values(), Is.EqualTo(new[] { 1L, 3 }));
    }

    [Test]
    public async Task A_started_work_is_committed_whatever_its_token_says()
    {
        using var source = new CancellationTokenSource();
        await Queue.RunAsync(
            statements =>
            {
                source.Cancel();
                CommitQueueCase.Write(5)(statements);
            },
            source.Token
        );
        Assert.That(m_case.Values(), Is.EqualTo(new[] { 5L }));
    }

    [Test]
    public async Task Dispose_commits_what_was_handed_in_also_beyond_the_capacity()
    {
        using var folder = new TestFolder();
        var queue = CommitQueue.Open(folder.File("q.sqlite"), new CommitQueueOptions { Capacity = 2 });
        await queue.RunAsync(statements => statements.Execute(CommitQueueCase.Create));
        using var gate = new CommitQueueCase.Gate();
        gate.Held = queue.RunAsync(_ => gate.Pass());
        gate.WaitUntilHeld();
        var works = Enumerable.Range(0, 10).Select(i => queue.RunAsync(CommitQueueCase.Write(i))).ToList();
        var closing = queue.DisposeAsync();
        Assert.That(() => queue.RunAsync(CommitQueueCase.Write(99)), Throws.TypeOf<ObjectDisposedException>());
        Assert.That(closing.IsCompleted, Is.False);

        gate.Open();
        await closing;
        queue.Dispose();
        Assert.That(works.Select(work => work.IsCompletedSuccessfully), Has.All.True);
        Assert.That(CommitQueueCase.Read(folder.File("q.sqlite"), "SELECT \"Value\" FROM \"Row\""), Has.Count.EqualTo(10));
        Assert.That(folder.Files(), Is.EqualTo(new[] { "q.sqlite" }), "the connection is closed and has left no log");
    }

    [Test]
    public void A_work_can_wait_neither_for_another_nor_for_the_end_of_the_queue()
    {
        Assert.That(
            async () => await Queue.RunAsync(_ => Queue.RunAsync(CommitQueueCase.Write(1)).GetAwaiter().GetResult()),
            Throws.InvalidOperationException
        );
        Assert.That(async () => await Queue.RunAsync(_ => Queue.Dispose()), Throws.InvalidOperationException);
    }

    [Test]
    public void An_asynchronous_work_is_refused()
    {
        Assert.That(() => Queue.RunAsync(async _ => await Task.Yield()), Throws.ArgumentException);
        Assert.That(() => Queue.RunAsync(_ => ValueTask.FromResult(1)), Throws.ArgumentException);
    }

    [Test]
    public void A_queue_needs_an_open_connection_without_a_transaction_and_bounds_above_zero()
    {
        using var folder = new TestFolder();
        using var connection = new SqliteConnection($"Data Source={folder.File("q.sqlite")};Pooling=false");
        Assert.That(() => new CommitQueue(connection), Throws.InvalidOperationException);
        connection.Open();
        connection.Execute("BEGIN");
        Assert.That(() => new CommitQueue(connection), Throws.InvalidOperationException);
        connection.Execute("COMMIT");
        Assert.That(
            () => new CommitQueue(connection, new CommitQueueOptions { Capacity = 0 }),
            Throws.TypeOf<ArgumentOutOfRangeException>()
        );
        Assert.That(
            () => new CommitQueue(connection, new CommitQueueOptions { MostWorksPerCommit = 0 }),
            Throws.TypeOf<ArgumentOutOfRangeException>()
        );
    }

    [TestCase("durable", true)]
    [TestCase("default", false)]
    [TestCase("rebuild", false)]
    [TestCase("stock", false)]
    public void A_queue_says_whether_a_power_loss_can_take_what_it_acknowledged(string preset, bool durable)
    {
        using var folder = new TestFolder();
        using var queue = CommitQueue.Open(folder.File("q.sqlite"), new CommitQueueOptions { Connection = TestOptions.Of(preset) });
        Assert.That(queue.IsDurable, Is.EqualTo(durable));
    }

    [TestCase("wal", "NORMAL", false)]
    [TestCase("wal", "FULL", true)]
    [TestCase("delete", "FULL", false, Description = "the folder is not flushed")]
    [TestCase("delete", "EXTRA", true)]
    [TestCase("truncate", "NORMAL", false)]
    [TestCase("truncate", "FULL", true)]
    [TestCase("persist", "FULL", true)]
    [TestCase("memory", "EXTRA", false)]
    public void So_it_does_for_settings_of_its_connection_that_no_preset_makes(string journal, string synchronous, bool durable)
    {
        using var folder = new TestFolder();
        var connection = Databases.Open(folder.File("q.sqlite"));
        connection.Execute($"PRAGMA journal_mode={journal}");
        connection.Execute($"PRAGMA synchronous={synchronous}");
        using var queue = new CommitQueue(connection);
        Assert.That(queue.IsDurable, Is.EqualTo(durable));
    }
}
