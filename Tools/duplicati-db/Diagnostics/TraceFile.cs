// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using Duplicati.Engine.Diagnostics;
using Duplicati.Library.SQLiteHelper.Metrics;

namespace Duplicati.Tool.Diagnostics;

/// <summary>
/// <c>--trace FILE</c>: writes each activity when it has ended, in Chrome's trace format, which browsers (chrome://tracing) and
/// https://ui.perfetto.dev show as they are.
/// </summary>
/// <remarks>
/// Work on the database runs on one thread from start to end, and is shown on that thread's line. Everything else gets lines of its own.
/// Thread-safe.
/// </remarks>
internal sealed class TraceFile : IDisposable
{
    /// <summary>The first bytes of each such file.</summary>
    internal const string Beginning = "{\"otherData\":{\"duplicati-db\":\"trace\"";

    private const string ThreadProperty = "duplicati.thread";
    private const int CommandLine = 0;
    private const int MostPendingBytes = 64 * 1024;

    private readonly Lock m_lock = new();
    private readonly DateTime m_start = DateTime.UtcNow;
    private readonly FileStream m_file;
    private readonly Utf8JsonWriter m_json;
    private readonly ActivityListener m_listener;
    private IOException? m_failure;
    private bool m_isFinished;

    /// <summary>Begins to listen.</summary>
    /// <param name="file">Where to write; belongs to this object.</param>
    /// <param name="command">The name of the command.</param>
    internal TraceFile(FileStream file, string command)
    {
        m_file = file;
        m_json = new Utf8JsonWriter(file);
        m_json.WriteStartObject();
        m_json.WriteStartObject("otherData");
        m_json.WriteString("duplicati-db", "trace");
        m_json.WriteString("command", command);
        m_json.WriteString("start", m_start);
        m_json.WriteEndObject();
        m_json.WriteString("displayTimeUnit", "ms");
        m_json.WriteStartArray("traceEvents");
        m_listener = new ActivityListener
        {
            ShouldListenTo = source =>
                source.Name is DatabaseInstruments.SourceName or EngineActivities.SourceName or CommandRecording.SourceName,
            Sample = (ref ActivityCreationOptions<ActivityContext> _) => ActivitySamplingResult.AllData,
            ActivityStarted = activity => activity.SetCustomProperty(ThreadProperty, Environment.CurrentManagedThreadId),
            ActivityStopped = Write,
        };
        ActivitySource.AddActivityListener(m_listener);
    }

    /// <summary>Completes the file.</summary>
    /// <exception cref="IOException">There is no space left, or the file cannot be written any more.</exception>
    internal void Finish()
    {
        m_listener.Dispose();
        lock (m_lock)
        {
            m_isFinished = true;
            if (m_failure is not null)
                throw m_failure;
            m_json.WriteEndArray();
            m_json.WriteEndObject();
            m_json.Flush();
            m_file.Flush();
        }
    }

    public void Dispose()
    {
        m_listener.Dispose();
        m_file.Dispose();
    }

    private void Write(Activity activity)
    {
        lock (m_lock)
        {
            if (m_isFinished || m_failure is not null)
                return;

            try
            {
                WriteEvents(activity);
                if (m_json.BytesPending > MostPendingBytes)
                    m_json.Flush();
            }
            catch (IOException ex)
            {
                // The command goes on; it is told at its end.
                m_failure = ex;
            }
        }
    }

    private void WriteEvents(Activity activity)
    {
        if (activity.Source.Name is CommandRecording.SourceName or DatabaseInstruments.SourceName)
        {
            WriteEvent(activity, "X", activity.StartTimeUtc, withDetails: true);
            return;
        }

        WriteEvent(activity, "b", activity.StartTimeUtc, withDetails: true);
        WriteEvent(activity, "e", activity.StartTimeUtc + activity.Duration, withDetails: false);
    }

    private void WriteEvent(Activity activity, string phase, DateTime time, bool withDetails)
    {
        m_json.WriteStartObject();
        m_json.WriteString("name", activity.DisplayName);
        m_json.WriteString("cat", activity.Source.Name);
        m_json.WriteString("ph", phase);
        m_json.WriteNumber("ts", Microseconds(time - m_start));
        if (phase == "X")
            m_json.WriteNumber("dur", Microseconds(activity.Duration));
        else
            m_json.WriteString("id", activity.SpanId.ToString());
        m_json.WriteNumber("pid", Environment.ProcessId);
        m_json.WriteNumber(
            "tid",
            activity.Source.Name == CommandRecording.SourceName
                ? CommandLine
                : activity.GetCustomProperty(ThreadProperty) as int? ?? CommandLine
        );
        if (withDetails)
            WriteDetails(activity);
        m_json.WriteEndObject();
    }

    private void WriteDetails(Activity activity)
    {
        m_json.WriteStartObject("args");
        m_json.WriteString("span", activity.SpanId.ToString());
        m_json.WriteString("parent", activity.ParentSpanId.ToString());
        if (activity.Status == ActivityStatusCode.Error)
            m_json.WriteString("status", "error");
        foreach (var (name, value) in activity.TagObjects)
        {
            if (value is long or int)
                m_json.WriteNumber(name, Convert.ToInt64(value, CultureInfo.InvariantCulture));
            else
                m_json.WriteString(name, Convert.ToString(value, CultureInfo.InvariantCulture));
        }

        m_json.WriteEndObject();
    }

    private static double Microseconds(TimeSpan time) => Math.Round(Math.Max(0, time.TotalMicroseconds), 1);
}
