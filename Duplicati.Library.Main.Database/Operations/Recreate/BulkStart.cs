// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// Decides, once for all steps of a recreate, whether the tables were empty at the start: then the steps know every row, and indexes wait.
/// </summary>
/// <remarks>Call with the connection lock held.</remarks>
internal sealed class BulkStart
{
    private readonly DatabaseSession m_session;
    private readonly DeferredIndexes m_indexes;
    private readonly Action m_onOthersCommit;
    private bool? m_isBulk;
    private bool m_continues;
    private long m_transactions = -1;
    private long m_locked = -1;
    private long m_dataVersion;

    /// <param name="session">The session.</param>
    /// <param name="onOthersCommit">Called when another connection has committed, so that nothing that was known of the tables is
    /// certain.</param>
    internal BulkStart(DatabaseSession session, Action onOthersCommit)
    {
        m_session = session;
        m_indexes = DeferredIndexes.Of(session);
        m_onOthersCommit = onOthersCommit;
    }

    /// <summary>True if there are rows of an interrupted recreate, which the steps do not know before they have read them.</summary>
    internal bool IsContinued { get; private set; }

    /// <summary>
    /// To be called before the first question: what is in the tables was written by an interrupted recreate, which this one goes on with.
    /// </summary>
    internal void Continue() => m_continues = true;

    /// <summary>True if the tables were empty when this was first asked, or are filled by the recreate that goes on.</summary>
    internal bool IsBulk()
    {
        if (m_isBulk is { } known)
            return known;

        if (m_continues)
        {
            m_continues = false;
            IsContinued = true;
            m_isBulk = m_indexes.DropAll();
            return m_isBulk.Value;
        }

        // Indexes that are missing from an earlier start are needed for look-ups in the rows of that start.
        if (m_indexes.IsActive)
            m_indexes.Restore();
        m_isBulk = m_indexes.DropIfEmpty();
        return m_isBulk.Value;
    }

    /// <summary>
    /// To be called before something known is used: tells of commits by others since the last transaction. A comparison within one
    /// transaction.
    /// </summary>
    internal void NoticeOthers()
    {
        if (m_transactions == m_session.TransactionCount)
            return;

        var version = m_session.ReadNumber(HousekeepingSql.DataVersion);
        var isNew = m_transactions < 0 || version == m_dataVersion;
        m_dataVersion = version;
        m_transactions = m_session.TransactionCount;
        if (!isNew)
            m_onOthersCommit();
    }

    /// <summary>
    /// To be called before something is looked up that is added if it is not known: takes the write lock in each new transaction, and tells
    /// of commits by others. About 10 ns within one transaction.
    /// </summary>
    internal void BeginWriting()
    {
        m_session.ThrowIfRolledBack();
        if (m_locked == m_session.TransactionCount)
            return;

        m_session.BeginWriting();
        m_locked = m_session.TransactionCount;
        NoticeOthers();
    }

    /// <summary>The next question is answered from the tables again.</summary>
    internal void Forget()
    {
        m_isBulk = null;
        IsContinued = false;
    }
}
