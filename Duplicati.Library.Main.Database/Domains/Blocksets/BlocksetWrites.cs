// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocksets;

/// <summary>Adds blocksets. Nothing here commits.</summary>
internal static class BlocksetWrites
{
    // Appends by row id.
    private const string InsertSql = """INSERT INTO "Blockset" ("Length", "FullHash") VALUES (?1, ?2)""";

    // Appends by row id; one blocklist each.
    internal const string InsertBlocklist = """INSERT INTO "BlocklistHash" ("BlocksetID", "Index", "Hash") VALUES (?1, ?2, ?3)""";

    // Primary key of BlocksetEntry.
    internal const string DeleteEntries = """DELETE FROM "BlocksetEntry" WHERE "BlocksetID" = ?1""";

    // BlocklistHashBlocksetIDIndex.
    internal const string DeleteBlocklists = """DELETE FROM "BlocklistHash" WHERE "BlocksetID" = ?1""";

    // By row id.
    private const string DeleteSql = """DELETE FROM "Blockset" WHERE "ID" = ?1""";

    // Primary key of BlocksetEntry.
    private const string SetBlock = """UPDATE "BlocksetEntry" SET "BlockID" = ?3 WHERE "BlocksetID" = ?1 AND "Index" = ?2""";

    // BlockHashSize; only after a block was not found.
    private const string SizesOfHash = """SELECT "Size" FROM "Block" WHERE "Hash" = ?1""";

    private static readonly string LOGTAG = Log.LogTagFromType<LocalBackupDatabase>();

    /// <summary>
    /// Adds a blockset that is not there, with its blocklists and the links to its blocks, which must be live. The sequences are
    /// enumerated once, and not kept.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="fullHash">Hash of the whole content.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="blocksize">Size in bytes of all blocks but the last.</param>
    /// <param name="hashes">Hashes of the blocks in order.</param>
    /// <param name="blocklistHashes">Hashes of the blocklists in order, or null.</param>
    /// <param name="token">Stops filling the map of blocks; nothing of the blockset stays.</param>
    /// <returns>The id.</returns>
    /// <exception cref="Exception">A block is not live; nothing of the blockset stays.</exception>
    internal static long Add(
        DatabaseSession session,
        string fullHash,
        long length,
        int blocksize,
        IEnumerable<string> hashes,
        IEnumerable<string>? blocklistHashes,
        CancellationToken token
    )
    {
        var id = Insert(session, fullHash, length);
        var transaction = session.TransactionCount;
        try
        {
            AddBlocklists(session, id, blocklistHashes);
            Link(session, id, length, blocksize, hashes, token);
            return id;
        }
        catch
        {
            session.RecoverTransaction();
            // After some errors the engine has rolled back already, and the id may belong to what another connection has added since.
            if (session.TransactionCount == transaction)
                Remove(session, id);
            throw;
        }
    }

    /// <summary>Makes the entries of a blockset, of which blocks were lost, of its blocks again, which must be live.</summary>
    /// <exception cref="Exception">A block is not live; nothing is changed.</exception>
    internal static void Mend(
        DatabaseSession session,
        long id,
        long length,
        int blocksize,
        IEnumerable<string> hashes,
        CancellationToken token
    )
    {
        var map = BlockMap.Of(session);
        var blocks = new List<long>();
        var remaining = length;
        foreach (var hash in hashes)
        {
            var size = Math.Min(blocksize, remaining);
            blocks.Add(FindBlock(session, map, id, hash, size, length - remaining, token));
            remaining -= size;
        }

        using var set = session.Take(SetBlock);
        for (var index = 0; index < blocks.Count; index++)
            set.Bind(1, id).Bind(2, index).Bind(3, blocks[index]).ExecuteNonQuery();
    }

    /// <summary>Adds the row of a blockset alone, and returns its id.</summary>
    internal static long Insert(DatabaseSession session, string fullHash, long length)
    {
        using var insert = session.Take(InsertSql);
        insert.Bind(1, length).Bind(2, fullHash).ExecuteNonQuery();
        return session.Statements.LastInsertRowId;
    }

    private static void Remove(DatabaseSession session, long id)
    {
        Delete(session, DeleteEntries, id);
        Delete(session, DeleteBlocklists, id);
        Delete(session, DeleteSql, id);
    }

    private static void AddBlocklists(DatabaseSession session, long blocksetId, IEnumerable<string>? hashes)
    {
        if (hashes is null)
            return;

        using var insert = session.Take(InsertBlocklist);
        long index = 0;
        foreach (var hash in hashes)
            insert.Bind(1, blocksetId).Bind(2, index++).Bind(3, hash).ExecuteNonQuery();
    }

    private static void Link(
        DatabaseSession session,
        long blocksetId,
        long length,
        int blocksize,
        IEnumerable<string> hashes,
        CancellationToken token
    )
    {
        var map = BlockMap.Of(session);
        var entries = BlocksetEntryWriter.Of(session);
        entries.Begin(blocksetId);
        var remaining = length;
        foreach (var hash in hashes)
        {
            var size = Math.Min(blocksize, remaining);
            entries.Add(FindBlock(session, map, blocksetId, hash, size, length - remaining, token));
            remaining -= size;
        }

        entries.End();
    }

    private static long FindBlock(
        DatabaseSession session,
        BlockMap map,
        long blocksetId,
        string hash,
        long size,
        long offset,
        CancellationToken token
    )
    {
        var blockId = map.Find(hash, size, token);
        return blockId < 0 ? throw MissingBlock(session, blocksetId, hash, size, offset) : blockId;
    }

    private static Exception MissingBlock(DatabaseSession session, long blocksetId, string hash, long size, long offset)
    {
        Log.WriteErrorMessage(
            LOGTAG,
            "CheckingErrorsForIssue1400",
            null,
            "Block {0} of size {1} at offset {2} of blockset {3} is not there, looking for other sizes",
            hash,
            size,
            offset,
            blocksetId
        );
        using var select = session.Take(SizesOfHash);
        for (select.Bind(1, hash); select.Read(); )
            Log.WriteErrorMessage(
                LOGTAG,
                "FoundIssue1400Error",
                null,
                "Block {0} is there with size {1} instead of {2}",
                hash,
                select.GetInt64(0),
                size
            );
        return new Exception($"Cannot link block {hash} of size {size} at offset {offset}: there is no such block.");
    }

    private static void Delete(DatabaseSession session, string sql, long id)
    {
        using var delete = session.Take(sql);
        delete.Bind(1, id).ExecuteNonQuery();
    }
}
