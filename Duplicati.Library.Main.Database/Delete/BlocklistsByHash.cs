#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>The hashes of all blocklists, gone through once beside blocks in the same order.</summary>
internal sealed class BlocklistsByHash : IDisposable
{
    private readonly Statement m_lists;
    private bool m_hasList;

    internal BlocklistsByHash(DatabaseSession session)
    {
        m_lists = session.Take(DeleteSql.BlocklistHashes);
        m_hasList = m_lists.Step();
    }

    /// <summary>True if a block is a blocklist. Hashes must come in their order, which is that of their bytes.</summary>
    internal bool HaveNext(ReadOnlySpan<byte> hash)
    {
        while (m_hasList)
        {
            var order = m_lists.GetUtf8(0).SequenceCompareTo(hash);
            if (order >= 0)
                return order == 0;
            m_hasList = m_lists.Step();
        }

        return false;
    }

    public void Dispose() => m_lists.Dispose();
}
