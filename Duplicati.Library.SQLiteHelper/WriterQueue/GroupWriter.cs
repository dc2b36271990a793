// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using Duplicati.Library.SQLiteHelper.Diagnostics;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.SQLiteHelper.WriterQueue;

/// <summary>
/// Runs everything that waits in a queue as one transaction, each work within a savepoint of its own, and tells the callers.
/// </summary>
/// <remarks>Used by the writer's thread alone.</remarks>
internal sealed class GroupWriter(StatementCache statements, WorkQueue queue, int mostWorks)
{
    // None reads a table.

    /// <summary>
    /// Takes the write lock at once: a work that reads before it writes must not find that another connection has written meanwhile.
    /// </summary>
    internal const string BeginSql = "BEGIN IMMEDIATE";

    internal const string CommitSql = "COMMIT";

    private const string Rollback = "ROLLBACK";

    /// <summary>The begin of one work.</summary>
    private const string Savepoint = """SAVEPOINT "QueuedWork" """;

    /// <summary>Undoes one work; the savepoint stays.</summary>
    private const string RollbackToSavepoint = """ROLLBACK TO "QueuedWork" """;

    /// <summary>The end of one work.</summary>
    private const string Release = """RELEASE "QueuedWork" """;

    private readonly List<QueuedWork> m_group = [];
    private readonly ConnectionReport m_report = new(statements);
    private long m_commits;
    private long m_works;

    /// <summary>Transactions committed so far. From any thread.</summary>
    public long Commits => Volatile.Read(ref m_commits);

    /// <summary>Works in them, those that failed not counted. From any thread.</summary>
    public long CommittedWorks => Volatile.Read(ref m_works);

    /// <summary>Runs and commits what waits. Also works that come while others of the group run belong to it, until its bound.</summary>
    public void WriteGroup()
    {
        try
        {
            while (m_group.Count < mostWorks && queue.TryTake(out var work))
                Start(work);
            Commit();
        }
        catch (Exception ex)
        {
            GiveUp(ex);
        }
    }

    private void Start(QueuedWork work)
    {
        if (!work.TryStart())
            return;

        m_group.Add(work);
        if (m_group.Count == 1)
            Begin();
        statements.Run(Savepoint);
        try
        {
            work.Run(statements);
            statements.ReturnAll();
            if (statements.IsAutoCommit)
                throw new InvalidOperationException("A work must not end the transaction it runs in.");
            statements.Run(Release);
        }
        catch (Exception ex)
        {
            Undo(work, ex);
        }
    }

    private void Begin()
    {
        try
        {
            statements.Run(BeginSql);
        }
        catch
        {
            // Whoever waits behind a lock that did not go away fails with the first, not one busy timeout after the other.
            while (m_group.Count < mostWorks && queue.TryTake(out var work))
            {
                if (work.TryStart())
                    m_group.Add(work);
            }

            throw;
        }
    }

    private void Undo(QueuedWork work, Exception failure)
    {
        statements.ReturnAll();
        if (statements.IsAutoCommit)
        {
            // The engine has rolled all back by itself, as it does when the disk is full: the others of the group are gone as well.
            m_group.Remove(work);
            work.Fail(failure);
            GiveUp(failure);
            return;
        }

        statements.Run(RollbackToSavepoint);
        statements.Run(Release);
        work.Failure = failure;
    }

    private void Commit()
    {
        if (m_group.Count == 0)
            return;

        statements.Run(CommitSql);
        m_report.Committed();
        Volatile.Write(ref m_commits, m_commits + 1);
        Volatile.Write(ref m_works, m_works + m_group.Count(work => work.Failure is null));
        // Only now: also a failure may rest on rows of the group that others would not have seen without its commit.
        foreach (var work in m_group)
            work.Settle();
        m_group.Clear();
    }

    private void GiveUp(Exception cause)
    {
        TryRollBack();
        foreach (var work in m_group)
            work.Fail(new CommitFailedException(cause, m_group.Count));
        m_group.Clear();
    }

    private void TryRollBack()
    {
        try
        {
            statements.ReturnAll();
            if (!statements.IsAutoCommit)
                statements.Run(Rollback);
            m_report.RolledBack();
        }
        catch (Exception)
        {
            // The callers are told the cause. A connection that cannot even roll back fails at its next BEGIN, which those callers are
            // told.
        }
    }
}
