// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;

namespace Duplicati.Library.Logging;

/// <summary>Writes a profiling message when it is made and another, with the time taken, when it is disposed.</summary>
/// <remarks>Costs two clock reads when nobody listens.</remarks>
public class Timer : IDisposable
{
    private readonly string m_tag;
    private readonly string? m_id;
    private readonly long m_begin;
    private string? m_operation;

    /// <summary>Starts to measure.</summary>
    /// <param name="logtag">Who measures; the messages are tagged <c>Timer.Begin-</c> and <c>Timer.Finished-</c> plus this.</param>
    /// <param name="logid">Which measurement it is; may be null.</param>
    /// <param name="operation">What is measured.</param>
    public Timer(string logtag, string? logid, string operation)
    {
        m_tag = logtag;
        m_id = logid;
        m_operation = operation;
        m_begin = Stopwatch.GetTimestamp();
        if (Log.HasListener)
            Log.WriteProfilingMessage("Timer.Begin-" + m_tag, m_id, "Starting - {0}", operation);
    }

    /// <summary>Writes the time taken; a second call does nothing.</summary>
    public void Dispose()
    {
        var operation = Interlocked.Exchange(ref m_operation, null);
        if (operation != null && Log.HasListener)
            Log.WriteProfilingMessage(
                "Timer.Finished-" + m_tag,
                m_id,
                "{0} took {1:d\\:hh\\:mm\\:ss\\.fff}",
                operation,
                Stopwatch.GetElapsedTime(m_begin)
            );
    }
}
