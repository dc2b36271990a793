// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Sync;

internal static class InventorySql
{
    private const string Item = """
        "RelativePath", "Size", "LastModified", "ContentHash"
        """;

    // Unique index on RelativePath.
    internal const string Upsert = """
        INSERT INTO "RemoteInventory" ("RelativePath", "Size", "LastModified", "ContentHash", "LastVerified") VALUES (?1, ?2, ?3, ?4, ?5)
        ON CONFLICT ("RelativePath") DO UPDATE SET
            "Size" = excluded."Size", "LastModified" = excluded."LastModified", "ContentHash" = excluded."ContentHash", "LastVerified" = excluded."LastVerified"
        """;

    // Takes the write lock.
    internal const string ChangeNothing = """UPDATE "RemoteInventory" SET "Size" = "Size" WHERE "ID" = -1""";

    // Unique index on RelativePath.
    internal const string Remove = """DELETE FROM "RemoteInventory" WHERE "RelativePath" = ?1""";

    // Unique index on RelativePath.
    internal const string Find = $"""SELECT {Item} FROM "RemoteInventory" WHERE "RelativePath" = ?1""";

    // Reads the table, which is the answer, in row order.
    internal const string All = $"""SELECT {Item} FROM "RemoteInventory" ORDER BY "ID" """;

    // First row of the table.
    internal const string Any = """SELECT EXISTS (SELECT 1 FROM "RemoteInventory")""";

    // Reads the table: paths without a slash are spread over the index.
    internal const string InTopFolder =
        $"""SELECT {Item} FROM "RemoteInventory" WHERE instr("RelativePath", '/') = 0 ORDER BY "RelativePath" """;

    // A range of the unique index on RelativePath: what lies in the folder or below, from its name with a slash to the next character.
    internal const string InFolder = $"""
        SELECT {Item} FROM "RemoteInventory"
        WHERE "RelativePath" >= ?1 || '/' AND "RelativePath" < ?1 || '0'
          AND instr(substr("RelativePath", length(?1) + 2), '/') = 0
        ORDER BY "RelativePath"
        """;
}
