// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.SQLiteHelper.Statements;
using Duplicati.Library.SQLiteHelper.WriterQueue;
using Microsoft.Data.Sqlite;

namespace Duplicati.UnitTest.SQLiteHelper.WriterQueue;

[TestFixture]
internal sealed class CommitQueueFailureTests
{
    private const int IoError = 10;

    private CommitQueueCase m_case = null!;

    private CommitQueue Queue => m_case.Queue;

    [SetUp]
    public void Open() => m_case = new CommitQueueCase();

    [TearDown]
    public void Close() => m_case.Dispose();

    [Test]
    public async Task A_work_that_throws_is_undone_alone()
    {
        var commits = Queue.Commits;
        var works = new List<Task<long>>();
        using (m_case.Hold())
        {
            works.Add(Queue.RunAsync(CommitQueueCase.Write(1)));
            works.Add(Queue.RunAsync(statements => CommitQueueCase.Write(2)(statements) + CommitQueueCase.Write(1)(statements)));
            works.Add(Queue.RunAsync(CommitQueueCase.Write(3)));
            works.Add(
                Queue.RunAsync<long>(statements =>
                {
                    CommitQueueCase.Write(4)(statements);
                    throw new FormatException("not a block");
                })
            );
            works.Add(Queue.RunAsync(CommitQueueCase.Write(5)));
        }

        await Task.WhenAll(works[0], works[2], works[4]);
        Assert.That(async () => await works[1], Refused.Engine(ResultCode.Constraint));
        Assert.That(async () => await works[3], Throws.TypeOf<FormatException>());
        Assert.That(m_case.Values(), Is.EqualTo(new[] { 1L, 3, 5 }));
        Assert.That(Queue.Commits, Is.EqualTo(commits + 1));
    }

    [TestCase("ROLLBACK", typeof(InvalidOperationException))]
    [TestCase("COMMIT", typeof(InvalidOperationException))]
    [TestCase("ROLLBACK; BEGIN", typeof(CommitFailedException))]
    public async Task A_work_that_ends_the_transaction_fails_and_so_do_those_before_it(string sql, Type error)
    {
        Task before,
            ending,
            after;
        using (m_case.Hold())
        {
            before = Queue.RunAsync(CommitQueueCase.Write(1));
            ending = Queue.RunAsync(statements => statements.Execute(sql));
            after = Queue.RunAsync(CommitQueueCase.Write(2));
        }

        await after;
        Assert.That(async () => await before, Throws.TypeOf<CommitFailedException>());
        Assert.That(async () => await ending, Throws.TypeOf(error));
        Assert.That(m_case.Values("\"Value\" = 2"), Has.Count.EqualTo(1));
    }

    [Test]
    public async Task A_full_disk_at_the_commit_reaches_every_caller_of_the_group_and_nobody_else()
    {
        var fails = true;
        Task<long>[] works;
        using (m_case.Hold())
        {
            works = [.. Enumerable.Range(0, 3).Select(i => Queue.RunAsync(CommitQueueCase.Write(i)))];
            Queue.Statements.Fault = sql => fails && sql == GroupWriter.CommitSql ? ResultCode.Full : 0;
        }

        foreach (var work in works)
        {
            var error = Assert.ThrowsAsync<CommitFailedException>(async () => await work)!;
            Assert.That(error.SqliteErrorCode, Is.EqualTo(ResultCode.Full));
            Assert.That(error.Works, Is.EqualTo(4), "with the work that held the writer");
            Assert.That(error.Cause, Is.TypeOf<SqliteException>());
        }

        fails = false;
        await Queue.RunAsync(CommitQueueCase.Write(7));
        Assert.That(m_case.Values(), Is.EqualTo(new[] { 7L }));
    }

    /// <summary>Every statement of the writer fails once, until a run has none left that could.</summary>
    [Test]
    public void An_acknowledged_row_is_there_and_a_failed_one_is_not_whichever_statement_fails(
        [Values(ResultCode.Busy, ResultCode.Interrupt, IoError, ResultCode.Full)] int code
    )
    {
        var value = 0L;
        var fired = true;
        for (var n = 0; fired; n++)
        {
            fired = false;
            var countdown = n;
            var works = new List<(long Value, Task Task)>();
            using (m_case.Hold())
            {
                Queue.Statements.Fault = _ => countdown-- == 0 && (fired = true) ? code : 0;
                for (var i = 0; i < 3; i++)
                    works.Add((++value, Queue.RunAsync(CommitQueueCase.Write(value))));
                works.Add((-1, Queue.RunAsync<long>(_ => throw new FormatException())));
            }

            Task.WhenAny(Task.WhenAll(works.Select(work => work.Task))).GetAwaiter().GetResult();
            Queue.Statements.Fault = null;
            var stored = m_case.Values();
            foreach (var work in works)
                Assert.That(
                    stored.Contains(work.Value),
                    Is.EqualTo(work.Task.IsCompletedSuccessfully),
                    $"statement {n}, value {work.Value}: {work.Task.Exception?.InnerException?.Message}"
                );
        }

        Assert.That(m_case.Values(), Has.Count.GreaterThan(12), "runs in which only one work failed");
    }

