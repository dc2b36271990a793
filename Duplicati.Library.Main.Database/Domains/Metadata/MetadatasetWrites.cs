// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Text;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Metadata;

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
