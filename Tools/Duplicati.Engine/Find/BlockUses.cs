// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Reports;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Find;

/// <summary>
/// Which files use which blocks, from either side, row by row: nothing is kept. All but <see cref="ListsOf(FoundKey)"/> and
/// <see cref="ListsIn"/> goes by indexes.
/// </summary>
internal sealed class BlockUses(SqliteConnection connection, KnownNames names, IEngineProgress progress, CancellationToken token)
{
    /// <summary>nn_FileLookup_BlockMeta; PathPrefix by row id.</summary>
    internal const string FILES_OF_CONTENT = """
        SELECT "FileLookup"."ID", "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "FileLookup" CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FileLookup"."BlocksetID" = $content
        """;

    /// <summary>MetadatasetBlocksetID, FileLookupMetadataID; PathPrefix by row id.</summary>
    internal const string FILES_OF_METADATA = """
        SELECT "FileLookup"."ID", "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "Metadataset"
        CROSS JOIN "FileLookup" ON "FileLookup"."MetadataID" = "Metadataset"."ID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "Metadataset"."BlocksetID" = $content
        """;

    /// <summary>BlocksetEntry_IndexIdsBackwards.</summary>
    internal const string CONTENTS_OF_BLOCK = """SELECT "BlocksetID", "Index" FROM "BlocksetEntry" WHERE "BlockID" = $block""";

    /// <summary>The primary key in its order; Block by row id.</summary>
    internal const string BLOCKS_OF_CONTENT = """
        SELECT "BlocksetEntry"."Index", "Block"."ID", "Block"."Hash", "Block"."Size", "Block"."VolumeID"
        FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        WHERE "BlocksetEntry"."BlocksetID" = $content
        ORDER BY "BlocksetEntry"."Index"
        """;

    /// <summary>BlocklistHashBlocksetIDIndex in its order; BlockHashSize.</summary>
    internal const string LISTS_OF_CONTENT = """
        SELECT "BlocklistHash"."Index", "Block"."ID", "Block"."Hash", "Block"."Size", "Block"."VolumeID"
        FROM "BlocklistHash" CROSS JOIN "Block" ON "Block"."Hash" = "BlocklistHash"."Hash"
        WHERE "BlocklistHash"."BlocksetID" = $content
        ORDER BY "BlocklistHash"."Index"
        """;

    /// <summary>The primary key; Block by row id. All blocks of a content but the last have this size.</summary>
    internal const string FIRST_SIZE = """
        SELECT "Block"."Size" FROM "BlocksetEntry" CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        WHERE "BlocksetEntry"."BlocksetID" = $content AND "BlocksetEntry"."Index" = 0
        """;

    /// <summary>Block_IndexByVolumeId.</summary>
    internal const string BLOCKS_OF_VOLUME = """SELECT "ID", "Hash", "Size", "VolumeID" FROM "Block" WHERE "VolumeID" = $volume""";

    /// <summary>A part of BlocklistHash by row id: no index has the hash.</summary>
    internal const string LISTS_OF_HASH = """
        SELECT "BlocksetID", "Index" FROM "BlocklistHash" WHERE "rowid" BETWEEN $first AND $last AND "Hash" = $hash
        """;

    /// <summary>A part of BlocklistHash by row id; BlockHashVolumeID.</summary>
    internal const string LISTS_OF_VOLUME = """
        SELECT "BlocklistHash"."BlocksetID", "BlocklistHash"."Index", "Block"."ID", "Block"."Hash", "Block"."Size"
        FROM "BlocklistHash"
        CROSS JOIN "Block" ON "Block"."Hash" = "BlocklistHash"."Hash" AND "Block"."VolumeID" = $volume
        WHERE "BlocklistHash"."rowid" BETWEEN $first AND $last
        """;

    /// <summary>The last row by row id.</summary>
    internal const string LAST_LIST = """SELECT COALESCE(MAX("rowid"), 0) FROM "BlocklistHash" """;

    /// <summary>The primary key in its order; FileLookup, PathPrefix and Metadataset by row id.</summary>
    internal const string FILES_OF_VERSION = """
        SELECT "FileLookup"."ID", "PathPrefix"."Prefix" || "FileLookup"."Path", "FileLookup"."BlocksetID", "Metadataset"."BlocksetID"
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        LEFT JOIN "Metadataset" ON "Metadataset"."ID" = "FileLookup"."MetadataID"
        WHERE "FilesetEntry"."FilesetID" = $version
        """;

    // Between two looks at whether somebody has enough of it.
    private const long RowsAtOnce = 100_000;

    /// <summary>Uses of a block.</summary>
    internal IEnumerable<FoundUse> Of(FoundKey block) =>
        from entry in Rows(CONTENTS_OF_BLOCK, row => (Content: row.GetInt64(0), Index: row.GetInt64(1)), ("$block", block.Id))
        let offset = entry.Index == 0 ? 0 : entry.Index * FirstSize(entry.Content)
        from use in Files(entry.Content)
        select Use(use.File, use.Role, offset, block);

    /// <summary>Uses of a block as a list of blocks: reads all of BlocklistHash.</summary>
    internal IEnumerable<FoundUse> ListsOf(FoundKey block) =>
        from part in Parts()
        from list in Rows(
            LISTS_OF_HASH,
            row => (Content: row.GetInt64(0), Index: row.GetInt64(1)),
            ("$first", part.First),
            ("$last", part.Last),
            ("$hash", block.Hash)
        )
        from file in ContentFiles(list.Content)
        select Use(file, BlockRole.List, ListOffset(list.Content, list.Index, block.Hash), block);

