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

    // The one that was known first stays. All entries, sorted by version and path; then FilesetEntry's key.
    private const string DELETE = """
        DELETE FROM "FilesetEntry" WHERE ("FilesetID", "FileID") IN (
            SELECT "FilesetID", "ID" FROM (
                SELECT e."FilesetID", f."ID", ROW_NUMBER() OVER (PARTITION BY e."FilesetID", f."PrefixID", f."Path" ORDER BY f."ID") AS "Number"
                FROM "FilesetEntry" e JOIN "FileLookup" f ON f."ID" = e."FileID")
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
