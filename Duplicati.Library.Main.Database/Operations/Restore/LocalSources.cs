// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>Missing blocks that any backed-up file on this machine may hold, file by file in the order of targets.</summary>
internal sealed class LocalSources
{
    // One scan of the block list.
    private const string MissingSql = """
        SELECT "Metadata", "FileID", "Index" FROM temp."RestoreBlock" WHERE "Restored" = 0 ORDER BY "Metadata", "FileID", "Index"
        """;

    // BlocksetEntry_IndexIdsBackwards (BlockID), nn_FileLookup_BlockMeta (BlocksetID), PathPrefix by id.
    private const string PlacesOfBlock = """
        SELECT DISTINCT p."Prefix" || l."Path", e."Index"
        FROM "BlocksetEntry" e
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        CROSS JOIN "PathPrefix" p ON p."ID" = l."PrefixID"
        WHERE e."BlockID" = ?1
        ORDER BY 1, 2
        """;

    // As PlacesOfBlock; stops at the first.
    private const string HasPlaceSql = """
        SELECT 1
        FROM "BlocksetEntry" e
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        WHERE e."BlockID" = ?1
        LIMIT 1
        """;

    // The key of the block list, then as HasPlace, for blocks of metadata.
    private const string HasPlaceOfRange = """
        SELECT 1
        FROM temp."RestoreBlock" k
        CROSS JOIN "BlocksetEntry" e ON e."BlockID" = k."BlockID"
        CROSS JOIN "FileLookup" l ON l."BlocksetID" = e."BlocksetID"
        WHERE k."Metadata" = 1 AND k."FileID" = ?1 AND k."Index" BETWEEN ?2 AND ?3
        LIMIT 1
        """;

    private readonly DatabaseSession m_session;
    private readonly RestoreBlockList m_blocks;
    private readonly long m_blocksize;
    private long m_lastBlock = -1;
    private List<Place> m_lastPlaces = [];

    private LocalSources(DatabaseSession session, RestoreBlockList blocks, long blocksize)
    {
        m_session = session;
        m_blocks = blocks;
        m_blocksize = blocksize;
    }

    internal static IAsyncEnumerable<LocalRestoreDatabase.ILocalBlockSource> ReadAsync(
        DatabaseSession session,
        RestoreFileList list,
        bool skipMetadata,
        long blocksize,
        CancellationToken token
    )
    {
        var sources = new LocalSources(session, list.Blocks, blocksize);
        MissingRanges missing = null!;
        TargetSnapshot targets = default;
        return Paged.RowsAsync(session, Ids, Read, token);

        IReadOnlyList<long> Ids(DatabaseSession s)
        {
            if (!list.Exists)
                return [];
            list.Blocks.Build();
            missing = MissingRanges.Read(s, MissingSql);
            targets = list.Targets();
            return list.IdsByTarget(targets);
        }

        LocalRestoreDatabase.ILocalBlockSource? Read(DatabaseSession s, long id)
        {
            // A rollback since the last page may have taken the list with it.
            list.Blocks.Build();
            var withMetadata = !skipMetadata && missing.Of(id, true).Any(x => HasPlace(s, x));
            return (withMetadata || missing.Has(id, false)) && RestoreEntry.Read(s, id) is { } entry
                ? new Source(sources, targets.Of(id, entry.Path), id, missing, withMetadata)
                : null;
        }
    }

    private async IAsyncEnumerable<LocalRestoreDatabase.IBlockDescriptor> DescribeAsync(
        Source source,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        for (var metadata = 0; metadata <= (source.WithMetadata ? 1 : 0); metadata++)
        {
            var isMetadata = metadata == 1;
            await foreach (
                var block in FileBlock
                    .OfRangesAsync(m_session, m_blocks, source.Missing.Of(source.TargetFileID, isMetadata), token)
                    .ConfigureAwait(false)
            )
            {
                // Data has the file itself as a place; a block of metadata seldom occurs in a file.
                if (!isMetadata || m_session.Do(s => HasPlace(s, block.BlockId), token))
                    yield return new Descriptor(this, block, block.Index * m_blocksize, isMetadata);
            }
        }
    }

    private static bool HasPlace(DatabaseSession session, MissingRanges.Range metadata)
    {
        using var any = session.Take(HasPlaceOfRange);
        return any.Bind(1, metadata.File).Bind(2, metadata.First).Bind(3, metadata.Last).ExecuteInt64() > 0;
    }

    private static bool HasPlace(DatabaseSession session, long block)
    {
        using var any = session.Take(HasPlaceSql);
        return any.Bind(1, block).ExecuteInt64() > 0;
    }

    // Equal blocks often follow each other, runs of zeros above all.
    private async IAsyncEnumerable<LocalRestoreDatabase.IBlockSource> PlacesAsync(
        long block,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        var places = m_lastPlaces;
        if (m_lastBlock != block)
        {
            places = await m_session.LongAsync(s => ReadPlaces(s, block), token).ConfigureAwait(false);
            (m_lastBlock, m_lastPlaces) = (block, places);
        }

        foreach (var place in places)
            yield return place;
    }

    private List<Place> ReadPlaces(DatabaseSession session, long block)
    {
        var places = new List<Place>();
        using var rows = session.Take(PlacesOfBlock);
        rows.Bind(1, block);
        while (rows.Read())
            places.Add(new Place(rows.GetString(0)!, rows.GetInt64(1) * m_blocksize));
        return places;
    }

    private sealed record Source(LocalSources Owner, string TargetPath, long TargetFileID, MissingRanges Missing, bool WithMetadata)
        : LocalRestoreDatabase.ILocalBlockSource
    {
        public IAsyncEnumerable<LocalRestoreDatabase.IBlockDescriptor> BlocksAsync(CancellationToken token) =>
            Owner.DescribeAsync(this, token);
    }

    private sealed record Descriptor(LocalSources Owner, FileBlock Block, long Offset, bool IsMetadata)
        : LocalRestoreDatabase.IBlockDescriptor
    {
        public string Hash => Block.Hash;

        public long Size => Block.Size;

        public long Index => Block.Index;

        public IAsyncEnumerable<LocalRestoreDatabase.IBlockSource> BlockSourcesAsync(CancellationToken token) =>
            Owner.PlacesAsync(Block.BlockId, token);
    }

    private sealed record Place(string Path, long Offset) : LocalRestoreDatabase.IBlockSource
    {
        public bool IsMetadata => false;
    }
}
