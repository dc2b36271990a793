// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Threading;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Restore;

namespace Duplicati.Library.Main.Database;

/// <summary>The blocks of many blocksets at a time, without texts: what a restore, a test or a repair asks for file by file.</summary>
/// <remarks>
/// For programs that list the blocks of many files; the engine's restore reads its needs volume by volume and has no use for it.
/// Reads on the connection of the database object it is made from, and so sees also what that has not committed yet. Works on the
/// caller's thread; may be used from several, one call at a time gets its turn. Nothing is allocated for a block once the rows
/// have the room.
/// </remarks>
internal sealed class BatchBlocksets
{
    private const int RowsBetweenChecks = 4096;

    private readonly LocalDatabase m_database;

    private BatchBlocksets(LocalDatabase database) => m_database = database;

    /// <summary>The batch members for reading of any local database.</summary>
    internal static BatchBlocksets Of(LocalDatabase database)
    {
        ArgumentNullException.ThrowIfNull(database);
        return new BatchBlocksets(database);
    }

    /// <summary>
    /// Lists the blocks of blocksets in the order of the content; what <see cref="LocalRestoreDatabase.GetBlocksFromFileAsync"/> does
    /// one by one. Linear in the blocks listed.
    /// </summary>
    /// <param name="blocksetIds">The ids of the blocksets. One that does not exist has no blocks; one that is there twice is listed
    /// twice.</param>
    /// <param name="rows">Receives the blocks; what was in it before is gone.</param>
    /// <param name="token">Seen before each blockset and every few thousand blocks.</param>
    /// <returns>Number of blocks.</returns>
    /// <exception cref="System.IO.InvalidDataException">The hash of a block is not the Base64 text of a digest, or of one with another
    /// length than those before.</exception>
    /// <exception cref="OperationCanceledException">The token was cancelled; as after any other failure, the rows are empty.</exception>
    public int Read(ReadOnlySpan<long> blocksetIds, BatchBlockRows rows, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(rows);
        rows.Clear();
        token.ThrowIfCancellationRequested();
        try
        {
            lock (m_database.Session.Gate)
            {
                foreach (var id in blocksetIds)
                    ReadOne(id, rows, token);
            }

            return rows.Count;
        }
        catch
        {
            rows.Clear();
            throw;
        }
    }

    private void ReadOne(long blocksetId, BatchBlockRows rows, CancellationToken token)
    {
        token.ThrowIfCancellationRequested();
        using var select = m_database.Session.Take(BlockReads.BlocksOfBlockset);
        select.Bind(1, blocksetId);
        while (select.Read())
        {
            rows.Add(select.GetInt64(0), select.GetUtf8(1), select.GetInt64(2), select.GetInt64(3));
            if (rows.Count % RowsBetweenChecks == 0)
                token.ThrowIfCancellationRequested();
        }

        rows.EndBlockset();
    }
}
