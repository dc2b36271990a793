// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

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
