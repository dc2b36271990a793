// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Who gives new rows of table Block their ids. A backup and a recreate that work on one connection at the same time each hold rows
/// back whose ids the other cannot see, so whoever comes next has everything written first, and then notices the new rows in the table.
/// </summary>
/// <remarks>One instance a session; use with the session's gate held.</remarks>
internal sealed class BlockIds
{
    private readonly DatabaseSession m_session;
    private object? m_holder;

    private BlockIds(DatabaseSession session) => m_session = session;

    /// <summary>The one instance of a session.</summary>
    internal static BlockIds Of(DatabaseSession session) => session.Service(static s => new BlockIds(s));

    /// <summary>To be called before blocks are looked up or added. A comparison, unless somebody else was the last.</summary>
    internal void Claim(object holder)
    {
        if (ReferenceEquals(m_holder, holder))
            return;

        if (m_holder is not null)
            m_session.Flush();
        m_holder = holder;
    }
}
