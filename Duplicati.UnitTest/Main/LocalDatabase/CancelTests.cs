// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.UnitTest.Main.LocalDatabaseTests;

/// <summary>
/// A token that is cancelled while the n-th step runs ends every long member with the right exception, and nothing is left behind.
/// </summary>
public sealed class CancelTests : LocalDatabaseMembersTestBase
{
    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.Long))]
    public async Task A_cancellation_during_any_step_ends_the_call_and_leaves_the_object_usable(Func<object, CancellationToken, Task> call)
    {
        var before = AllRows.Of(Db.Connection);
        for (var n = 0; n < MOST_STEPS; n++)
        {
            using var source = new CancellationTokenSource();
            var step = 0;
            Db.Session.Statements.Fault = _ =>
            {
                if (step++ != n)
                    return 0;
                source.Cancel();
                return 9;
            };
            var task = call(Db, source.Token);
            await Task.WhenAny(task);
            Db.Session.Statements.Fault = null;
            if (!source.IsCancellationRequested)
            {
                await task;
                Assert.That(n, Is.Positive);
                return;
            }

            Assert.That(() => task, Throws.InstanceOf<OperationCanceledException>(), $"step {n}");
            await Db.Transaction.RollBackAsync(CancellationToken.None);
            Assert.That(AllRows.Of(Db.Connection), Is.EqualTo(before), $"step {n}");
        }

        Assert.Fail("The member never ends.");
    }

    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.Long))]
    public async Task No_statement_begins_after_a_cancellation(Func<object, CancellationToken, Task> call)
    {
        for (var n = 0; n < MOST_STEPS; n++)
        {
            using var cancel = new CancelAtStep(Db.Session.Statements, n);
            await Task.WhenAny(call(Db, cancel.Token));
            cancel.End();
            await Db.Transaction.RollBackAsync(CancellationToken.None);
            if (!cancel.IsCancelled)
                return;
            // More rows of the statement that is running, and what is removed of temporary tables.
            Assert.That(
                cancel.Later.Count(x => !x.Contains("temp.", StringComparison.Ordinal)),
                Is.LessThanOrEqualTo(1),
                $"step {n}: {string.Join(" / ", cancel.Later)}"
            );
        }

        Assert.Fail("The member never ends.");
    }

    [Test]
    public void What_a_cancelled_call_does_at_its_end_is_not_interrupted()
    {
        using var source = new CancellationTokenSource();
        var ended = false;
        Assert.That(() => Db.Session.Do(Work, source.Token), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(ended, Is.True);

        void Work(DatabaseSession session)
        {
            source.Cancel();
            try
            {
                source.Token.ThrowIfCancellationRequested();
            }
            finally
            {
                session.Execute("SELECT 1");
                ended = true;
            }
        }
    }

    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.Long))]
    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.OfChildren))]
    [Contract("C 0.8 cancellation")]
    public async Task A_token_that_is_cancelled_already_is_honoured(Func<object, CancellationToken, Task> call)
    {
        var before = AllRows.Of(Db.Connection);
        Assert.That(() => call(Db, new CancellationToken(true)), Throws.InstanceOf<OperationCanceledException>());
        await Db.Transaction.CommitAsync(default);
        Assert.That(AllRows.Of(Db.Connection), Is.EqualTo(before));
    }

    [TestCaseSource(typeof(LocalDatabaseMembers), nameof(LocalDatabaseMembers.Long))]
    public async Task The_callers_thread_is_free_while_another_call_holds_the_connection(Func<object, CancellationToken, Task> call)
    {
        using var held = new ManualResetEventSlim();
        using var release = new ManualResetEventSlim();
        var holder = Task.Run(() =>
        {
            lock (Db.Session.ConnectionLock)
            {
                held.Set();
                Wait.For(release, "the call has returned to its caller");
            }
        });
        Wait.For(held, "the connection lock is held");

        var task = call(Db, default);
        var returned = !task.IsCompleted;
        release.Set();

        await Task.WhenAll(task, holder);
        Assert.That(returned, Is.True);
    }
}
