// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Globalization;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Blocks that nothing refers to any more but that are still stored, and so need not be stored again. Volumes that are being
/// deleted, or are gone, do not count.
/// </summary>
/// <remarks>
/// The keys are read into memory when the first new block comes, if they are no more than the limit; otherwise the table is asked
/// each time. What is found is checked in the table before it is used. Use with the connection lock held.
/// </remarks>
internal sealed class DeletedBlocks
{
    private const string Variable = "DUPLICATI_DELETEDBLOCKCACHESIZE";
    private const int DefaultLimit = 10_000;

    private readonly DatabaseSession m_session;
    private readonly int m_limit;
    private bool m_isRead;
    private bool m_isEmpty;
    private readonly KeyHasher m_hasher = new();
    private KeyMap? m_keys;

    /// <param name="session">The session.</param>
    /// <param name="limit">Most keys kept in memory; 0 always asks the table, less than 0 finds nothing.</param>
    internal DeletedBlocks(DatabaseSession session, int limit)
    {
        m_session = session;
        m_limit = limit;
    }

    /// <summary>The limit that the environment asks for, else 10,000.</summary>
    internal static int LimitFromEnvironment() =>
        int.TryParse(Environment.GetEnvironmentVariable(Variable), NumberStyles.Integer, CultureInfo.InvariantCulture, out var limit)
            ? limit
            : DefaultLimit;

    /// <summary>Takes a block out of the table of deleted ones, the newest if there are several.</summary>
    /// <param name="hash">Its hash.</param>
    /// <param name="size">Its size in bytes.</param>
    /// <param name="volumeId">The volume it is stored in.</param>
    /// <returns>False if there is none.</returns>
    internal bool TryTake(string hash, long size, out long volumeId)
    {
        volumeId = -1;
        if (!m_isRead)
            Read();
        if (m_isEmpty || m_keys?.Contains(m_hasher.OfText(hash, size)) == false)
            return false;

        // The key stays: a rollback brings the row back.
        using var find = m_session.Take(DeletedBlockSql.Find);
        if (!find.Bind(1, hash).Bind(2, size).Read())
            return false;

        volumeId = find.GetInt64(1);
        return Delete(find.GetInt64(0));
    }

    private bool Delete(long id)
    {
        using var delete = m_session.Take(DeletedBlockSql.Delete);
        return delete.Bind(1, id).ExecuteNonQuery() == 1;
    }

    private void Read()
    {
        m_isRead = true;
        m_isEmpty = m_limit < 0;
        if (m_isEmpty)
            return;

        var keys = new KeyMap();
        using var all = m_session.Take(DeletedBlockSql.Keys);
        var rows = 0L;
        for (all.Bind(1, m_limit + 1L); all.Read(); rows++)
            keys.Set(m_hasher.OfUtf8(all.GetUtf8(0), all.GetInt64(1)), 0);

        m_isEmpty = rows == 0;
        m_keys = rows <= m_limit ? keys : null;
    }
}
