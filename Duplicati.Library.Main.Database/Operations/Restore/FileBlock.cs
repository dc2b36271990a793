// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>A block at its place in a file.</summary>
/// <param name="Index">Position in the file, from 0.</param>
/// <param name="BlockId">The block.</param>
/// <param name="Hash">Base64.</param>
/// <param name="Size">Bytes.</param>
internal sealed record FileBlock(long Index, long BlockId, string Hash, long Size) : LocalRestoreDatabase.IExistingFileBlock
{
    // The key of the block list, Block by id.
    private const string BlocksOfRange = """
        SELECT k."Index", k."BlockID", b."Hash", b."Size"
        FROM temp."RestoreBlock" k
        CROSS JOIN "Block" b ON b."ID" = k."BlockID"
        WHERE k."Metadata" = ?1 AND k."FileID" = ?2 AND k."Index" BETWEEN ?3 AND ?4
        ORDER BY k."Index" LIMIT ?5
        """;

    // Part of the key of BlocksetEntry, Block by id.
    private const string BlocksFrom = """
        SELECT e."Index", e."BlockID", b."Hash", b."Size"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1 AND e."Index" >= ?2
        ORDER BY e."Index" LIMIT ?3
        """;

    private const int BlocksOfPage = 4096;

    /// <summary>The blocks of a blockset in index order, a page at a time.</summary>
    internal static IAsyncEnumerable<FileBlock> OfBlocksetAsync(DatabaseSession session, long blockset, CancellationToken token) =>
        PagesAsync(
            session,
            0,
            (s, next) =>
            {
                using var rows = s.Take(BlocksFrom);
                return Read(rows.Bind(1, blockset).Bind(2, next).Bind(3, BlocksOfPage));
            },
            token
        );

    /// <summary>The blocks of ranges of the block list in index order, a page at a time.</summary>
    internal static async IAsyncEnumerable<FileBlock> OfRangesAsync(
        DatabaseSession session,
        RestoreBlockList blocks,
        IEnumerable<MissingRanges.Range> ranges,
        [EnumeratorCancellation] CancellationToken token
    )
    {
        foreach (var range in ranges)
        {
            await foreach (var block in OfRangeAsync(session, blocks, range, token).ConfigureAwait(false))
                yield return block;
        }
    }

    private static IAsyncEnumerable<FileBlock> OfRangeAsync(
        DatabaseSession session,
        RestoreBlockList blocks,
        MissingRanges.Range range,
        CancellationToken token
    ) =>
        PagesAsync(
            session,
            range.First,
            (s, next) =>
            {
                if (next > range.Last)
                    return [];
                // A rollback since the last page may have taken the list with it.
                blocks.Build();
                using var rows = s.Take(BlocksOfRange);
                return Read(
                    rows.Bind(1, range.IsMetadata ? 1 : 0).Bind(2, range.File).Bind(3, next).Bind(4, range.Last).Bind(5, BlocksOfPage)
                );
            },
            token
        );

    // Each enumeration begins at the first index.
    private static IAsyncEnumerable<FileBlock> PagesAsync(
        DatabaseSession session,
        long first,
        Func<DatabaseSession, long, List<FileBlock>> read,
        CancellationToken token
    ) =>
        Paged.PagesAsync<FileBlock>(
            session,
            () =>
            {
                var next = first;
                return s =>
                {
                    var page = read(s, next);
                    next = page.Count == 0 ? next : page[^1].Index + 1;
                    return page;
                };
            },
            token
        );

    private static List<FileBlock> Read(Statement rows) =>
        rows.ReadAll(static row => new FileBlock(row.GetInt64(0), row.GetInt64(1), row.GetString(2)!, row.GetInt64(3)));
}
