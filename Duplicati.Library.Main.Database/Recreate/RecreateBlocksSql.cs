// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Recreate;

internal static class RecreateBlocksSql
{
    // Full table in row id order, once for each object that works on a filled database.
    internal const string ReadAll = """SELECT "Hash", "Size", "ID", "VolumeID" FROM "Block" ORDER BY "ID" """;

    // BlockHashSize.
    internal const string Find = """SELECT "ID" FROM "Block" WHERE "Hash" = ?1 AND "Size" = ?2""";

    // Row id.
    internal const string VolumeOf = """SELECT "VolumeID" FROM "Block" WHERE "ID" = ?1""";

    // Row id.
    internal const string SetVolume = """UPDATE "Block" SET "VolumeID" = ?2 WHERE "ID" = ?1""";

    // UniqueBlockVolumeDuplicateBlock.
    internal const string AddDuplicate = """INSERT OR IGNORE INTO "DuplicateBlock" ("BlockID", "VolumeID") VALUES (?1, ?2)""";

    // Row id; the last row.
    internal const string LastId = """SELECT MAX("ID") FROM "Block" """;
}
