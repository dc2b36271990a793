// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Data;
using System.Diagnostics;
using System.Linq;
using System.Threading;
using Duplicati.Library.Logging;

namespace Duplicati.Library.Main.Database;

/// <summary>Warns about statements that run longer than a threshold, again and again while they run.</summary>
/// <remarks>Monitoring flows with the async call tree it was started in. Any thread may start a query.</remarks>
internal static class SlowQueryMonitor
{
    private static readonly string s_logTag = Log.LogTagFromType(typeof(SlowQueryMonitor));
    private static readonly TimeSpan s_lowestThreshold = TimeSpan.FromSeconds(1);
    private static readonly AsyncLocal<Monitor?> s_current = new();

    /// <summary>Starts to watch the statements of this call chain and of everything started from it.</summary>
    /// <param name="threshold">How long a statement may run; below one second nothing is watched.</param>
    /// <returns>Stops the watch when disposed; null if nothing is watched.</returns>
    public static IDisposable? StartMonitoring(TimeSpan threshold)
    {
        if (threshold < s_lowestThreshold)
        {
            Log.WriteInformationMessage(
                s_logTag,
                "TooLowQueryThreshold",
                "Slow queries are not watched: the threshold {0} is below {1}",
                threshold,
                s_lowestThreshold
            );
            return null;
        }
        return s_current.Value = new Monitor(threshold);
    }

    /// <summary>Watches one statement.</summary>
    /// <param name="command">The command that is about to run.</param>
    /// <param name="operation">The name of the call, for the warning.</param>
    /// <returns>Ends the watch when disposed; null if this call chain is not monitored.</returns>
    public static IDisposable? StartQuery(IDbCommand command, string operation) =>
        s_current.Value?.Start(command.GetPrintableCommandText, operation);

    /// <summary>Watches work that may run several statements.</summary>
    /// <param name="operation">What is being done, for the warning.</param>
    /// <param name="text">Tells the statement that is running; called on the timer's thread.</param>
    /// <returns>Ends the watch when disposed; null if this call chain is not monitored.</returns>
    internal static IDisposable? StartWork(string operation, Func<string> text) => s_current.Value?.Start(text, operation);

    private sealed class Monitor : IDisposable
    {
        private readonly Lock m_lock = new();
        private readonly HashSet<Query> m_running = [];
        private readonly TimeSpan m_threshold;
        private readonly System.Threading.Timer m_timer;
        private bool m_stopped;

        internal Monitor(TimeSpan threshold)
        {
            m_threshold = threshold;
            // Made here, not in a static place: a timer keeps the execution context of its maker, and with it the log scope.
            m_timer = new System.Threading.Timer(_ => ReportSlowQueries(), null, threshold, threshold);
        }

        internal Query? Start(Func<string> text, string operation)
        {
            var query = new Query(this, text, operation);
            lock (m_lock)
            {
                if (m_stopped)
                    return null;
                m_running.Add(query);
            }
            return query;
        }

        internal void End(Query query)
        {
            lock (m_lock)
                m_running.Remove(query);
        }

        public void Dispose()
        {
            lock (m_lock)
            {
                m_stopped = true;
                m_running.Clear();
            }
            m_timer.Dispose();
            if (s_current.Value == this)
                s_current.Value = null;
        }

        private void ReportSlowQueries()
        {
            try
            {
                Query[] slow;
                lock (m_lock)
                    slow = [.. m_running.Where(x => x.Elapsed >= m_threshold)];
                foreach (var query in slow)
                    Log.WriteWarningMessage(
                        s_logTag,
                        "SlowQueryDetected",
                        null,
                        "{0} has been running for {1:0.0} seconds: {2}",
                        query.Operation,
                        query.Elapsed.TotalSeconds,
                        query.PrintableText()
                    );
            }
            catch (Exception ex)
            {
                Log.WriteWarningMessage(s_logTag, "SlowQueryMonitorError", ex, "Looking for slow queries failed: {0}", ex.Message);
            }
        }
    }

    private sealed class Query(Monitor monitor, Func<string> text, string operation) : IDisposable
    {
        private readonly long m_begin = Stopwatch.GetTimestamp();

        internal string Operation { get; } = operation;

        internal TimeSpan Elapsed => Stopwatch.GetElapsedTime(m_begin);

        /// <summary>Read on the timer's thread, so the command may be disposed or changed under it.</summary>
        internal string PrintableText()
        {
            try
            {
                return text();
            }
            catch (Exception ex) when (ex is ObjectDisposedException or InvalidOperationException or NullReferenceException)
            {
                return "(the command has ended meanwhile)";
            }
        }

        public void Dispose() => monitor.End(this);
    }
}
