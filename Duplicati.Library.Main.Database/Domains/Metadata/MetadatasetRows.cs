// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Text;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Metadata;

/// <summary>Questions about stored metadata.</summary>
internal static class MetadatasetReads
{
    // BlocksetFullHash, MetadatasetBlocksetID, primary key of BlocksetEntry, row id of Block.
    private const string FindSql = """
        SELECT "Metadataset"."ID"
        FROM "Blockset" CROSS JOIN "Metadataset" ON "Metadataset"."BlocksetID" = "Blockset"."ID"
        WHERE "Blockset"."FullHash" = ?1 AND "Blockset"."Length" = ?2
          AND NOT EXISTS (
            SELECT 1 FROM "BlocksetEntry" LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
            WHERE "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "Block"."ID" IS NULL)
        LIMIT 1
        """;

    /// <summary>Returned for metadata without content, which is never stored.</summary>
    internal const long NoContent = -2;

    /// <summary>
    /// The id of the metadata with this content; -1 if there is none, or a block of it was lost, <see cref="NoContent"/> for a size of 0 or
    /// less.
    /// </summary>
    internal static long Find(DatabaseSession session, string hash, long size)
    {
        if (size <= 0)
            return NoContent;

        using var find = session.Take(FindSql);
        return find.Bind(1, hash).Bind(2, size).ExecuteInt64();
    }
}

/// <summary>Adds metadata. Nothing here commits.</summary>
internal static class MetadatasetWrites
{
    // Appends by row id.
    private const string Insert = """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (?1, ?2)""";

    /// <summary>Adds metadata and returns its id.</summary>
    /// <param name="session">The session.</param>
    /// <param name="blocksetId">The blockset of its content.</param>
    /// <param name="content">The content as UTF-8 with or without a byte order mark, to be kept in the table as text; or null.</param>
    internal static long Add(DatabaseSession session, long blocksetId, byte[]? content)
    {
        using var insert = session.Take(Insert);
        insert.Bind(1, blocksetId);
        if (content is null)
            insert.BindNull(2);
        else
            insert.BindUtf8(2, WithoutMark(content));
        insert.ExecuteNonQuery();
        return session.Statements.LastInsertRowId;
    }

    private static ReadOnlySpan<byte> WithoutMark(ReadOnlySpan<byte> text) =>
        text.StartsWith(Encoding.UTF8.Preamble) ? text[Encoding.UTF8.Preamble.Length..] : text;
}
