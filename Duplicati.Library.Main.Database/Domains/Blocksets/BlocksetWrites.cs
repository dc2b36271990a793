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

    /// <summary>Makes the entries of a blockset, of which blocks were lost, of its blocks again, which must be live.</summary>
    /// <exception cref="Exception">A block is not live; nothing is changed.</exception>
    internal static void Mend(DatabaseSession session, long id, long length, int blocksize, List<string> hashes, CancellationToken token)
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

    /// <summary>Removes what <see cref="BlocksetAdding"/> has written.</summary>
    internal static void Remove(DatabaseSession session, long id)
    {
        session.AnnounceRemoval();
        Delete(session, DeleteEntries, id);
        Delete(session, DeleteBlocklists, id);
        Delete(session, DeleteSql, id);
    }

    /// <summary>The id of a live block at an offset of a blockset.</summary>
    /// <exception cref="Exception">There is none; logged as error before.</exception>
    internal static long FindBlock(
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
