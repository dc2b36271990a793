// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Repair;

/// <summary>
/// Replaces rows of metadata and of files by others. What replaces what is in the temporary tables MetadataMerge and FileMerge.
/// </summary>
/// <remarks>Must be called with the connection lock held. Nothing here commits.</remarks>
internal static class Merges
{
    // FileLookupMetadataID for the metadata concerned: files that will be equal are replaced by the one with the lowest id.
    private const string FindFilesThatBecomeEqual = """
        INSERT INTO temp."FileMerge" ("Old", "New")
        SELECT "ID", "First" FROM (
            SELECT "ID", MIN("ID") OVER (PARTITION BY "PrefixID", "Path", "BlocksetID", "MetadataID") AS "First"
            FROM (
                SELECT l."ID" AS "ID", l."PrefixID" AS "PrefixID", l."Path" AS "Path", l."BlocksetID" AS "BlocksetID", m."New" AS "MetadataID"
                FROM temp."MetadataMerge" m CROSS JOIN "FileLookup" l ON l."MetadataID" = m."Old"
                UNION ALL
                SELECT l."ID", l."PrefixID", l."Path", l."BlocksetID", l."MetadataID"
                FROM (SELECT DISTINCT "New" FROM temp."MetadataMerge") n CROSS JOIN "FileLookup" l ON l."MetadataID" = n."New"))
        WHERE "ID" <> "First"
        """;

    // FilesetentryFileIdIndex for the files replaced; where a fileset has both, its entry stays and the other goes below.
    private const string RedirectEntries = """
        UPDATE OR IGNORE "FilesetEntry"
        SET "FileID" = (SELECT f."New" FROM temp."FileMerge" f WHERE f."Old" = "FilesetEntry"."FileID")
        WHERE "FileID" IN (SELECT "Old" FROM temp."FileMerge")
        """;

    // FilesetentryFileIdIndex for the files replaced.
    private const string DeleteEntries = """DELETE FROM "FilesetEntry" WHERE "FileID" IN (SELECT "Old" FROM temp."FileMerge")""";

    // By id.
    private const string DeleteFiles = """DELETE FROM "FileLookup" WHERE "ID" IN (SELECT "Old" FROM temp."FileMerge")""";

    // FileLookupMetadataID for the metadata replaced.
    private const string RedirectFiles = """
        UPDATE "FileLookup"
        SET "MetadataID" = (SELECT m."New" FROM temp."MetadataMerge" m WHERE m."Old" = "FileLookup"."MetadataID")
        WHERE "MetadataID" IN (SELECT "Old" FROM temp."MetadataMerge")
        """;

    // By id.
    private const string DeleteMetadata = """DELETE FROM "Metadataset" WHERE "ID" IN (SELECT "Old" FROM temp."MetadataMerge")""";

    /// <summary>Puts the files' replacements in all filesets and deletes the files.</summary>
    internal static void ReplaceFiles(DatabaseSession session)
    {
        session.Run(RedirectEntries);
        session.Run(DeleteEntries);
        session.Run(DeleteFiles);
    }

    /// <summary>
    /// Gives all files the metadata's replacements and deletes the metadata. Files that become equal by that are made one, with the lowest
    /// id.
    /// </summary>
    internal static void ReplaceMetadata(DatabaseSession session)
    {
        // Before the files change: equal files would violate the unique index.
        RepairTables.FileMerge.Reset(session);
        session.Run(FindFilesThatBecomeEqual);
        ReplaceFiles(session);
        session.Run(RedirectFiles);
        session.Run(DeleteMetadata);
    }
}

/// <summary>The temporary tables of repairs. Each has a primary key or an index for every column that it is joined on.</summary>
internal static class RepairTables
{
    // Metadata to be replaced, by id.
    private const string CreateMetadata =
        """CREATE TEMP TABLE IF NOT EXISTS "MetadataMerge" ("Old" INTEGER PRIMARY KEY, "New" INTEGER NOT NULL)""";

    // Files to be replaced, by id.
    private const string CreateFiles =
        """CREATE TEMP TABLE IF NOT EXISTS "FileMerge" ("Old" INTEGER PRIMARY KEY, "New" INTEGER NOT NULL)""";

    // Blocksets without content that metadata uses, by id.
    private const string CreateBlocksets = """CREATE TEMP TABLE IF NOT EXISTS "ZeroLengthBlockset" ("ID" INTEGER PRIMARY KEY)""";

    internal static readonly TempTable MissingBlock = new("MissingBlock", MissingBlockList.CreateSql);
    internal static readonly TempTable MetadataMerge = new("MetadataMerge", CreateMetadata);
    internal static readonly TempTable FileMerge = new("FileMerge", CreateFiles);
    internal static readonly TempTable ZeroLengthBlockset = new("ZeroLengthBlockset", CreateBlocksets);
}
