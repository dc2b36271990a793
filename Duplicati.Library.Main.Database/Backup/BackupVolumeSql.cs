// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Backup;

internal static class BackupVolumeSql
{
    // Reads Remotevolume and IndexBlockLink, a row a volume each.
    internal const string WithoutIndex = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Blocks' AND "State" IN ('Uploaded', 'Verified')
          AND "ID" NOT IN (SELECT "BlockVolumeID" FROM "IndexBlockLink")
        ORDER BY "ID"
        """;

    // Row id of Remotevolume from the end; short, the newest volumes are block volumes.
    internal const string LastUploadedSize =
        """SELECT "Size" FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" = 'Uploaded' ORDER BY "ID" DESC LIMIT 1""";
}

/// <summary>The table has no index: it has one row a source volume and fileset.</summary>
internal static class ChangeJournalSql
{
    // Reads ChangeJournalData.
    internal const string OfFileset =
        """SELECT "VolumeName", "JournalID", "NextUsn", "ConfigHash" FROM "ChangeJournalData" WHERE "FilesetID" = ?1 ORDER BY "ID" """;

    // Appends by row id.
    internal const string Insert =
        """INSERT INTO "ChangeJournalData" ("FilesetID", "VolumeName", "JournalID", "NextUsn", "ConfigHash") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Reads ChangeJournalData.
    internal const string Update =
        """UPDATE "ChangeJournalData" SET "NextUsn" = ?1 WHERE "VolumeName" = ?2 AND "FilesetID" = ?3 AND "JournalID" = ?4""";
}
