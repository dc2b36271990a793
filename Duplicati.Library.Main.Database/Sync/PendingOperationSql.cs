// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Sync;

internal static class PendingOperationSql
{
    private const string Entry = """
        "ID", "Path", "Operation", "Size", "Hash", "StartedAt", "Attempts"
        """;

    // Unique index on Path.
    internal const string Upsert = """
        INSERT INTO "PendingOperation" ("Path", "Operation", "Size", "Hash", "StartedAt", "Attempts") VALUES (?1, ?2, ?3, ?4, ?5, 0)
        ON CONFLICT ("Path") DO UPDATE SET
            "Operation" = excluded."Operation", "Size" = excluded."Size", "Hash" = excluded."Hash", "StartedAt" = excluded."StartedAt",
            "Attempts" = "PendingOperation"."Attempts" + 1
        """;

    // Unique index on Path.
    internal const string Remove = """DELETE FROM "PendingOperation" WHERE "Path" = ?1""";

    internal const string Clear = """DELETE FROM "PendingOperation" """;

    // First row of the table.
    internal const string Any = """SELECT EXISTS (SELECT 1 FROM "PendingOperation")""";

    // Unique index on Path.
    internal const string Find = $"""SELECT {Entry} FROM "PendingOperation" WHERE "Path" = ?1""";

    // Reads the table, which is the answer, in row order.
    internal const string All = $"""SELECT {Entry} FROM "PendingOperation" ORDER BY "ID" """;
}

internal static class AuditLogSql
{
    // Appends by row id.
    internal const string Add = """INSERT INTO "RemoteOperation" ("Timestamp", "Operation", "Path", "Data") VALUES (?1, ?2, ?3, ?4)""";

    // RemoteOperationTimestamp.
    internal const string Purge = """DELETE FROM "RemoteOperation" WHERE "Timestamp" < ?1""";
}
