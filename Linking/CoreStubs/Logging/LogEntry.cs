// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Globalization;

namespace Duplicati.Library.Logging;

/// <summary>One log message on its way to the scopes that listen.</summary>
/// <remarks>The text is put together when it is first read, so a message nobody reads costs no formatting.</remarks>
public class LogEntry
{
    private string? m_formatted;

    /// <summary>Makes an entry.</summary>
    /// <param name="message">The text, with <c>{0}</c> style holes when there are arguments.</param>
    /// <param name="arguments">What fills the holes; may be empty.</param>
    /// <param name="level">The importance.</param>
    /// <param name="tag">Who writes, see <see cref="Log.LogTagFromType{T}"/>.</param>
    /// <param name="id">Which message it is, stable across releases.</param>
    /// <param name="exception">The cause, if there is one.</param>
    public LogEntry(string message, object?[] arguments, LogMessageType level, string tag, string? id, Exception? exception)
    {
        Message = message;
        Arguments = arguments;
        Level = level;
        Tag = tag;
        Id = id;
        Exception = exception;
        When = DateTime.UtcNow;
    }

    /// <summary>When it was written, UTC.</summary>
    public DateTime When { get; }

    /// <summary>The importance.</summary>
    public LogMessageType Level { get; }

    /// <summary>Who wrote it.</summary>
    public string Tag { get; }

    /// <summary>Which message it is; null for a timer without an id.</summary>
    public string? Id { get; }

    /// <summary>The text before its arguments are put in.</summary>
    public string Message { get; }

    /// <summary>What is put into the text.</summary>
    public object?[] Arguments { get; }

    /// <summary>The cause, if there is one.</summary>
    public Exception? Exception { get; }

    /// <summary>The text with its arguments put in, in the invariant culture.</summary>
    public string FormattedMessage => m_formatted ??= Format();

    /// <inheritdoc/>
    public override string ToString() => $"[{Level}-{Tag}-{Id}]: {FormattedMessage}";

    private string Format()
    {
        if (Arguments.Length == 0)
            return Message;
        try
        {
            return string.Format(CultureInfo.InvariantCulture, Message, Arguments);
        }
        catch (FormatException)
        {
            // A log line never fails the work it reports on: SQL and paths may hold braces.
            return Message + " " + string.Join(" ", Arguments);
        }
    }
}

/// <summary>The importance of a log message, least important first.</summary>
public enum LogMessageType
{
    /// <summary>Only written where it was asked for by tag or id.</summary>
    ExplicitOnly,

    /// <summary>How long something took, such as a query.</summary>
    Profiling,

    /// <summary>Detail for somebody who follows a single operation.</summary>
    Verbose,

    /// <summary>Something failed and is tried again.</summary>
    Retry,

    /// <summary>Progress a user may want to see.</summary>
    Information,

    /// <summary>What would have happened if this were not a dry run.</summary>
    DryRun,

    /// <summary>Something is wrong and the operation went on; part of the operation's result.</summary>
    Warning,

    /// <summary>Something failed; part of the operation's result.</summary>
    Error,

    /// <summary>Above everything: a threshold that lets nothing through.</summary>
    Disabled,
}
