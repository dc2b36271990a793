// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.FileLists;

/// <summary>Reads the entries of a fileset in the order of a list volume, in pages of bounded size.</summary>
internal static class FileListReads
{
    private const string EntryColumns = """
        "PathPrefix"."Prefix" || "FileLookup"."Path" AS "Path", "FileLookup"."BlocksetID" AS "BlocksetID", "FilesetEntry"."Lastmodified" AS "Lastmodified",
        "Data"."FullHash" AS "FileHash", "Data"."Length" AS "FileSize", "DataBlock"."Hash" AS "FirstBlockHash", "DataBlock"."Size" AS "FirstBlockSize",
        "Meta"."ID" AS "MetaBlocksetID", "Meta"."FullHash" AS "MetaHash", "Meta"."Length" AS "MetaSize", "MetaBlock"."Hash" AS "FirstMetaBlockHash"
        """;

    private const string EntryTables = """
        "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "DataEntry" ON "DataEntry"."BlocksetID" = "Data"."ID" AND "DataEntry"."Index" = 0
        LEFT JOIN "Block" AS "DataBlock" ON "DataBlock"."ID" = "DataEntry"."BlockID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "MetaEntry" ON "MetaEntry"."BlocksetID" = "Meta"."ID" AND "MetaEntry"."Index" = 0
        LEFT JOIN "Block" AS "MetaBlock" ON "MetaBlock"."ID" = "MetaEntry"."BlockID"
        LEFT JOIN "BlocklistHash" AS "MetaList" ON "MetaList"."BlocksetID" = "Meta"."ID"
        """;

    // Primary keys and BlocklistHashBlocksetIDIndex.
    internal const string Files = $"""
        SELECT {EntryColumns}, "DataList"."Hash" AS "BlocklistHash", "MetaList"."Hash" AS "MetaBlocklistHash"
        FROM {EntryTables}
        LEFT JOIN "BlocklistHash" AS "DataList" ON "DataList"."BlocksetID" = "Data"."ID"
        WHERE "FilesetEntry"."FilesetID" = @FilesetId AND "FileLookup"."BlocksetID" >= 0
        ORDER BY "Path", "DataList"."Index", "MetaList"."Index"
        """;

    // Primary keys and BlocklistHashBlocksetIDIndex.
    internal const string FoldersAndSymlinks = $"""
        SELECT {EntryColumns}, "MetaList"."Hash" AS "MetaBlocklistHash"
        FROM {EntryTables}
        WHERE "FilesetEntry"."FilesetID" = @FilesetId AND "FileLookup"."BlocksetID" IN (@FolderBlocksetId, @SymlinkBlocksetId) AND "MetaBlock"."ID" IS NOT NULL
        ORDER BY "Path", "MetaList"."Index"
        """;

