// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Linq;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Indexes;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Session;

/// <summary>Building the indexes that were left out.</summary>
internal sealed partial class DeferredIndexes
{
    /// <summary>Up to this many rows of a table its indexes are built by who gives up filling it, in some tens of milliseconds.</summary>
    internal const int RowsBuiltWhenGivingUp = 16 * 1024;

    /// <summary>
    /// Up to this many rows of each table all indexes are built in one transaction; of more, each in one of its own where a commit is
    /// allowed. The log is then as large as one index and not as all of them, and what looks for pages in it takes less time.
    /// </summary>
    internal long MostRowsAtOnce { get; set; } = 2_000_000;

    /// <summary>Builds the missing indexes, of one table or of all; nothing happens if none is missing. Rows x log(rows).</summary>
    /// <exception cref="SqliteException">Rows break a unique index (code 19), or the file cannot be written.</exception>
    internal void Restore(string? table = null)
    {
        if (!IsActive)
            return;

        // Another connection may have completed the file between two transactions.
        m_active = LeftOutIndexes.Exist(m_session.Statements) && !LeftOutIndexes.Build(m_session.Statements, table);
    }

    /// <summary>Builds one index if it is missing; the mark of the file stays, also if it was the last one.</summary>
    /// <exception cref="SqliteException">As <see cref="Restore(string?)"/>.</exception>
    internal void RestoreOne(string name)
    {
        if (!IsActive)
            return;

        if (LeftOutIndexes.Exist(m_session.Statements))
            LeftOutIndexes.BuildOne(m_session.Statements, name);
    }

    /// <summary>
    /// Builds the missing indexes for a caller who may commit: of large tables one by one, with a commit before each, so that an
    /// interruption loses one of them at most. Taking the mark off the file is left in the open transaction.
    /// </summary>
    /// <param name="commit">Commits with a message, and begins the next transaction.</param>
    /// <param name="token">Seen between two indexes.</param>
    /// <exception cref="SqliteException">As <see cref="Restore(string?)"/>; or another connection is writing (code 5).</exception>
    internal void Restore(Action<string> commit, CancellationToken token)
    {
        // Another connection may have completed the file between two transactions.
        if (IsActive && LeftOutIndexes.Exist(m_session.Statements) && HasMoreRows(MostRowsAtOnce))
            RestoreEach(commit, token);
        Restore();
    }

    /// <summary>
    /// Builds the missing indexes for a caller who has not said that he commits: as
    /// <see cref="Restore(Action{string}, CancellationToken)"/> if nothing
    /// was written since his last commit, so that another one shows nothing of his; in the open transaction otherwise.
    /// </summary>
    /// <param name="commit">Commits with a message, and begins the next transaction.</param>
    /// <param name="token">Seen between two indexes.</param>
    /// <exception cref="SqliteException">As <see cref="Restore(Action{string}, CancellationToken)"/>.</exception>
    internal void RestoreBetweenWrites(Action<string> commit, CancellationToken token)
    {
        if (!IsActive)
            return;

        if (m_session.HasUncommittedChanges)
            Restore();
        else
            Restore(commit, token);
    }

    private void RestoreEach(Action<string> commit, CancellationToken token)
    {
        foreach (var name in LeftOutIndexes.List(m_session.Statements))
        {
            commit("BuildDeferredIndex");
            token.ThrowIfCancellationRequested();
            m_session.BeginWriting();
            if (!LeftOutIndexes.Exist(m_session.Statements))
                break;
            LeftOutIndexes.BuildOne(m_session.Statements, name);
        }
    }

    /// <summary>
    /// For a loader that ends, perhaps before its work does and not to be kept waiting: builds the indexes of small tables. Those of large
    /// ones are left to whoever opens the file next.
    /// </summary>
    internal void RestoreIfSmall()
    {
        if (!IsActive)
            return;

        if (!HasMoreRows(RowsBuiltWhenGivingUp))
            Restore();
    }

    private bool HasMoreRows(long count)
    {
        using var rows = m_session.Take(MoreRows);
        return rows.Bind(1, count).ExecuteInt64() != 0;
    }

    // Whoever comes beside the loader finds the tables complete.
    private void RestoreOwn()
    {
        if (m_owner is not null)
            Restore();
    }
}
