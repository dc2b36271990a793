// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Diagnostics.Metrics;
using System.IO;
using System.Linq;
using Duplicati.Library.SQLiteHelper.Diagnostics;
using Duplicati.Library.SQLiteHelper.Metrics;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>What whoever listens is told: figures at the end of a transaction and of the session, gauges when they are asked for.</summary>
internal sealed partial class DatabaseSession
{
    private const string BlocksName = "blocks";

    // The file of the connection, and its name as an attribute; asked for while it is open.
    private readonly string m_file;
    private readonly KeyValuePair<string, object?> m_database;
    private ConnectionReport? m_report;
    private long m_reportedRequests;
    private long m_reportedMisses;

    /// <summary>What the maps of blocks have answered so far.</summary>
    internal LookUpFigures BlockLookUps { get; } = new();

    /// <summary>Bytes of the write-ahead logs of all open sessions, each file once.</summary>
    internal static IEnumerable<Measurement<long>> MeasureLogs() =>
        s_sessions
            .Select(x => x.Value)
            .Where(x => !x.m_disposed)
            .DistinctBy(x => x.m_file)
            .GroupBy(x => x.m_database, (database, files) => new Measurement<long>(files.Sum(x => LogBytes(x.m_file)), database));

    /// <summary>Starts to watch an operation; null if nobody listens.</summary>
    internal OperationWatch? StartWatch(string operation, bool isActivity = true) =>
        OperationWatch.Start(operation, Statements, isActivity);

    /// <summary>To be called after a commit.</summary>
    internal void ReportCommit()
    {
        lock (ConnectionLock)
        {
            m_report?.Committed();
            ReportLookUps();
        }
    }

    /// <summary>To be called after a rollback that somebody asked for, or that an error brought.</summary>
    internal void ReportRollback()
    {
        lock (ConnectionLock)
        {
            m_report?.RolledBack();
            ReportLookUps();
        }
    }

    // What has been done since the last transaction ended.
    private void ReportFigures()
    {
        m_report?.Update();
        ReportLookUps();
    }

    private void ReportLookUps()
    {
        var requests = BlockLookUps.Requests - m_reportedRequests;
        var misses = BlockLookUps.Misses - m_reportedMisses;
        DatabaseInstruments.CountCache(m_database, BlocksName, requests - misses, misses);
        (m_reportedRequests, m_reportedMisses) = (BlockLookUps.Requests, BlockLookUps.Misses);
    }

    private static long LogBytes(string file)
    {
        var log = new FileInfo(file + "-wal");
        try
        {
            return log.Exists ? log.Length : 0;
        }
        catch (IOException)
        {
            // Gone between the two questions.
            return 0;
        }
    }
}

/// <summary>
/// How many look-ups the maps of blocks of a session have answered. Plain fields, because they are counted for every block; with the
/// connection lock held.
/// </summary>
internal sealed class LookUpFigures
{
    /// <summary>All of them.</summary>
    internal long Requests { get; set; }

    /// <summary>Those that the memory could not answer, so that the table was asked.</summary>
    internal long Misses { get; set; }
}

/// <summary>What is asked of the open sessions at the moment when somebody wants to know it, so that it costs nothing otherwise.</summary>
internal static class SessionGauges
{
    private static readonly Instrument[] s_gauges =
    [
        DatabaseInstruments.Meter.CreateObservableUpDownCounter<long>(
            "duplicati.db.wal.size",
            DatabaseSession.MeasureLogs,
            "By",
            "Size of the write-ahead logs of the open databases."
        ),
    ];

    /// <summary>Makes the instruments, once: a listener hears of them from then on.</summary>
    internal static void Begin() => _ = s_gauges;
}
