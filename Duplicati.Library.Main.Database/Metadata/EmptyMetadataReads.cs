// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Metadata;

/// <summary>Finds a blockset that can stand in for lost metadata.</summary>
internal static class EmptyMetadataReads
{
    /// <summary>
    /// A blockset with the hash and length of empty metadata, else one of length 0, both without a block in the missing volumes;
    /// else the shortest metadata with a block that is not missing. -1 if there is none.
    /// </summary>
    internal static long Find(DatabaseSession session, IEnumerable<long> missingVolumeIds, string emptyHash, long emptyLength)
    {
        SelectMissing(session, missingVolumeIds);
        using var byHash = session.Take(EmptyMetadataSql.ByHash);
        var id = byHash.Bind(1, emptyHash).Bind(2, emptyLength).ExecuteInt64();
        if (id < 0 && emptyLength != 0)
            id = Find(session, EmptyMetadataSql.ByZeroLength);
        return id < 0 ? Find(session, EmptyMetadataSql.Shortest) : id;
    }

    private static void SelectMissing(DatabaseSession session, IEnumerable<long> volumeIds)
    {
        MetadataTables.MissingVolume.Reset(session);
        using var insert = session.TakeDirect(EmptyMetadataSql.InsertMissing);
        foreach (var id in volumeIds)
            insert.Bind(1, id).ExecuteNonQuery();
    }

    private static long Find(DatabaseSession session, string sql) => session.ReadNumber(sql, ifNone: -1);
}

/// <summary>
/// The temporary tables of questions about metadata. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class MetadataTables
{
    internal static readonly TempTable MissingVolume = new(
        "MissingVolume",
        MetadataTablesSql.CreateMissingVolume,
        MetadataTablesSql.ClearMissingVolume
    );
}
