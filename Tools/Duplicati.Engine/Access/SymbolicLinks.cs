// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Access;

/// <summary>
/// The symbolic links of a version. Of a link its metadata is all there is: the target is in it. Its path does not tell it, as that of a
/// link to a folder ends like that of a folder.
/// </summary>
internal static class SymbolicLinks
{
    /// <summary>Part of the key of FilesetEntry; FileLookup and PathPrefix by id.</summary>
    private const string PATHS = """
        SELECT "p"."Prefix" || "l"."Path"
        FROM "FilesetEntry" "e"
        CROSS JOIN "FileLookup" "l" ON "l"."ID" = "e"."FileID" AND "l"."BlocksetID" = @link
        CROSS JOIN "PathPrefix" "p" ON "p"."ID" = "l"."PrefixID"
        WHERE "e"."FilesetID" = @fileset
        """;

    /// <summary>
    /// Metadata that only links have. Part of the key of FilesetEntry; FileLookup and Metadataset by id; FileLookupMetadataID.
    /// </summary>
    private const string METADATA = """
        SELECT DISTINCT "m"."ID", "m"."BlocksetID"
        FROM "FilesetEntry" "e"
        CROSS JOIN "FileLookup" "l" ON "l"."ID" = "e"."FileID" AND "l"."BlocksetID" = @link
        CROSS JOIN "Metadataset" "m" ON "m"."ID" = "l"."MetadataID"
        WHERE "e"."FilesetID" = @fileset
            AND NOT EXISTS (SELECT 1 FROM "FileLookup" "o" WHERE "o"."MetadataID" = "m"."ID" AND "o"."BlocksetID" <> @link)
        """;

    /// <summary>By id.</summary>
    private const string SET_METADATA = """
        UPDATE "Metadataset" SET "BlocksetID" = @blockset WHERE "ID" = @id AND "BlocksetID" <> @blockset
        """;

    /// <summary>Full paths, as they are recorded.</summary>
    internal static HashSet<string> Paths(LocalDatabase database, long filesetId) =>
        DumpQuery
            .Rows(database.Connection, PATHS, x => x.GetString(0), ("@link", LocalDatabase.SYMLINK_BLOCKSET_ID), ("@fileset", filesetId))
            .ToHashSet(StringComparer.Ordinal);

    /// <summary>The metadata that only links have: rows of Metadataset, and their content.</summary>
    internal static List<(long Id, long BlocksetId)> Metadata(LocalDatabase database, long filesetId) =>
        [
            .. DumpQuery.Rows(
                database.Connection,
                METADATA,
                x => (x.GetInt64(0), x.GetInt64(1)),
                ("@link", LocalDatabase.SYMLINK_BLOCKSET_ID),
                ("@fileset", filesetId)
            ),
        ];

    /// <summary>Gives metadata their former content back. Does not commit.</summary>
    /// <returns>How many had got another one since.</returns>
    internal static int PutBack(LocalDatabase database, IEnumerable<(long Id, long BlocksetId)> metadata) =>
        metadata.Sum(x => DumpQuery.Execute(database.Connection, SET_METADATA, ("@id", x.Id), ("@blockset", x.BlocksetId)));
}
