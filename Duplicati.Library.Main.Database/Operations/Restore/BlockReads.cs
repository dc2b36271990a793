// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Operation.Restore;
using Duplicati.Library.SQLiteHelper.Connections;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// Reads of committed rows through a pool of connections: block lists of single files, and volumes. Each answer is read in one
/// go and the connection given back before the first item is handed out, so a slow consumer holds nothing.
/// </summary>
/// <remarks>May be called from any number of threads at once. A file of one block costs one bound statement.</remarks>
internal static class BlockReads
{
    // Key of BlocksetEntry, Block by id.
    internal const string BlocksOfBlockset = """
        SELECT e."BlockID", b."Hash", b."Size", b."VolumeID"
        FROM "BlocksetEntry" e
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE e."BlocksetID" = ?1
        ORDER BY e."Index"
        """;

    // FileLookup and Metadataset by id, key of BlocksetEntry, Block by id.
    private const string MetadataBlocksOfFile = """
        SELECT e."BlockID", b."Hash", b."Size", b."VolumeID"
        FROM "FileLookup" l
        CROSS JOIN "Metadataset" m ON m."ID" = l."MetadataID"
        CROSS JOIN "BlocksetEntry" e ON e."BlocksetID" = m."BlocksetID"
        CROSS JOIN "Block" b ON b."ID" = e."BlockID"
        WHERE l."ID" = ?1
        ORDER BY e."Index"
        """;

    // By id.
    internal const string VolumeSql = """SELECT "Name", "Size", "Hash" FROM "Remotevolume" WHERE "ID" = ?1""";

    // The key of DuplicateBlock, Remotevolume by id. The next copy after a volume, of those in id order.
    private const string NextCopy = """
        SELECT d."VolumeID"
        FROM "DuplicateBlock" d
        CROSS JOIN "Remotevolume" v ON v."ID" = d."VolumeID" AND v."State" IN ('Uploaded', 'Verified')
        WHERE d."BlockID" = ?1 AND d."VolumeID" > ?2
        ORDER BY d."VolumeID"
        LIMIT 1
        """;

    private const int RowsBetweenChecks = 4096;

    /// <summary>The blocks of a blockset in index order, numbered from 0.</summary>
    internal static IAsyncEnumerable<BlockRequest> OfBlockset(ReadConnectionPool readers, long blockset, CancellationToken token) =>
        Lazily(readers, BlocksOfBlockset, blockset, ToRequest, token);

    /// <summary>The blocks of the metadata of an entry in index order, numbered from 0.</summary>
    internal static IAsyncEnumerable<BlockRequest> OfMetadata(ReadConnectionPool readers, long file, CancellationToken token) =>
        Lazily(readers, MetadataBlocksOfFile, file, ToRequest, token);

    /// <summary>Name, size (-1 if unknown) and hash (empty if unknown) of a volume; nothing for an unknown id.</summary>
    internal static IAsyncEnumerable<(string Name, long Size, string Hash)> Volume(
        ReadConnectionPool readers,
        long volume,
        CancellationToken token
    ) => Lazily(readers, VolumeSql, volume, (row, _) => ToVolume(row), token);

    /// <summary>
    /// The blocks of a volume's uses that another one has as well or by now, by that: of those that were not tried the recorded one, which
    /// may have changed since, else the first copy by id.
    /// </summary>
    /// <param name="readers">What reads.</param>
    /// <param name="volume">Blocks that are looked for.</param>
    /// <param name="tried">Ids of volumes that did not give them.</param>
    /// <param name="token">Cancels.</param>
    internal static IReadOnlyList<VolumeNeed> Moved(
        ReadConnectionPool readers,
        VolumeNeed volume,
        IReadOnlyCollection<long> tried,
        CancellationToken token
    )
    {
        using var lease = readers.Rent();
        using var volumeOf = lease.Reader.Statements.Take(BlockSql.VolumeOf);
        using var nextCopy = lease.Reader.Statements.Take(NextCopy);
        var moved = new SortedDictionary<long, List<BlockNeed>>();
        foreach (var block in volume.Blocks)
        {
            token.ThrowIfCancellationRequested();
            var id = volumeOf.Bind(1, block.BlockId).ExecuteInt64();
            if (id < 0 || tried.Contains(id))
                id = Untried(nextCopy.Bind(1, block.BlockId), tried);
            if (id < 0)
                continue;
            if (!moved.TryGetValue(id, out var blocks))
                moved.Add(id, blocks = []);
            blocks.Add(block);
        }

        var needs = new List<VolumeNeed>();
        foreach (var (id, blocks) in moved)
        {
            foreach (var (name, size, hash) in Read(readers, VolumeSql, id, (row, _) => ToVolume(row), token))
                needs.Add(new VolumeNeed(id, name, size, hash, blocks));
        }

        return needs;
    }

    private static long Untried(Statement nextCopy, IReadOnlyCollection<long> tried)
    {
        var id = -1L;
        do id = nextCopy.Bind(2, id).ExecuteInt64();
        while (id >= 0 && tried.Contains(id));
        return id;
    }

    // Nothing waits here: the answer of one file is read on the thread of the one that needs it.
#pragma warning disable CS1998
    private static async IAsyncEnumerable<T> Lazily<T>(
        ReadConnectionPool readers,
        string sql,
        long id,
        Func<Statement, int, T> convert,
        [EnumeratorCancellation] CancellationToken token
    )
#pragma warning restore CS1998
    {
        foreach (var row in Read(readers, sql, id, convert, token))
        {
            token.ThrowIfCancellationRequested();
            yield return row;
        }
    }

    private static List<T> Read<T>(
        ReadConnectionPool readers,
        string sql,
        long id,
        Func<Statement, int, T> convert,
        CancellationToken token
    )
    {
        token.ThrowIfCancellationRequested();
        using var lease = readers.Rent();
        using var statement = lease.Reader.Statements.Take(sql);
        var rows = new List<T>();
        statement.Bind(1, id);
        while (statement.Read())
        {
            rows.Add(convert(statement, rows.Count));
            if (rows.Count % RowsBetweenChecks == 0)
                token.ThrowIfCancellationRequested();
        }

        return rows;
    }

    private static (string Name, long Size, string Hash) ToVolume(Statement row) =>
        (row.GetString(0) ?? "", row.GetInt64(1, -1), row.GetString(2) ?? "");

    private static BlockRequest ToRequest(Statement row, int ordinal) =>
        new(
            row.GetInt64(0),
            ordinal,
            row.GetString(1) ?? throw new InvalidOperationException($"The block with id {row.GetInt64(0)} has no hash."),
            row.GetInt64(2),
            row.GetInt64(3),
            BlockRequestType.Download
        );
}
