// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.Main.Database.Testing;

/// <summary>Choosing volumes to test and counting the tests. Remotevolume has one row a volume and Fileset one a version.</summary>
internal static class TestTargetSql
{
    /// <summary>Column "Type" of <see cref="Candidates"/>: list volumes.</summary>
    internal const long Lists = 1;

    /// <summary>Index volumes.</summary>
    internal const long Indexes = 2;

    /// <summary>Block volumes.</summary>
    internal const long Blocks = 3;

    // Reads the whole table, one row a volume, in row order; numbers only.
    internal const string Candidates = """
        SELECT "ID", CASE "Type" WHEN 'Files' THEN 1 WHEN 'Index' THEN 2 WHEN 'Blocks' THEN 3 ELSE 0 END,
            COALESCE("Size", 0) <= 0 OR COALESCE("Hash", '') = '', "VerificationCount"
        FROM "Remotevolume"
        WHERE "State" IN ('Uploaded', 'Verified') AND "ArchiveTime" = 0
        ORDER BY "ID"
        """;

    // Row id.
    internal const string Volume = """SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "ID" = ?1""";

    // Reads the whole table, one row a version.
    internal const string ListVolumes = """SELECT "ID", "VolumeID" FROM "Fileset" ORDER BY "Timestamp", "ID" """;

    // Index RemotevolumeNameOnly; reads the whole table for the highest count, one row a volume.
    internal const string CountVerification = """
        UPDATE "Remotevolume"
        SET "VerificationCount" = MAX(1, CASE
            WHEN "VerificationCount" <= 0 THEN (SELECT MAX("VerificationCount") FROM "Remotevolume")
            ELSE "VerificationCount" + 1 END)
        WHERE "Name" = ?1
        """;
}
