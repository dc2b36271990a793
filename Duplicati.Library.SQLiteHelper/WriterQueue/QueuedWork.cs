// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.WriterQueue;

/// <summary>A work on its way through the queue: waiting, then either cancelled or started, then settled once.</summary>
/// <remarks>Handed in by one thread, cancelled by any, run and settled by the writer. About 200 bytes with its task.</remarks>
internal abstract class QueuedWork
{
    private const int Waiting = 0;
    private const int Started = 1;
    private const int Cancelled = 2;

    private readonly TaskCompletionSource? m_accepted;
    private CancellationTokenRegistration m_registration;
    private int m_state;

    /// <param name="tellsWhenAccepted">Whether anyone waits for room in the queue.</param>
    private protected QueuedWork(bool tellsWhenAccepted) =>
        m_accepted = tellsWhenAccepted ? new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously) : null;

    /// <summary>Completes when the queue has room for the work.</summary>
    public Task Accepted => m_accepted?.Task ?? Task.CompletedTask;

    /// <summary>The work failed and was undone by itself; its caller learns of it when the group has ended.</summary>
    public Exception? Failure { get; set; }

    /// <summary>Lets a token cancel the work until it is started. Called once, before the work is handed in.</summary>
    public void CancelWith(CancellationToken token)
    {
        if (token.CanBeCanceled)
            m_registration = token.UnsafeRegister(static (work, token) => ((QueuedWork)work!).TryCancel(token), this);
    }

    /// <summary>The queue has room for the work.</summary>
    public void Accept() => m_accepted?.TrySetResult();

    /// <summary>False if the work was cancelled. From then on it can be no more.</summary>
    public bool TryStart()
    {
        m_registration.Dispose();
        return Interlocked.CompareExchange(ref m_state, Started, Waiting) == Waiting;
    }

    /// <summary>Gives up a work that the queue did not take.</summary>
    public void Forget() => m_registration.Dispose();

    /// <summary>Runs the caller's code; what it throws comes out.</summary>
    public abstract void Run(StatementCache statements);

    /// <summary>The group is committed: tells the caller the result or the failure.</summary>
    public abstract void Settle();

    /// <summary>Tells the caller that the work did not happen.</summary>
    public abstract void Fail(Exception exception);

    private protected abstract void SetCancelled(CancellationToken token);

    private void TryCancel(CancellationToken token)
    {
        if (Interlocked.CompareExchange(ref m_state, Cancelled, Waiting) != Waiting)
            return;

        SetCancelled(token);
        m_accepted?.TrySetCanceled(token);
    }
}

/// <summary>A work with a result.</summary>
internal sealed class QueuedWork<T>(Func<StatementCache, T> work, bool tellsWhenAccepted) : QueuedWork(tellsWhenAccepted)
{
    // The writer must not run what callers do next.
    private readonly TaskCompletionSource<T> m_settled = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private T? m_result;

    public Task<T> Task => m_settled.Task;

    public override void Run(StatementCache statements) => m_result = work(statements);

    public override void Settle()
    {
        if (Failure is { } failure)
            m_settled.TrySetException(failure);
        else
            m_settled.TrySetResult(m_result!);
    }

    public override void Fail(Exception exception) => m_settled.TrySetException(exception);

    private protected override void SetCancelled(CancellationToken token) => m_settled.TrySetCanceled(token);
}
