// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Session;

internal static class HousekeepingSql
{
    // No table.
    internal const string Begin = "BEGIN";

    // No table. Takes the write lock at once.
    internal const string BeginWriting = "BEGIN IMMEDIATE";

    // No table.
    internal const string Rollback = "ROLLBACK";

    // Writes the whole file anew.
    internal const string Vacuum = "VACUUM";

    // No table. A number that changes when another connection commits.
    internal const string DataVersion = "PRAGMA data_version";

    // No table.
    internal const string ReadCheckpointPages = "PRAGMA wal_autocheckpoint";

    // No table; 64 MiB in pages of 4 KiB.
    internal const string SlowCheckpoints = "PRAGMA wal_autocheckpoint = 16384";
}

internal static class OperationSql
{
    // Appends by row id.
    internal const string Insert = """INSERT INTO "Operation" ("Description", "Timestamp") VALUES (?1, ?2)""";

    // By row id; no row has this one.
    internal const string ChangeNothing = """UPDATE "Operation" SET "Timestamp" = "Timestamp" WHERE "ID" = -1""";

    // Small table, one row an operation; read once when a database is attached to.
    internal const string Latest = """SELECT "ID", "Timestamp" FROM "Operation" ORDER BY "Timestamp" DESC, "ID" DESC LIMIT 1""";
}

internal static class SortMemorySql
{
    // One thread, because each takes memory of its own.
    internal const string TemporaryDataInFiles = "PRAGMA temp_store=FILE; PRAGMA threads=0";
}
