// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

internal static class ResolveSql
{
    // Row id range of Blockset, then BlocklistHashBlocksetIDIndex for each: rows come in the order of BlocksetEntry's key, without sorting.
    internal const string Walk = """
        SELECT s."ID", s."Length", s."FullHash", l."Index", l."Hash"
        FROM "Blockset" s LEFT JOIN "BlocklistHash" l ON l."BlocksetID" = s."ID"
        WHERE s."ID" > ?1 ORDER BY s."ID", l."Index"
        """;

    // Primary key; rows come in ascending order, so the tree is appended to.
    internal const string InsertEntry = """INSERT OR IGNORE INTO "BlocksetEntry" ("BlocksetID", "Index", "BlockID") VALUES (?, ?, ?)""";

    // The same, 64 rows at once.
    internal const string InsertEntries = InsertEntry + ", " + FifteenRows + ", " + SixteenRows + ", " + SixteenRows + ", " + SixteenRows;

    internal const string Savepoint = """SAVEPOINT "resolve" """;

    internal const string Release = """RELEASE "resolve" """;

    internal const string RollBack = """ROLLBACK TO "resolve" """;

    private const string FourRows = "(?, ?, ?), (?, ?, ?), (?, ?, ?), (?, ?, ?)";

    private const string FifteenRows = FourRows + ", " + FourRows + ", " + FourRows + ", (?, ?, ?), (?, ?, ?), (?, ?, ?)";

    private const string SixteenRows = FourRows + ", " + FourRows + ", " + FourRows + ", " + FourRows;
}
