// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Library.Logging;

/// <summary>One listener in the chain of scopes of a call chain.</summary>
internal sealed class LogScope : IDisposable
{
    private readonly Action<LogEntry> m_log;
    private readonly Func<LogEntry, bool>? m_filter;
    private volatile bool m_closed;

    internal LogScope(LogScope? parent, Action<LogEntry> log, Func<LogEntry, bool>? filter)
    {
        Parent = parent;
        m_log = log;
        m_filter = filter;
    }

    internal LogScope? Parent { get; }

    /// <summary>
    /// The scope itself or its nearest ancestor that has not ended: a call chain may outlive the scope it was started in.
    /// </summary>
    internal static LogScope? NearestOpen(LogScope? scope)
    {
        while (scope is { m_closed: true })
            scope = scope.Parent;
        return scope;
    }

    internal void Offer(LogEntry entry)
    {
        if (m_filter == null || m_filter(entry))
            m_log(entry);
    }

    /// <summary>Ends the scope for every call chain that inherited it.</summary>
    public void Dispose()
    {
        if (m_closed)
            return;
        m_closed = true;
        Log.EndScope(this);
    }
}
