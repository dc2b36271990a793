// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Threading;

namespace Duplicati.Library.SQLiteHelper.WriterQueue;

/// <summary>
/// Works in the order they were handed in. The first <paramref name="capacity"/> of them are accepted; those beyond are kept, in order,
/// and accepted one by one as room is made.
/// </summary>
/// <remarks>Any thread puts works in; one thread takes them out and may wait for them.</remarks>
internal sealed class WorkQueue(int capacity)
{
    private readonly object m_lock = new();
    private readonly Queue<QueuedWork> m_accepted = new();
    private readonly Queue<QueuedWork> m_beyond = new();
    private bool m_closed;

    /// <summary>Adds a work at the end. False: the queue is closed.</summary>
    public bool TryAdd(QueuedWork work)
    {
        lock (m_lock)
        {
            if (m_closed)
                return false;

            if (m_accepted.Count >= capacity)
            {
                m_beyond.Enqueue(work);
                return true;
            }

            m_accepted.Enqueue(work);
            work.Accept();
            if (m_accepted.Count == 1)
                Monitor.Pulse(m_lock);
            return true;
        }
    }

    /// <summary>Takes the first work out, if there is one.</summary>
    public bool TryTake([NotNullWhen(true)] out QueuedWork? work)
    {
        lock (m_lock)
        {
            if (!m_accepted.TryDequeue(out work))
                return false;

            if (m_beyond.TryDequeue(out var next))
            {
                m_accepted.Enqueue(next);
                next.Accept();
            }

            return true;
        }
    }

    /// <summary>Waits until there is a work. False: the queue is closed and empty.</summary>
    public bool Wait()
    {
        lock (m_lock)
        {
            while (m_accepted.Count == 0 && !m_closed)
                Monitor.Wait(m_lock);
            return m_accepted.Count > 0;
        }
    }

    /// <summary>Takes no more works; those that are in it stay. May be called more than once.</summary>
    public void Close()
    {
        lock (m_lock)
        {
            m_closed = true;
            Monitor.Pulse(m_lock);
        }
    }
}