    /// <summary>Uses of the blocks of a volume.</summary>
    internal IEnumerable<FoundUse> In(long volume) =>
        Rows(
                BLOCKS_OF_VOLUME,
                row => new FoundKey(row.GetInt64(0), row.GetString(1), row.GetInt64(2), row.GetInt64(3)),
                ("$volume", volume)
            )
            .SelectMany(Of);

    /// <summary>Uses of the blocks of a volume as lists of blocks: reads all of BlocklistHash.</summary>
    internal IEnumerable<FoundUse> ListsIn(long volume) =>
        from part in Parts()
        from list in Rows(
            LISTS_OF_VOLUME,
            row =>
                (
                    Content: row.GetInt64(0),
                    Index: row.GetInt64(1),
                    Block: new FoundKey(row.GetInt64(2), row.GetString(3), row.GetInt64(4), volume)
                ),
            ("$first", part.First),
            ("$last", part.Last),
            ("$volume", volume)
        )
        from file in ContentFiles(list.Content)
        select Use(file, BlockRole.List, ListOffset(list.Content, list.Index, list.Block.Hash), list.Block);

    /// <summary>The blocks of the files that have a content.</summary>
    internal IEnumerable<FoundUse> OfContent(long content) =>
        ContentFiles(content).SelectMany(file => OfFile(new FoundFile(file.Id, file.Path, content, null)));

    /// <summary>The blocks of all files of a version.</summary>
    internal IEnumerable<FoundUse> OfVersion(long version) =>
        Rows(
                FILES_OF_VERSION,
                row => new FoundFile(row.GetInt64(0), row.GetString(1), row.GetInt64(2), row.NumberOrNull(3)),
                ("$version", version)
            )
            .SelectMany(OfFile);

    /// <summary>The blocks of a file: its content, the lists of it, and its metadata.</summary>
    internal IEnumerable<FoundUse> OfFile(FoundFile file) =>
        Blocks(BLOCKS_OF_CONTENT, file.Content)
            .Select(x => Use((file.Id, file.Path), BlockRole.Content, x.Index == 0 ? 0 : x.Index * FirstSize(file.Content), x.Block))
            .Concat(
                Blocks(LISTS_OF_CONTENT, file.Content)
                    .Select(x => Use((file.Id, file.Path), BlockRole.List, ListOffset(file.Content, x.Index, x.Block.Hash), x.Block))
            )
            .Concat(
                (file.Metadata is { } metadata ? Blocks(BLOCKS_OF_CONTENT, metadata) : []).Select(x =>
                    Use((file.Id, file.Path), BlockRole.Metadata, x.Index == 0 ? 0 : x.Index * FirstSize(file.Metadata!.Value), x.Block)
                )
            );

    private (long Content, long Size) m_first = (-1, 0);

    private long FirstSize(long content)
    {
        if (m_first.Content != content)
            m_first = (content, Rows(FIRST_SIZE, row => row.GetInt64(0), ("$content", content)).FirstOrDefault());
        return m_first.Size;
    }

    // A list has as many hashes as go into a block.
    private long ListOffset(long content, long index, string hash)
    {
        if (index == 0)
            return 0;
        var (size, digest) = (FirstSize(content), hash.AsSpan().TrimEnd('=').Length * 3 / 4);
        return index * (size / Math.Max(1, digest)) * size;
    }

    private IEnumerable<((long Id, string Path) File, BlockRole Role)> Files(long content) =>
        ContentFiles(content)
            .Select(x => (x, BlockRole.Content))
            .Concat(Rows(FILES_OF_METADATA, File, ("$content", content)).Select(x => (x, BlockRole.Metadata)));

    private IEnumerable<(long Id, string Path)> ContentFiles(long content) => Rows(FILES_OF_CONTENT, File, ("$content", content));

    private static (long Id, string Path) File(SqliteDataReader row) => (row.GetInt64(0), row.GetString(1));

    private IEnumerable<(long Index, FoundKey Block)> Blocks(string sql, long content) =>
        Rows(
            sql,
            row => (row.GetInt64(0), new FoundKey(row.GetInt64(1), row.GetString(2), row.GetInt64(3), row.GetInt64(4))),
            ("$content", content)
        );

    private FoundUse Use((long Id, string Path) file, BlockRole role, long offset, FoundKey block) =>
        new(file.Path, names.VersionsOf(file.Id), role, offset, block.Hash, block.Size, names.Volume(block.Volume));

    private IEnumerable<(long First, long Last)> Parts()
    {
        var last = DumpQuery.Number(connection, LAST_LIST);
        for (var first = 1L; first <= last; first += RowsAtOnce)
        {
            progress.Advance("lists of blocks", first - 1, last);
            yield return (first, first + RowsAtOnce - 1);
        }
    }

    private IEnumerable<T> Rows<T>(string sql, Func<SqliteDataReader, T> read, params (string, object)[] parameters)
    {
        foreach (var row in DumpQuery.Rows(connection, sql, read, parameters))
        {
            token.ThrowIfCancellationRequested();
            yield return row;
        }
    }
}

/// <summary>A block.</summary>
/// <param name="Id">Its row.</param>
/// <param name="Hash">Its hash.</param>
/// <param name="Size">Its bytes.</param>
/// <param name="Volume">The row of its volume.</param>
internal sealed record FoundKey(long Id, string Hash, long Size, long Volume);

/// <summary>A file of one content.</summary>
/// <param name="Id">Its row.</param>
/// <param name="Path">Its path.</param>
/// <param name="Content">The row of its content; of none if it has no bytes of its own.</param>
/// <param name="Metadata">The row of the content of its metadata; null if it has none.</param>
internal sealed record FoundFile(long Id, string Path, long Content, long? Metadata);
