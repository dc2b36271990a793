// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Threading;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>The part of a recreate that can be gone on with after an interruption.</summary>
internal sealed partial class RecreateWork
{
    // Row id; the last row.
    private const string LastBlocksetSql = """SELECT MAX("ID") FROM "Blockset" """;

    private bool m_suspended;

    /// <summary>
    /// From now on what is staged is written down as well; what is there already, by an interrupted recreate, is taken over, and what is
    /// in the tables counts as written by this one: their indexes are left out.
    /// </summary>
    /// <param name="journal">Where it is written.</param>
    /// <param name="sameHash">Whether a blockset of one block has the hash of that block.</param>
    /// <param name="token">Seen between rows.</param>
    internal void Keep(RecreateJournal journal, bool sameHash, CancellationToken token)
    {
        m_start.Continue();
        journal.Read(Blocklists, m_links, token);
        if (sameHash)
            m_links.ImplyUpTo(LastBlockset());
        Blocklists.Journal = journal;
        m_links.Journal = journal;
    }

    /// <summary>What is staged is not needed any more, by nobody.</summary>
    internal void StopKeeping()
    {
        Blocklists.Journal = null;
        m_links.Journal = null;
        new RecreateJournal(m_session).Drop();
    }

    /// <summary>The recreate will be gone on with: a disposal leaves indexes out that are left out.</summary>
    internal void Suspend() => m_suspended = true;

    private long LastBlockset() => m_session.ReadNumber(LastBlocksetSql);
}
