// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>Paths that a file list has more than once, with different contents.</summary>
internal static class RepeatedPaths
{
    /// <summary>Help id of the inconsistency that they are.</summary>
    internal const string HELP_ID = "FilesetDifferences";

    private const int Shown = 20;

    // All entries, sorted by version and path.
    private const string LIST = """
        SELECT p."Prefix" || f."Path" FROM "FilesetEntry" e JOIN "FileLookup" f ON f."ID" = e."FileID" JOIN "PathPrefix" p ON p."ID" = f."PrefixID"
        GROUP BY e."FilesetID", f."PrefixID", f."Path" HAVING COUNT(*) > 1
        LIMIT $most
        """;

    // One whose content, or else whose metadata, can be restored stays, and of several the one that was known first. All entries, sorted by
    // version and path, and all of BlocksetEntry, BlocklistHash and Blockset; Block by row id or hash, Remotevolume and Metadataset by row
    // id; then FilesetEntry's key.
    private const string DELETE = """
        WITH "Lost" ("ID") AS MATERIALIZED (
            SELECT c."BlocksetID" FROM "BlocksetEntry" c
            WHERE NOT EXISTS (
                SELECT 1 FROM "Block" b CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID"
                WHERE b."ID" = c."BlockID" AND v."Type" = 'Blocks')
            UNION
            SELECT h."BlocksetID" FROM "BlocklistHash" h
            WHERE NOT EXISTS (
                SELECT 1 FROM "Block" b CROSS JOIN "Remotevolume" v ON v."ID" = b."VolumeID"
                WHERE b."Hash" = h."Hash" AND v."Type" = 'Blocks')
            UNION
            SELECT s."ID" FROM "Blockset" s
            WHERE s."Length" > 0 AND NOT EXISTS (SELECT 1 FROM "BlocksetEntry" c WHERE c."BlocksetID" = s."ID"))
        DELETE FROM "FilesetEntry" WHERE ("FilesetID", "FileID") IN (
            SELECT "FilesetID", "ID" FROM (
                SELECT e."FilesetID", f."ID", ROW_NUMBER() OVER (
                    PARTITION BY e."FilesetID", f."PrefixID", f."Path"
                    ORDER BY f."BlocksetID" IN (SELECT "ID" FROM "Lost"),
                        m."ID" IS NULL OR m."BlocksetID" IN (SELECT "ID" FROM "Lost"),
                        f."ID") AS "Number"
                FROM "FilesetEntry" e JOIN "FileLookup" f ON f."ID" = e."FileID" LEFT JOIN "Metadataset" m ON m."ID" = f."MetadataID")
            WHERE "Number" > 1)
        """;

    /// <summary>Leaves one entry of each path in a version. Does not commit.</summary>
    internal static void Remove(LocalRecreateDatabase database, RefusedEntries refused)
    {
        var first = DumpQuery.Rows(database.Connection, LIST, x => x.GetString(0), ("$most", Shown)).ToList();
        var count = DumpQuery.Execute(database.Connection, DELETE);
        refused.Add(first, count, "the list has it more than once, with different contents");
    }
}
