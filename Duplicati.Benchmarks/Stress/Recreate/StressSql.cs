// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

namespace Duplicati.Benchmarks.Stress.Recreate;

/// <summary>
/// Statements on the databases of a cycle. They are small and read as a whole: each is a scan, with look-ups by primary keys.
/// </summary>
internal static class StressSql
{
    /// <summary>Blocks with their volumes.</summary>
    public const string BLOCKS = """
        SELECT "Block"."ID", "Block"."Hash", "Block"."Size", "Remotevolume"."Name" FROM "Block" JOIN "Remotevolume" ON "Remotevolume"."ID" = "Block"."VolumeID"
        """;

    /// <summary>Other copies of blocks.</summary>
    public const string DUPLICATES = """
        SELECT "DuplicateBlock"."BlockID", "Remotevolume"."Name" FROM "DuplicateBlock" JOIN "Remotevolume" ON "Remotevolume"."ID" = "DuplicateBlock"."VolumeID"
        """;

    /// <summary>Blocks that are in volumes and that nothing uses.</summary>
    public const string DELETED = """
        SELECT "DeletedBlock"."Hash", "DeletedBlock"."Size", "Remotevolume"."Name" FROM "DeletedBlock" JOIN "Remotevolume" ON "Remotevolume"."ID" = "DeletedBlock"."VolumeID"
        """;

    /// <summary>The blocks of contents.</summary>
    public const string CONTENTS = """SELECT "BlocksetID", "BlockID" FROM "BlocksetEntry" """;

    /// <summary>The lists of blocks of contents.</summary>
    public const string LISTS = """SELECT "BlocksetID", "Hash" FROM "BlocklistHash" """;

    /// <summary>The entries of all versions with their contents and metadata.</summary>
    public const string ENTRIES = """
        SELECT "Fileset"."Timestamp", "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Metadataset"."BlocksetID"
        FROM "FilesetEntry"
        JOIN "Fileset" ON "Fileset"."ID" = "FilesetEntry"."FilesetID"
        JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        """;

    /// <summary>Falsifies a database: its newest entry is no longer in its version.</summary>
    public const string FALSIFY = """DELETE FROM "FilesetEntry" WHERE "FileID" = (SELECT MAX("FileID") FROM "FilesetEntry")""";
}
