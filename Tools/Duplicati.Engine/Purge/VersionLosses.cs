// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Purge;

/// <summary>Counts what versions hold, before they go.</summary>
internal static class VersionLosses
{
    /// <summary>
    /// Entries, files and bytes of a version. Part of the key of FilesetEntry; FileLookup and Blockset by id.
    /// </summary>
    private const string WHOLE_VERSION = """
        SELECT COUNT(*), COUNT("s"."ID"), COALESCE(SUM("s"."Length"), 0)
        FROM "FilesetEntry" "e"
        CROSS JOIN "FileLookup" "l" ON "l"."ID" = "e"."FileID"
        LEFT JOIN "Blockset" "s" ON "s"."ID" = "l"."BlocksetID"
        WHERE "e"."FilesetID" = @fileset
        """;

    /// <summary>What is lost with whole versions, in the order given. Reads their entries once.</summary>
    internal static List<VersionLoss> OfWhole(LocalDatabase database, IEnumerable<KeyValuePair<long, DateTime>> versions) =>
        [
            .. versions.SelectMany(x =>
                DumpQuery.Rows(
                    database.Connection,
                    WHOLE_VERSION,
                    row => new VersionLoss(x.Value, true, row.GetInt64(0), row.GetInt64(1), row.GetInt64(2)),
                    ("@fileset", x.Key)
                )
            ),
        ];
}
