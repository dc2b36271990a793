// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>The tables that exist while a recreate that can be interrupted is not finished.</summary>
internal static class RecreateJournalSql
{
    // One row a remote volume.
    internal const string CreateVolumes = """
        CREATE TABLE IF NOT EXISTS "RecreateVolume" ("Name" TEXT PRIMARY KEY NOT NULL, "Size" INTEGER NOT NULL, "IsDone" INTEGER NOT NULL) WITHOUT ROWID
        """;

    // One row a blocklist; no index, read once in order.
    internal const string CreateBlocklists = """
        CREATE TABLE IF NOT EXISTS "RecreateBlocklist" ("ID" INTEGER PRIMARY KEY, "Hash" TEXT NOT NULL, "DigestBytes" INTEGER NOT NULL, "Content" BLOB NOT NULL)
        """;

    // One row a file of one block whose hash is another than the block's.
    internal const string CreateLinks = """
        CREATE TABLE IF NOT EXISTS "RecreateLink" ("ID" INTEGER PRIMARY KEY, "FileHash" TEXT NOT NULL, "BlockHash" TEXT NOT NULL, "Size" INTEGER NOT NULL)
        """;

    internal const string DropBlocklists = """DROP TABLE IF EXISTS "RecreateBlocklist" """;

    internal const string DropLinks = """DROP TABLE IF EXISTS "RecreateLink" """;

    // Primary key.
    internal const string AddVolume = """INSERT INTO "RecreateVolume" ("Name", "Size", "IsDone") VALUES (?1, ?2, 0)""";

    // Primary key.
    internal const string SetDone = """UPDATE "RecreateVolume" SET "IsDone" = 1 WHERE "Name" = ?1""";

    // All rows, a row a remote volume, once when a recreate goes on.
    internal const string ListVolumes = """SELECT "Name", "Size", "IsDone" FROM "RecreateVolume" """;

    // Appends by row id.
    internal const string AddBlocklist = """INSERT INTO "RecreateBlocklist" ("Hash", "DigestBytes", "Content") VALUES (?1, ?2, ?3)""";

    // Appends by row id.
    internal const string AddLink = """INSERT INTO "RecreateLink" ("FileHash", "BlockHash", "Size") VALUES (?1, ?2, ?3)""";

    // All rows in row id order, once when a recreate goes on.
    internal const string ListBlocklists = """SELECT "Hash", "DigestBytes", "Content" FROM "RecreateBlocklist" ORDER BY "ID" """;

    // All rows in row id order, once when a recreate goes on.
    internal const string ListLinks = """SELECT "FileHash", "BlockHash", "Size" FROM "RecreateLink" ORDER BY "ID" """;

    // Fileset in full, a row a version.
    internal const string FilesetOfVolume = """SELECT "ID" FROM "Fileset" WHERE "VolumeID" = ?1""";

    // Row id; the last row.
    internal const string LastBlockset = """SELECT MAX("ID") FROM "Blockset" """;

    // Three tables in full, once when a recreate goes on. A recreate gives ids without gaps, so that rows that a crash of the system took
    // show.
    internal const string CountGaps = """
        SELECT (SELECT COALESCE(MAX("ID"), 0) - COUNT(*) FROM "Block") + (SELECT COALESCE(MAX("ID"), 0) - COUNT(*) FROM "Blockset")
            + (SELECT COALESCE(MAX("ID"), 0) - COUNT(*) FROM "FileLookup")
        """;
}