    // Primary keys.
    private const string Entry = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "FilesetEntry"."Lastmodified",
            "Data"."FullHash", "Data"."Length", "DataBlock"."Hash", "DataBlock"."Size",
            "Meta"."ID", "Meta"."FullHash", "Meta"."Length", "MetaBlock"."Hash"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Blockset" AS "Data" ON "Data"."ID" = "FileLookup"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "DataEntry" ON "DataEntry"."BlocksetID" = "Data"."ID" AND "DataEntry"."Index" = 0
        LEFT JOIN "Block" AS "DataBlock" ON "DataBlock"."ID" = "DataEntry"."BlockID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        LEFT JOIN "Blockset" AS "Meta" ON "Meta"."ID" = "Metadataset"."BlocksetID"
        LEFT JOIN "BlocksetEntry" AS "MetaEntry" ON "MetaEntry"."BlocksetID" = "Meta"."ID" AND "MetaEntry"."Index" = 0
        LEFT JOIN "Block" AS "MetaBlock" ON "MetaBlock"."ID" = "MetaEntry"."BlockID"
        WHERE "FilesetEntry"."FilesetID" = ?1 AND "FilesetEntry"."FileID" = ?2
        """;

    // BlocklistHashBlocksetIDIndex.
    private const string BlocklistsSql = """SELECT "Hash" FROM "BlocklistHash" WHERE "BlocksetID" = ?1 ORDER BY "Index" """;

    private const int PAGE_ENTRIES = 512;
    private const int PAGE_BLOCKLISTS = 16384;

    /// <summary>The file ids of a fileset by full path (order of the bytes); 8 bytes an entry.</summary>
    internal static List<long> Order(DatabaseSession session, long filesetId, string sql)
    {
        using var select = session.Take(sql);
        return select.Bind(1, filesetId).ReadAll(static row => row.GetInt64(0));
    }

    /// <summary>
    /// Some entries, beginning at a position of the order; at least one id is consumed. About ten index look-ups an entry.
    /// </summary>
    internal static FileListPage Page(DatabaseSession session, long filesetId, List<long> order, int position)
    {
        var entries = new List<FileListEntry>(PAGE_ENTRIES);
        var blocklists = 0;
        using var select = session.Take(Entry);
        using var hashes = session.Take(BlocklistsSql);
        while (position < order.Count && entries.Count < PAGE_ENTRIES && blocklists < PAGE_BLOCKLISTS)
        {
            select.Bind(1, filesetId).Bind(2, order[position++]);
            if (select.Read())
            {
                var entry = Read(select, hashes);
                entries.Add(entry);
                blocklists += entry.Blocklists?.Length ?? 0;
            }

            select.Reset();
        }

        return new FileListPage(entries, position);
    }

    private static FileListEntry Read(Statement row, Statement hashes) =>
        new()
        {
            Path = row.GetString(0) ?? "",
            BlocksetId = row.GetInt64(1),
            LastModified = row.GetInt64(2),
            FileHash = row.GetString(3),
            FileSize = row.GetInt64(4, -1),
            FirstBlockHash = row.GetString(5),
            FirstBlockSize = row.GetInt64(6, -1),
            MetaHash = row.GetString(8),
            MetaSize = row.GetInt64(9, -1),
            FirstMetaBlockHash = row.GetString(10),
            Blocklists = ReadHashes(hashes, row.GetInt64(1)),
            MetaBlocklists = ReadHashes(hashes, row.GetInt64(7, -1)),
        };

    private static string[]? ReadHashes(Statement hashes, long blocksetId)
    {
        if (blocksetId < 0)
            return null;

        List<string>? result = null;
        hashes.Bind(1, blocksetId);
        while (hashes.Read())
            (result ??= []).Add(hashes.GetString(0) ?? "");
        return result?.ToArray();
    }
}

/// <summary>Some entries of a fileset.</summary>
/// <param name="Entries">The entries.</param>
/// <param name="Next">The position in the order where the next page begins.</param>
internal readonly record struct FileListPage(List<FileListEntry> Entries, int Next);

/// <summary>
/// An entry of a fileset with all that a list volume says about it. Hashes are Base64; what is not recorded is null or -1.
/// </summary>
internal sealed record FileListEntry
{
    internal required string Path { get; init; }

    /// <summary>The blockset of the data, or the mark of a folder or symbolic link.</summary>
    internal required long BlocksetId { get; init; }

    /// <summary>Time of the last change in ticks, UTC.</summary>
    internal required long LastModified { get; init; }

    internal required string? FileHash { get; init; }

    internal required long FileSize { get; init; }

    internal required string? FirstBlockHash { get; init; }

    internal required long FirstBlockSize { get; init; }

    internal required string? MetaHash { get; init; }

    internal required long MetaSize { get; init; }

    internal required string? FirstMetaBlockHash { get; init; }

    /// <summary>The blocklists of the data in order, or null if there are none.</summary>
    internal required string[]? Blocklists { get; init; }

    /// <summary>The blocklists of the metadata in order, or null if there are none.</summary>
    internal required string[]? MetaBlocklists { get; init; }

    internal bool IsFolder => BlocksetId == SpecialBlocksets.Folder;

    internal bool IsFile => BlocksetId >= 0;

    /// <summary>A folder or link without metadata that can be restored is left out of the list.</summary>
    internal bool IsListed => IsFile || FirstMetaBlockHash is not null;
}
