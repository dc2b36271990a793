// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>Adds files. Nothing here commits.</summary>
internal static class FileWrites
{
    // Appends by row id.
    private const string InsertSql =
        """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (?1, ?2, ?3, ?4)""";

    /// <summary>Adds a file that is not there and returns its id.</summary>
    internal static long Insert(DatabaseSession session, long prefixId, string name, long blocksetId, long metadataId)
    {
        using var insert = session.Take(InsertSql);
        insert.Bind(1, prefixId).Bind(2, name).Bind(3, blocksetId).Bind(4, metadataId).ExecuteNonQuery();
        return session.Statements.LastInsertRowId;
    }
}
