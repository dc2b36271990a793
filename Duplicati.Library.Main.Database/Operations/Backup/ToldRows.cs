// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;
using Microsoft.Data.Sqlite;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>
/// The ids of contents, metadata and files that a backup was told last, with what they stood for. It hands them back in later transactions:
/// if another connection has committed in between, the row may be gone, and the id may be that of something else.
/// </summary>
/// <remarks>
/// With the connection lock held, and the write lock for what is required. About 5 ns to note an id; nothing is asked while nobody else
/// commits.
/// </remarks>
internal sealed class ToldRows(DatabaseSession session)
{
    private readonly LastTold m_blocksets = new();
    private readonly LastTold m_metadata = new();
    private readonly LastTold m_files = new();

    /// <summary>The id of a content was told, by the hash and the length of it.</summary>
    internal void Blockset(long id, string hash, long length) => m_blocksets.Add(new ToldRow(id, session.TransactionCount, length, hash));

    /// <summary>The id of metadata was told, by the hash and the length of their content.</summary>
    internal void Metadata(long id, string hash, long length) => m_metadata.Add(new ToldRow(id, session.TransactionCount, length, hash));

    /// <summary>The id of a file was told, by its folder and its name.</summary>
    internal void File(long id, long prefixId, string name) => m_files.Add(new ToldRow(id, session.TransactionCount, prefixId, name));

    /// <summary>To be called before a row refers to a content. Ids below 0 are those of folders and links.</summary>
    /// <exception cref="SqliteException">Code 5, extended 517: it is not the one that was told.</exception>
    internal void RequireBlockset(long id)
    {
        if (id >= 0)
            Require(id, m_blocksets, ToldRowSql.Blockset, "content");
    }

    /// <summary>To be called before a row refers to metadata.</summary>
    /// <exception cref="SqliteException">Code 5, extended 517: they are not the ones that were told.</exception>
    internal void RequireMetadata(long id)
    {
        if (id >= 0)
            Require(id, m_metadata, ToldRowSql.Metadata, "metadata");
    }

    /// <summary>To be called before a row refers to a file.</summary>
    /// <exception cref="SqliteException">Code 5, extended 517: it is not the one that was told.</exception>
    internal void RequireFile(long id) => Require(id, m_files, ToldRowSql.File, "file");

    private void Require(long id, LastTold told, string sql, string what)
    {
        if (!session.OthersMayHaveChanged(-1) || !told.TryFind(id, out var row) || !session.OthersMayHaveChanged(row.Transaction))
            return;

        using var select = session.Take(sql);
        if (!select.Bind(1, id).Read() || select.GetInt64(0) != row.Number || select.GetString(1) != row.Text)
            throw session.Outdated($"the {what} with the id {id} is not what was told any more");
    }

    private readonly record struct ToldRow(long Id, long Transaction, long Number, string Text);

    private sealed class LastTold
    {
        private readonly ToldRow[] m_rows = new ToldRow[64];
        private int m_next;

        // That there is none is nothing that could go.
        internal void Add(in ToldRow row)
        {
            if (row.Id < 0)
                return;

            m_rows[m_next] = row;
            m_next = (m_next + 1) % m_rows.Length;
        }

        // The last one that was told with the id.
        internal bool TryFind(long id, out ToldRow row)
        {
            for (var i = 1; i <= m_rows.Length; i++)
            {
                row = m_rows[(m_next - i + m_rows.Length) % m_rows.Length];
                if (row.Id == id && row.Text is not null)
                    return true;
            }

            row = default;
            return false;
        }
    }
}

internal static class ToldRowSql
{
    // Row id.
    internal const string Blockset = """SELECT "Length", "FullHash" FROM "Blockset" WHERE "ID" = ?1""";

    // Row ids.
    internal const string Metadata = """
        SELECT "Blockset"."Length", "Blockset"."FullHash"
        FROM "Metadataset" CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
        WHERE "Metadataset"."ID" = ?1
        """;

    // Row id.
    internal const string File = """SELECT "PrefixID", "Path" FROM "FileLookup" WHERE "ID" = ?1""";
}
