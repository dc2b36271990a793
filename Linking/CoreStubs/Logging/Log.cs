// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;

namespace Duplicati.Library.Logging;

/// <summary>Writes messages to the scopes that listen in the current call chain of calls.</summary>
/// <remarks>
/// A scope flows with the async call tree. Every enclosing scope gets a message; without a scope it is dropped. Any thread may write.
/// </remarks>
public static class Log
{
    private static readonly AsyncLocal<LogScope?> s_current = new();

    /// <summary>The tag of messages written by a type: its namespace and name.</summary>
    /// <typeparam name="T">The type that writes.</typeparam>
    /// <returns>The tag.</returns>
    public static string LogTagFromType<T>() => LogTagFromType(typeof(T));

    /// <summary>The tag of messages written by a type: its namespace and name.</summary>
    /// <param name="t">The type that writes.</param>
    /// <returns>The tag.</returns>
    public static string LogTagFromType(Type t)
    {
        ArgumentNullException.ThrowIfNull(t);
        return $"{t.Namespace}.{t.Name}";
    }

    /// <summary>Listens to what the current call chain and everything started from it writes, until the result is disposed.</summary>
    /// <param name="log">Called for each message, on the thread that writes it.</param>
    /// <param name="filter">Says which messages are wanted; null means all.</param>
    /// <returns>Ends the scope when disposed; disposing twice is harmless.</returns>
    public static IDisposable StartScope(Action<LogEntry> log, Func<LogEntry, bool>? filter = null)
    {
        ArgumentNullException.ThrowIfNull(log);
        return s_current.Value = new LogScope(s_current.Value, log, filter);
    }

    /// <summary>Writes a <see cref="LogMessageType.Verbose"/> message.</summary>
    /// <param name="tag">Who writes.</param>
    /// <param name="id">Which message it is.</param>
    /// <param name="message">The text.</param>
    /// <param name="arguments">What fills its holes.</param>
    public static void WriteVerboseMessage(string tag, string id, string message, params object?[] arguments) =>
        Write(LogMessageType.Verbose, tag, id, null, message, arguments);

    /// <summary>Writes a <see cref="LogMessageType.Verbose"/> message with its cause.</summary>
    /// <param name="tag">Who writes.</param>
    /// <param name="id">Which message it is.</param>
    /// <param name="ex">The cause, or null.</param>
    /// <param name="message">The text.</param>
    /// <param name="arguments">What fills its holes.</param>
    public static void WriteVerboseMessage(string tag, string id, Exception? ex, string message, params object?[] arguments) =>
        Write(LogMessageType.Verbose, tag, id, ex, message, arguments);

    /// <summary>Writes an <see cref="LogMessageType.Information"/> message.</summary>
    /// <param name="tag">Who writes.</param>
    /// <param name="id">Which message it is.</param>
    /// <param name="message">The text.</param>
    /// <param name="arguments">What fills its holes.</param>
    public static void WriteInformationMessage(string tag, string id, string message, params object?[] arguments) =>
        Write(LogMessageType.Information, tag, id, null, message, arguments);

    /// <summary>Writes a <see cref="LogMessageType.Warning"/> message, which becomes part of the operation's result.</summary>
    /// <param name="tag">Who writes.</param>
    /// <param name="id">Which message it is.</param>
    /// <param name="ex">The cause, or null.</param>
    /// <param name="message">The text.</param>
    /// <param name="arguments">What fills its holes.</param>
    public static void WriteWarningMessage(string tag, string id, Exception? ex, string message, params object?[] arguments) =>
        Write(LogMessageType.Warning, tag, id, ex, message, arguments);

    /// <summary>Writes an <see cref="LogMessageType.Error"/> message, which becomes part of the operation's result.</summary>
    /// <param name="tag">Who writes.</param>
    /// <param name="id">Which message it is.</param>
    /// <param name="ex">The cause, or null.</param>
    /// <param name="message">The text.</param>
    /// <param name="arguments">What fills its holes.</param>
    public static void WriteErrorMessage(string tag, string id, Exception? ex, string message, params object?[] arguments) =>
        Write(LogMessageType.Error, tag, id, ex, message, arguments);

    /// <summary>Writes an <see cref="LogMessageType.ExplicitOnly"/> message.</summary>
    /// <param name="tag">Who writes.</param>
    /// <param name="id">Which message it is.</param>
    /// <param name="ex">The cause, or null.</param>
    /// <param name="message">The text.</param>
    /// <param name="arguments">What fills its holes.</param>
    public static void WriteExplicitMessage(string tag, string id, Exception? ex, string message, params object?[] arguments) =>
        Write(LogMessageType.ExplicitOnly, tag, id, ex, message, arguments);

    /// <summary>Writes a <see cref="LogMessageType.Profiling"/> message; mostly reached through <see cref="Timer"/>.</summary>
    /// <param name="tag">Who writes.</param>
    /// <param name="id">Which message it is; may be null.</param>
    /// <param name="message">The text.</param>
    /// <param name="arguments">What fills its holes.</param>
    public static void WriteProfilingMessage(string tag, string? id, string message, params object?[] arguments) =>
        Write(LogMessageType.Profiling, tag, id, null, message, arguments);

    /// <summary>Whether any scope listens in this call chain; without one a message need not even be put together.</summary>
    internal static bool HasListener => LogScope.NearestOpen(s_current.Value) != null;

    internal static void EndScope(LogScope scope)
    {
        if (s_current.Value == scope)
            s_current.Value = LogScope.NearestOpen(scope);
    }

    private static void Write(LogMessageType level, string tag, string? id, Exception? ex, string message, object?[] arguments)
    {
        var scope = LogScope.NearestOpen(s_current.Value);
        if (scope == null)
            return;
        var entry = new LogEntry(message, arguments, level, tag, id, ex);
        for (; scope != null; scope = LogScope.NearestOpen(scope.Parent))
            scope.Offer(entry);
    }
}

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
