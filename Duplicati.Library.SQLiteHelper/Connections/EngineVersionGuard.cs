// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// Warns, once, of an engine that can lose data when several connections write and checkpoint one write-ahead log
/// (https://www.sqlite.org/wal.html#walresetbug): several processes may work on one database.
/// </summary>
/// <remarks>Thread-safe.</remarks>
internal sealed class EngineVersionGuard
{
    private const string LogId = "SQLiteWalResetBug";

    private static readonly Version FirstSafe = new(3, 51, 3);
    private static readonly string LogTag = Log.LogTagFromType(typeof(SQLiteLoader));

    private readonly Version m_engine;
    private int m_said;

    internal EngineVersionGuard(Version engine) => m_engine = engine;

    /// <summary>The guard of the engine in this process. Shared, so that the line is written once a process.</summary>
    internal static EngineVersionGuard OfProcess { get; } = new(SqliteEngine.Version);

    /// <summary>Whether the engine has the defect.</summary>
    internal bool IsAffected => m_engine < FirstSafe;

    /// <summary>Called when a database was opened with a write-ahead log.</summary>
    internal void Check()
    {
        if (IsAffected && Interlocked.Exchange(ref m_said, 1) == 0)
        {
            Log.WriteWarningMessage(
                LogTag,
                LogId,
                null,
                "SQLite {0} can lose data when several programs write to one database at the same moment; versions from {1} cannot. "
                    + "Use a build with a newer SQLite, and do not open the local database with other programs during an operation.",
                m_engine,
                FirstSafe
            );
        }
    }
}
