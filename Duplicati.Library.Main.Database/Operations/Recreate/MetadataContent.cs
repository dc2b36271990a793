// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>The texts of metadata, for backups that keep them in the database.</summary>
/// <remarks>Call with the connection lock held.</remarks>
internal static class MetadataContent
{
    // Metadataset in full, then row ids and the primary key of BlocksetEntry; sorted at the end.
    internal const string ListMissingSql = """
        SELECT m."ID", s."Length", e."Index", b."Hash", b."Size", v."Name", v."Hash", v."Size"
        FROM "Metadataset" m
        CROSS JOIN "Blockset" s ON s."ID" = m."BlocksetID" AND s."Length" > 0
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = s."ID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID" AND b."Size" > 0 AND b."VolumeID" > 0
        CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID" AND v."Type" = 'Blocks'
        WHERE m."Content" IS NULL OR m."Content" = ''
        ORDER BY v."Name", m."ID", e."Index"
        """;

    // Row id.
    private const string SetSql = """UPDATE "Metadataset" SET "Content" = ?2 WHERE "ID" = ?1 AND ("Content" IS NULL OR "Content" = '')""";

    /// <summary>The blocks of all metadata whose text is missing, ordered by volume name, metadata id and position.</summary>
    internal static IReadOnlyList<LocalRecreateDatabase.MetadataBlockInfo> ListMissing(DatabaseSession session)
    {
        using var list = session.Take(ListMissingSql);
        return list.ReadAll(static row => new LocalRecreateDatabase.MetadataBlockInfo(
            row.GetInt64(0),
            row.GetInt64(1),
            row.GetInt64(2),
            row.GetString(3)!,
            row.GetInt64(4),
            row.GetString(5)!,
            row.GetString(6),
            row.GetInt64(7, -1)
        ));
    }

    /// <summary>Stores a text unless there is one already.</summary>
    internal static void Set(DatabaseSession session, long metadataId, string content)
    {
        using var set = session.Take(SetSql);
        set.Bind(1, metadataId).Bind(2, content).ExecuteNonQuery();
    }
}
