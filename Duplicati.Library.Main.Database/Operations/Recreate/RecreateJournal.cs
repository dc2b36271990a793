// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// What a recreate has staged, kept in tables of the same database and the same transactions, so that it is there after a kill: the
/// contents of blocklists, and the links that cannot be told from the blocksets.
/// </summary>
/// <remarks>
/// Call with the connection lock held. 32 bytes an entry of a blocklist (SHA-256) in the file; the space is used by the indexes later.
/// </remarks>
internal sealed class RecreateJournal
{
    // One row a blocklist; no index, read once in order.
    private const string CreateBlocklists = """
        CREATE TABLE IF NOT EXISTS "RecreateBlocklist" ("ID" INTEGER PRIMARY KEY, "Hash" TEXT NOT NULL, "DigestBytes" INTEGER NOT NULL, "Content" BLOB NOT NULL)
        """;

    // One row a file of one block whose hash is another than the block's.
    private const string CreateLinks = """
        CREATE TABLE IF NOT EXISTS "RecreateLink" ("ID" INTEGER PRIMARY KEY, "FileHash" TEXT NOT NULL, "BlockHash" TEXT NOT NULL, "Size" INTEGER NOT NULL)
        """;

    private const string DropBlocklists = """DROP TABLE IF EXISTS "RecreateBlocklist" """;

    private const string DropLinks = """DROP TABLE IF EXISTS "RecreateLink" """;

    // Appends by row id.
    private const string AddBlocklistSql = """INSERT INTO "RecreateBlocklist" ("Hash", "DigestBytes", "Content") VALUES (?1, ?2, ?3)""";

    // Appends by row id.
    private const string AddLinkSql = """INSERT INTO "RecreateLink" ("FileHash", "BlockHash", "Size") VALUES (?1, ?2, ?3)""";

    // All rows in row id order, once when a recreate goes on.
    private const string ListBlocklists = """SELECT "Hash", "DigestBytes", "Content" FROM "RecreateBlocklist" ORDER BY "ID" """;

    // All rows in row id order, once when a recreate goes on.
    private const string ListLinks = """SELECT "FileHash", "BlockHash", "Size" FROM "RecreateLink" ORDER BY "ID" """;

    private readonly DatabaseSession m_session;

    internal RecreateJournal(DatabaseSession session) => m_session = session;

    /// <summary>Makes the tables that are not there yet.</summary>
    internal void Create()
    {
        m_session.Execute(CreateBlocklists);
        m_session.Execute(CreateLinks);
    }

    /// <summary>Removes the tables, once everything in them has been resolved.</summary>
    internal void Drop()
    {
        m_session.Execute(DropBlocklists);
        m_session.Execute(DropLinks);
    }

    /// <summary>Writes a blocklist down.</summary>
    /// <param name="hash">Its Base64 hash.</param>
    /// <param name="digestBytes">Bytes of a digest in it.</param>
    /// <param name="content">The digests, one after the other.</param>
    internal void AddBlocklist(string hash, int digestBytes, ReadOnlySpan<byte> content)
    {
        m_session.ThrowIfRolledBack();
        using var insert = m_session.Take(AddBlocklistSql);
        insert.Bind(1, hash).Bind(2, digestBytes).BindBlob(3, content).ExecuteNonQuery();
    }

    /// <summary>Writes a link down.</summary>
    internal void AddLink(SmallLinks.Link link)
    {
        m_session.ThrowIfRolledBack();
        using var insert = m_session.Take(AddLinkSql);
        insert.Bind(1, link.FileHash).Bind(2, link.BlockHash).Bind(3, link.Size).ExecuteNonQuery();
    }

    /// <summary>Hands out what is written down, in order of arrival.</summary>
    internal void Read(StagedBlocklists lists, SmallLinks links, CancellationToken token)
    {
        using (var list = m_session.Take(ListBlocklists))
        {
            while (list.Read())
            {
                token.ThrowIfCancellationRequested();
                lists.Restore(list.GetString(0)!, list.GetBlob(2), (int)list.GetInt64(1));
            }
        }

        using var link = m_session.Take(ListLinks);
        while (link.Read())
            links.Restore(new SmallLinks.Link(link.GetString(0)!, link.GetString(1)!, link.GetInt64(2)));
    }
}
