// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>The texts of metadata, for backups that keep them in the database.</summary>
/// <remarks>Call with the session's gate held.</remarks>
internal static class MetadataContent
{
    /// <summary>The blocks of all metadata whose text is missing, ordered by volume name, metadata id and position.</summary>
    internal static IReadOnlyList<LocalRecreateDatabase.MetadataBlockInfo> ListMissing(DatabaseSession session)
    {
        using var list = session.Take(MetadataContentSql.ListMissing);
        var result = new List<LocalRecreateDatabase.MetadataBlockInfo>();
        while (list.Read())
        {
            result.Add(
                new LocalRecreateDatabase.MetadataBlockInfo(
                    list.GetInt64(0),
                    list.GetInt64(1),
                    list.GetInt64(2),
                    list.GetString(3)!,
                    list.GetInt64(4),
                    list.GetString(5)!,
                    list.GetString(6),
                    list.GetInt64(7, -1)
                )
            );
        }

        return result;
    }

    /// <summary>Stores a text unless there is one already.</summary>
    internal static void Set(DatabaseSession session, long metadataId, string content)
    {
        using var set = session.Take(MetadataContentSql.Set);
        set.Bind(1, metadataId).Bind(2, content).ExecuteNonQuery();
    }
}
