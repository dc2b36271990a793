// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections;
using System.Collections.Concurrent;
using System.Globalization;
using Duplicati.Engine.Common;
using Duplicati.Library.Logging;
using Microsoft.Extensions.Logging;

namespace Duplicati.Engine.Diagnostics;

/// <summary>Forwards the log messages of the data layer and the engine to a program's own logging.</summary>
public static class LoggerForwarding
{
    /// <summary>
    /// Forwards what the current call chain and everything started from it writes, each tag to the logger of its name, until the result is
    /// disposed.
    /// </summary>
    /// <param name="loggers">Makes the loggers; must outlive the result.</param>
    /// <remarks>Messages that no logger wants are not put together. The loggers are called on the thread that writes.</remarks>
    public static IDisposable Start(ILoggerFactory loggers)
    {
        ArgumentNullException.ThrowIfNull(loggers);
        var byTag = new ConcurrentDictionary<string, ILogger>(StringComparer.Ordinal);
        return Log.StartScope(entry => Forward(entry, byTag.GetOrAdd(entry.Tag, loggers.CreateLogger)));
    }

    /// <summary>The level that a kind of message is forwarded with.</summary>
    public static LogLevel LevelOf(LogMessageType type) =>
        type switch
        {
            LogMessageType.ExplicitOnly or LogMessageType.Profiling => LogLevel.Trace,
            LogMessageType.Verbose => LogLevel.Debug,
            LogMessageType.Retry or LogMessageType.Information or LogMessageType.DryRun => LogLevel.Information,
            LogMessageType.Warning => LogLevel.Warning,
            LogMessageType.Error => LogLevel.Error,
            _ => LogLevel.None,
        };

    private static void Forward(LogEntry entry, ILogger logger)
    {
        var level = LevelOf(entry.Level);
        if (!logger.IsEnabled(level))
            return;

        var id = new EventId(0, entry.Id);
        var state = new State(entry);
        logger.Log(level, id, state, entry.Exception, static (x, _) => x.ToString());
    }

    /// <summary>The message with its arguments, by their numbers, for loggers that keep structure.</summary>
    private sealed class State(LogEntry entry) : IReadOnlyList<KeyValuePair<string, object?>>
    {
        public int Count => entry.Arguments.Length + 1;

        public KeyValuePair<string, object?> this[int index] =>
            index < entry.Arguments.Length
                ? new(index.ToString(CultureInfo.InvariantCulture), entry.Arguments[index])
                : new("{OriginalFormat}", entry.Message);

        public IEnumerator<KeyValuePair<string, object?>> GetEnumerator() =>
            Enumerable.Range(0, Count).Select(x => this[x]).GetEnumerator();

        IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();

        public override string ToString() => entry.FormattedMessage;
    }
}

/// <summary>
/// Writes an operation's progress to a program's own logging: messages as information, the file at hand as debug, how far it is as trace.
/// Thread-safe, as the logger is.
/// </summary>
public sealed class LoggerProgress(ILogger logger) : IEngineProgress
{
    /// <inheritdoc/>
    public void Message(string text) => Write(LogLevel.Information, text);

    /// <inheritdoc/>
    public void Working(string text) => Write(LogLevel.Debug, text);

    /// <inheritdoc/>
    public void Warning(string text) => Write(LogLevel.Warning, text);

    /// <inheritdoc/>
    public void Advance(string phase, long done, long total)
    {
        if (logger.IsEnabled(LogLevel.Trace))
            Write(LogLevel.Trace, $"{phase}: {done} of {total}");
    }

    private void Write(LogLevel level, string text) => logger.Log(level, default, text, null, static (state, _) => state);
}
