// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>Which volumes belong together, and which belong to nothing.</summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal static class RepairVolumes
{
    // One row a volume in both tables.
    private const string IndexesOfSql = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Index' AND "ID" IN (SELECT "IndexVolumeID" FROM "IndexBlockLink" WHERE "BlockVolumeID" = ?1)
        ORDER BY "ID"
        """;

    // One row a volume in both tables, RemotevolumeNameOnly.
    private const string DescribedBySql = """
        SELECT "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "ID" IN (
            SELECT "BlockVolumeID" FROM "IndexBlockLink"
            WHERE "IndexVolumeID" = (SELECT "Index"."ID" FROM "Remotevolume" AS "Index" WHERE "Index"."Name" = ?1))
        ORDER BY "ID"
        """;

    // One row a volume, one row a version.
    private const string ListsWithoutFilesetSql = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Files' AND "State" NOT IN ('Deleting', 'Deleted') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        ORDER BY "ID"
        """;

    // One row a volume in both tables.
    private const string EmptyIndexesSql = """
        SELECT "Name", "Hash", "Size" FROM "Remotevolume"
        WHERE "Type" = 'Index' AND "State" IN ('Uploaded', 'Verified') AND "ID" NOT IN (SELECT "IndexVolumeID" FROM "IndexBlockLink")
        ORDER BY "ID"
        """;

    /// <summary>Names of the index volumes that describe a block volume.</summary>
    internal static List<string> IndexesOf(DatabaseSession session, long blockVolumeId)
    {
        using var select = session.Take(IndexesOfSql);
        return select.Bind(1, blockVolumeId).ReadAll(static row => row.GetString(0)!);
    }

    /// <summary>The block volumes that an index volume describes.</summary>
    internal static List<IRemoteVolume> DescribedBy(DatabaseSession session, string indexName)
    {
        using var select = session.Take(DescribedBySql);
        return Volumes(select.Bind(1, indexName));
    }

    /// <summary>Names of the list volumes that no fileset belongs to.</summary>
    internal static List<string> ListsWithoutFileset(DatabaseSession session)
    {
        using var select = session.Take(ListsWithoutFilesetSql);
        return select.ReadAll(static row => row.GetString(0)!);
    }

    /// <summary>The uploaded index volumes that describe nothing.</summary>
    internal static List<IRemoteVolume> EmptyIndexes(DatabaseSession session)
    {
        using var select = session.Take(EmptyIndexesSql);
        return Volumes(select);
    }

    /// <summary>The volumes of rows of name, hash and size; hash empty and size -1 where unknown.</summary>
    internal static List<IRemoteVolume> Volumes(Statement rows) =>
        rows.ReadAll<IRemoteVolume>(static row => new RemoteVolume(row.GetString(0) ?? "", row.GetString(1) ?? "", row.GetInt64(2, -1)));
}
