// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Volumes;

internal static class VolumeSql
{
    private const string Entry = """
        "ID", "Name", "Type", "Size", "Hash", "State", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime"
        """;

    // Index RemotevolumeNameOnly.
    internal const string Id = """SELECT "ID" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Index RemotevolumeNameOnly.
    internal const string ByName = $"""SELECT {Entry} FROM "Remotevolume" WHERE "Name" = ?1""";

    // Index RemotevolumeNameOnly.
    internal const string State = """SELECT "State" FROM "Remotevolume" WHERE "Name" = ?1""";

    // Reads the whole table, which is the answer, in row order.
    internal const string All = $"""SELECT {Entry} FROM "Remotevolume" ORDER BY "ID" """;

    // Row ids of Fileset and Remotevolume.
    internal const string OfFileset =
        $"""SELECT {Entry} FROM "Remotevolume" WHERE "ID" = (SELECT "VolumeID" FROM "Fileset" WHERE "ID" = ?1)""";

    // Index RemotevolumeName for both sides.
    internal const string Duplicates = """
        SELECT DISTINCT "Name", "State" FROM "Remotevolume" AS "Present"
        WHERE "State" NOT IN ('Deleted', 'Deleting')
          AND EXISTS (SELECT 1 FROM "Remotevolume" AS "Gone" WHERE "Gone"."Name" = "Present"."Name" AND "Gone"."State" IN ('Deleted', 'Deleting'))
        """;

    // Appends by row id.
    internal const string Insert = """
        INSERT INTO "Remotevolume" ("OperationID", "Name", "Type", "State", "Size", "VerificationCount", "DeleteGraceTime", "ArchiveTime", "LockExpirationTime")
        VALUES (?1, ?2, ?3, ?4, ?5, 0, ?6, 0, 0)
        """;

    // Reads DuplicateBlock, which has no index on VolumeID. Ids are given again, and rows of a removed volume are still there.
    internal const string ForgetCopies = """DELETE FROM "DuplicateBlock" WHERE "VolumeID" = ?1""";

    // Index RemotevolumeNameOnly.
    internal const string Update =
        """UPDATE "Remotevolume" SET "OperationID" = ?1, "State" = ?2, "Hash" = ?3, "Size" = ?4 WHERE "Name" = ?5""";

    // Index RemotevolumeNameOnly.
    internal const string SetDeleteGraceTime = """UPDATE "Remotevolume" SET "DeleteGraceTime" = ?1 WHERE "Name" = ?2""";

    // Index RemotevolumeNameOnly.
    internal const string SetArchiveTime = """UPDATE "Remotevolume" SET "ArchiveTime" = ?1 WHERE "Name" = ?2""";

    // Index RemotevolumeName.
    internal const string Unlink = """DELETE FROM "Remotevolume" WHERE "Name" = ?1 AND "State" = ?2""";

    // Index RemotevolumeNameOnly.
    internal const string Rename = """UPDATE "Remotevolume" SET "Name" = ?2 WHERE "Name" = ?1""";

    // Appends by row id.
    internal const string InsertIndexBlockLink = """INSERT INTO "IndexBlockLink" ("IndexVolumeID", "BlockVolumeID") VALUES (?1, ?2)""";

    // Reads the whole table, one row a volume; old versions stored ticks, which have more than 12 digits.
    internal const string PurgeDeleted =
        """DELETE FROM "Remotevolume" WHERE "State" = 'Deleted' AND ("DeleteGraceTime" < ?1 OR length("DeleteGraceTime") > 12)""";
}

internal static class VolumeLockSql
{
    // Index RemotevolumeNameOnly.
    internal const string Set = """UPDATE "Remotevolume" SET "LockExpirationTime" = ?2 WHERE "Name" = ?1""";

    // Small table, one row a volume.
    internal const string All = """SELECT "Name", "LockExpirationTime" FROM "Remotevolume" ORDER BY "ID" """;

    // Small table, one row a volume.
    internal const string Unknown =
        """SELECT "Name", "LockExpirationTime" FROM "Remotevolume" WHERE "LockExpirationTime" = 0 ORDER BY "ID" """;
}
