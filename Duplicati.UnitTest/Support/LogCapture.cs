// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Logging;

namespace Duplicati.UnitTest.Support;

/// <summary>Keeps what is logged in the call chain of a test until it is disposed.</summary>
internal sealed class LogCapture : IDisposable
{
    private readonly Lock m_lock = new();
    private readonly List<LogEntry> m_entries = [];
    private readonly Action<LogEntry>? m_onEntry;
    private readonly IDisposable m_scope;

    /// <summary>Begins to listen; <paramref name="onEntry"/> is called for each message, on the thread that writes it.</summary>
    internal LogCapture(Action<LogEntry>? onEntry = null)
    {
        m_onEntry = onEntry;
        m_scope = Log.StartScope(Keep);
    }

    /// <summary>Everything so far, oldest first.</summary>
    internal IReadOnlyList<LogEntry> Entries
    {
        get
        {
            lock (m_lock)
                return [.. m_entries];
        }
    }

    /// <summary>What would become part of an operation's result.</summary>
    internal IReadOnlyList<LogEntry> WarningsAndErrors =>
        [.. Entries.Where(x => x.Level is LogMessageType.Warning or LogMessageType.Error)];

    /// <summary>The messages with an id.</summary>
    internal IReadOnlyList<LogEntry> WithId(string id) => [.. Entries.Where(x => x.Id == id)];

    /// <summary>The messages of one level with an id.</summary>
    internal IReadOnlyList<LogEntry> Of(LogMessageType level, string id) => [.. WithId(id).Where(x => x.Level == level)];

    public void Dispose() => m_scope.Dispose();

    private void Keep(LogEntry entry)
    {
        lock (m_lock)
            m_entries.Add(entry);
        m_onEntry?.Invoke(entry);
    }
}
