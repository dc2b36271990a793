// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Micro;

/// <summary>Threads that stand ready before the clock starts and all begin at once.</summary>
internal sealed class ThreadTeam : IDisposable
{
    private readonly ManualResetEventSlim m_go = new();
    private readonly Thread[] m_threads;
    private Exception? m_failure;
    private volatile bool m_dismissed;

    /// <summary>Starts the threads; they wait for <see cref="Run"/>.</summary>
    /// <param name="count">Number of threads.</param>
    /// <param name="work">What each does, with its number from 0.</param>
    public ThreadTeam(int count, Action<int> work)
    {
        m_threads = [.. Enumerable.Range(0, count).Select(number => new Thread(() => Wait(work, number)) { IsBackground = true })];
        foreach (var thread in m_threads)
            thread.Start();
    }

    /// <summary>Lets the threads work and waits until all are done. To be called once.</summary>
    /// <exception cref="InvalidOperationException">One of them failed; the first failure is inside.</exception>
    public void Run()
    {
        m_go.Set();
        Join();
        if (m_failure is { } failure)
            throw new InvalidOperationException("A thread failed.", failure);
    }

    /// <summary>Ends threads that were never let to work.</summary>
    public void Dispose()
    {
        m_dismissed = !m_go.IsSet;
        m_go.Set();
        Join();
        m_go.Dispose();
    }

    private void Wait(Action<int> work, int number)
    {
        try
        {
            m_go.Wait();
            if (!m_dismissed)
                work(number);
        }
        catch (Exception ex)
        {
            Interlocked.CompareExchange(ref m_failure, ex, null);
        }
    }

    private void Join()
    {
        foreach (var thread in m_threads)
            thread.Join();
    }
}
