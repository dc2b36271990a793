// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Logging;
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
    /// Adds a blockset that is not there, with its blocklists and its entries. To be called with the connection lock, so that nobody sees
    /// a part of it.
    /// </summary>
    /// <param name="session">The session.</param>
    /// <param name="fullHash">Hash of the whole content.</param>
    /// <param name="length">Its length in bytes.</param>
    /// <param name="blocklists">Hashes of the blocklists in order.</param>
    /// <param name="blockIds">Ids of the blocks in order.</param>
    /// <returns>The id. After a failure nothing of the blockset stays.</returns>
    internal static long Add(
        DatabaseSession session,
        string fullHash,
        long length,
        IReadOnlyList<string> blocklists,
        IReadOnlyList<long> blockIds
    )
    {
        var id = Insert(session, fullHash, length);
        var rollbacks = session.RollbackCount;
        try
        {
            AddBlocklists(session, id, blocklists);
            AddEntries(session, id, blockIds);
            return id;
        }
        catch
        {
            session.RecoverTransaction();
            // After a rollback the id may belong to what another connection has added since.
            if (session.RollbackCount == rollbacks)
                Remove(session, id);
            throw;
        }
    }

    /// <summary>Makes the entries of a blockset, of which blocks were lost, of its blocks again.</summary>
    internal static void Mend(DatabaseSession session, long id, IReadOnlyList<long> blockIds)
    {
        using var set = session.Take(SetBlock);
        for (var index = 0; index < blockIds.Count; index++)
            set.Bind(1, id).Bind(2, index).Bind(3, blockIds[index]).ExecuteNonQuery();
    }

    /// <summary>Adds the row of a blockset alone, and returns its id.</summary>
    internal static long Insert(DatabaseSession session, string fullHash, long length)
    {
        using var insert = session.Take(InsertSql);
        insert.Bind(1, length).Bind(2, fullHash).ExecuteNonQuery();
        return session.Statements.LastInsertRowId;
    }

    /// <summary>Logs that a block of a content is not there, and makes the error for that.</summary>
    internal static Exception MissingBlock(DatabaseSession session, string fullHash, string hash, long size, long offset)
    {
        Log.WriteErrorMessage(
            LOGTAG,
            "CheckingErrorsForIssue1400",
            null,
            "Block {0} of size {1} at offset {2} of content {3} is not there, looking for other sizes",
            hash,
            size,
            offset,
            fullHash
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

    private static void AddBlocklists(DatabaseSession session, long id, IReadOnlyList<string> hashes)
    {
        if (hashes.Count == 0)
            return;

        using var insert = session.Take(InsertBlocklist);
        for (var index = 0; index < hashes.Count; index++)
            insert.Bind(1, id).Bind(2, index).Bind(3, hashes[index]).ExecuteNonQuery();
    }

    private static void AddEntries(DatabaseSession session, long id, IReadOnlyList<long> blockIds)
    {
        if (blockIds.Count == 0)
            return;

        var entries = BlocksetEntryWriter.Of(session);
        entries.Begin(id);
        for (var index = 0; index < blockIds.Count; index++)
            entries.Add(blockIds[index]);
        entries.End();
    }

    private static void Remove(DatabaseSession session, long id)
    {
        Delete(session, DeleteEntries, id);
        Delete(session, DeleteBlocklists, id);
        Delete(session, DeleteSql, id);
    }

    private static void Delete(DatabaseSession session, string sql, long id)
    {
        using var delete = session.Take(sql);
        delete.Bind(1, id).ExecuteNonQuery();
    }
}