    [Test]
    public async Task A_database_that_cannot_grow_keeps_what_was_acknowledged_and_goes_on_when_it_can()
    {
        await Queue.RunAsync(statements => statements.Execute("PRAGMA max_page_count = 8"));
        Task<long> before,
            tooLarge,
            after;
        using (m_case.Hold())
        {
            before = Queue.RunAsync(CommitQueueCase.Write(1));
            tooLarge = Queue.RunAsync<long>(statements =>
            {
                statements.Execute("INSERT INTO \"Row\" (\"Writer\", \"Value\") VALUES (0, randomblob(100000))");
                return 0;
            });
            after = Queue.RunAsync(CommitQueueCase.Write(2));
        }

        Assert.That(async () => await tooLarge, Refused.Engine(ResultCode.Full));
        await after;
        if (await Task.WhenAny(before) is { IsFaulted: true })
            Assert.That(
                async () => await before,
                Throws.TypeOf<CommitFailedException>().With.Property(nameof(SqliteException.SqliteErrorCode)).EqualTo(ResultCode.Full)
            );
        Assert.That(m_case.Values("\"Value\" = 1").Count == 1, Is.EqualTo(before.IsCompletedSuccessfully));
        Assert.That(m_case.Values("\"Value\" = 2"), Has.Count.EqualTo(1));

        await Queue.RunAsync(statements => statements.Execute("PRAGMA max_page_count = 1000000"));
        await Queue.RunAsync(statements =>
            statements.Execute("INSERT INTO \"Row\" (\"Writer\", \"Value\") VALUES (0, randomblob(100000))")
        );
    }

    [Test]
    public async Task Who_waits_behind_a_lock_that_did_not_go_away_fails_with_the_first()
    {
        using var gate = new CommitQueueCase.Gate();
        var begins = 0;
        Queue.Statements.Fault = sql =>
        {
            if (sql != GroupWriter.BeginSql || begins++ > 0)
                return 0;
            gate.Pass();
            return ResultCode.Busy;
        };
        var works = new List<Task<long>> { Queue.RunAsync(CommitQueueCase.Write(0)) };
        gate.WaitUntilHeld();
        works.AddRange(Enumerable.Range(1, 20).Select(i => Queue.RunAsync(CommitQueueCase.Write(i))));
        gate.Open();

        foreach (var work in works)
            Assert.That(
                async () => await work,
                Throws.TypeOf<CommitFailedException>().With.Property(nameof(SqliteException.SqliteErrorCode)).EqualTo(ResultCode.Busy)
            );
        Assert.That(begins, Is.EqualTo(1));

        await Queue.RunAsync(CommitQueueCase.Write(7));
        Assert.That(m_case.Values(), Is.EqualTo(new[] { 7L }));
    }

    [Test]
    public async Task A_lock_that_does_not_go_away_is_a_busy_error_and_the_queue_goes_on_after_it()
    {
        using var shortTimeout = new CommitQueueCase(new CommitQueueOptions { Connection = TestOptions.Waiting(-1, 0, "durable") });
        using (var other = Databases.Open(shortTimeout.Path))
        {
            other.Execute("BEGIN IMMEDIATE");
            var works = Enumerable.Range(0, 20).Select(i => shortTimeout.Queue.RunAsync(CommitQueueCase.Write(i))).ToList();
            foreach (var work in works)
                Assert.That(
                    async () => await work,
                    Throws.TypeOf<CommitFailedException>().With.Property(nameof(SqliteException.SqliteErrorCode)).EqualTo(ResultCode.Busy)
                );
            other.Execute("ROLLBACK");
        }

        await shortTimeout.Queue.RunAsync(CommitQueueCase.Write(1));
        Assert.That(shortTimeout.Values(), Is.EqualTo(new[] { 1L }));
    }
}
