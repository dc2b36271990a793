// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Logging;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Blocksets;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>
/// What filelists bring: blocksets with their blocklist hashes, metadata, files, and the entries of filesets. Every row is written at once.
/// </summary>
/// <remarks>Takes the connection lock itself, and lets go of it while a caller's sequence is read.</remarks>
internal sealed class RecreateFilelist
{
    // Full table in row id order, once when a recreate goes on.
    internal const string ReadBlocksets = """SELECT "ID", "FullHash", "Length" FROM "Blockset" ORDER BY "ID" """;

    // Full table in row id order, once when a recreate goes on.
    internal const string ReadFiles = """SELECT "ID", "PrefixID", "Path", "BlocksetID", "MetadataID" FROM "FileLookup" ORDER BY "ID" """;

    // MetadatasetBlocksetID.
    internal const string FindMetadatasetSql = """SELECT "ID" FROM "Metadataset" WHERE "BlocksetID" = ?1 LIMIT 1""";

    // Appends by row id.
    private const string InsertMetadataset = """INSERT INTO "Metadataset" ("BlocksetID", "Content") VALUES (?1, NULL)""";

    // FileLookupPath.
    private const string FindFile = """
        SELECT "ID" FROM "FileLookup" WHERE "PrefixID" = ?1 AND "Path" = ?2 AND "BlocksetID" = ?3 AND "MetadataID" = ?4
        """;

    // Appends by row id.
    private const string InsertFile =
        """INSERT INTO "FileLookup" ("PrefixID", "Path", "BlocksetID", "MetadataID") VALUES (?1, ?2, ?3, ?4)""";

    private static readonly string LOGTAG = Log.LogTagFromType<LocalRecreateDatabase>();

    private readonly DatabaseSession m_session;
    private readonly BulkStart m_start;
    private readonly KeyHasher m_keys;
    private readonly RowCache m_blocksets;
    private readonly RowCache m_metadata;
    private readonly RowCache m_files;
    private bool m_ready;

    internal RecreateFilelist(DatabaseSession session, BulkStart start, KeyHasher keys, long maxBytes)
    {
        m_session = session;
        m_start = start;
        m_keys = keys;
        m_blocksets = new RowCache(session, "Blockset", maxBytes);
        m_metadata = new RowCache(session, "Metadataset", maxBytes);
        m_files = new RowCache(session, "FileLookup", maxBytes);
    }

    /// <summary>Bytes of the three caches.</summary>
    internal long CacheBytes => m_blocksets.Bytes + m_metadata.Bytes + m_files.Bytes;

    /// <summary>The id of a blockset, which is added with its blocklist hashes if it is new.</summary>
    /// <param name="fullHash">Hash of the whole content.</param>
    /// <param name="length">Bytes.</param>
    /// <param name="blocklistHashes">Read once, to its end, and only if the blockset is new; may be null.</param>
    /// <param name="expected">Number of hashes that are stored; more are only counted, and any other number is warned about.</param>
    /// <param name="token">Observed between hashes.</param>
    internal long AddBlockset(string fullHash, long length, IEnumerable<string>? blocklistHashes, long expected, CancellationToken token)
    {
        (long, long) seen;
        lock (m_session.ConnectionLock)
        {
            var known = FindBlockset(fullHash, length);
            if (known >= 0)
                return known;
            seen = (m_blocksets.Changes, m_session.TransactionCount);
        }

        var hashes = new List<string>();
        var count = 0L;
        (long Id, bool IsNew) added;
        // The sequence is the caller's code, so the connection lock is not held while it produces hashes. All are written at once, so that
        // nobody else, and no commit, sees a part; but what it gave before it failed is stored.
        try
        {
            foreach (var hash in blocklistHashes ?? [])
            {
                token.ThrowIfCancellationRequested();
                if (!string.IsNullOrEmpty(hash) && count++ < expected)
                    hashes.Add(hash);
            }
        }
        finally
        {
            added = InsertBlockset(fullHash, length, hashes, seen);
        }

        if (added.IsNew && count != expected)
            Log.WriteWarningMessage(
                LOGTAG,
                "MismatchInBlocklistHashCount",
                null,
                "Expected {0} blocklist hashes, but found {1} for blockset {2}",
                expected,
                count,
                added.Id
            );
        return added.Id;
    }

    /// <summary>The id of a metadataset, which is added with its blockset if it is new; -1 without a hash.</summary>
    internal long AddMetadataset(string? hash, long length, IEnumerable<string>? blocklistHashes, long expected, CancellationToken token)
    {
        if (hash is null)
            return -1;

        (long, long) seen;
        lock (m_session.ConnectionLock)
        {
            var known = FindMetadataset(hash, length);
            if (known >= 0)
                return known;
            seen = (m_metadata.Changes, m_session.TransactionCount);
        }

        var blocksetId = AddBlockset(hash, length, blocklistHashes, expected, token);
        lock (m_session.ConnectionLock)
        {
            // While the caller's sequence was read, another call chain may have added the same, or the transaction may have ended.
            m_start.BeginWriting();
            if (seen != (m_metadata.Changes, m_session.TransactionCount))
            {
                if (FindMetadataset(hash, length) is >= 0 and var added)
                    return added;
                if (FindBlockset(hash, length) != blocksetId)
                    throw new InvalidOperationException("The content of metadata has gone with a rollback before they were added.");
            }

            using var insert = m_session.Take(InsertMetadataset);
            insert.Bind(1, blocksetId).ExecuteNonQuery();
            var id = m_session.Statements.LastInsertRowId;
            m_metadata.Inserted(m_keys.OfText(hash, length), id);
            return id;
        }
    }

    /// <summary>Adds a file, folder or link to a fileset.</summary>
    /// <exception cref="Microsoft.Data.Sqlite.SqliteException">The fileset has this very entry already (code 19).</exception>
    internal void AddEntry(long filesetId, long prefixId, string name, DateTime time, long blocksetId, long metadataId)
    {
        lock (m_session.ConnectionLock)
        {
            var fileId = FindOrInsertFile(prefixId, name, blocksetId, metadataId);
            using var insert = m_session.Take(FilesetWrites.InsertEntry);
            insert.Bind(1, filesetId).Bind(2, fileId).Bind(3, time.ToUniversalTime().Ticks).ExecuteNonQuery();
        }
    }

    /// <summary>The id of a blockset; -1 if there is none.</summary>
    internal long FindBlockset(string fullHash, long length)
    {
        lock (m_session.ConnectionLock)
        {
            Prepare();
            return FindBlockset(m_keys.OfText(fullHash, length), fullHash, length);
        }
    }

    /// <summary>The id of a blockset that has been seen, by the key of its hash and length; -1 if it is not remembered.</summary>
    internal long RecallBlockset(UInt128 key) => m_blocksets.TryGet(key, out var id) ? id : -1;

    /// <summary>Forgets what is known. From then on rows are looked up in the tables.</summary>
    internal void Forget()
    {
        m_ready = false;
        m_blocksets.Start(tableIsEmpty: false);
        m_metadata.Start(tableIsEmpty: false);
        m_files.Start(tableIsEmpty: false);
    }

    private void Prepare()
    {
        m_start.BeginWriting();
        if (m_ready)
        {
            m_blocksets.Refresh();
            m_metadata.Refresh();
            m_files.Refresh();
            return;
        }

        var empty = m_start.IsBulk();
        m_blocksets.Start(empty);
        m_metadata.Start(tableIsEmpty: false);
        m_files.Start(empty);
        if (m_start.IsContinued)
            Load();
        m_ready = true;
    }

    // What an interrupted recreate has added. The indexes that would find it are left out.
    private void Load()
    {
        var isComplete = true;
        using (var blocksets = m_session.Take(ReadBlocksets))
        {
            while (isComplete && blocksets.Read())
                isComplete = m_blocksets.TryLoad(m_keys.OfText(blocksets.GetString(1)!, blocksets.GetInt64(2)), blocksets.GetInt64(0));
        }

        m_blocksets.EndLoading(isComplete);
        isComplete = true;
        using (var files = m_session.Take(ReadFiles))
        {
            while (isComplete && files.Read())
                isComplete = m_files.TryLoad(
                    m_keys.OfFile(files.GetInt64(1), files.GetString(2)!, files.GetInt64(3), files.GetInt64(4)),
                    files.GetInt64(0)
                );
        }

        m_files.EndLoading(isComplete);
    }

    private (long Id, bool IsNew) InsertBlockset(string fullHash, long length, List<string> blocklists, (long, long) seen)
    {
        lock (m_session.ConnectionLock)
        {
            Prepare();
            // While the caller's sequence was read, another call chain may have added the same.
            var key = m_keys.OfText(fullHash, length);
            if (seen != (m_blocksets.Changes, m_session.TransactionCount) && FindBlockset(key, fullHash, length) is >= 0 and var known)
                return (known, false);

            var id = BlocksetWrites.Add(m_session, fullHash, length, blocklists, []);
            m_blocksets.Inserted(key, id);
            return (id, true);
        }
    }

    private long FindBlockset(UInt128 key, string fullHash, long length)
    {
        if (m_blocksets.TryGet(key, out var id))
            return id;
        if (m_blocksets.IsComplete)
            return -1;

        using var find = m_session.Take(BlocksetReads.FindSql);
        id = find.Bind(1, fullHash).Bind(2, length).ExecuteInt64();
        if (id >= 0)
            m_blocksets.Add(key, id);
        return id;
    }

    private long FindMetadataset(string hash, long length)
    {
        Prepare();
        var key = m_keys.OfText(hash, length);
        if (m_metadata.TryGet(key, out var id))
            return id;

        var blocksetId = FindBlockset(key, hash, length);
        if (blocksetId < 0)
            return -1;

        using var find = m_session.Take(FindMetadatasetSql);
        id = find.Bind(1, blocksetId).ExecuteInt64();
        if (id >= 0)
            m_metadata.Add(key, id);
        return id;
    }

    private long FindOrInsertFile(long prefixId, string name, long blocksetId, long metadataId)
    {
        Prepare();
        var key = m_keys.OfFile(prefixId, name, blocksetId, metadataId);
        if (m_files.TryGet(key, out var id))
            return id;

        if (!m_files.IsComplete)
        {
            using var find = m_session.Take(FindFile);
            id = find.Bind(1, prefixId).Bind(2, name).Bind(3, blocksetId).Bind(4, metadataId).ExecuteInt64();
        }

        if (m_files.IsComplete || id < 0)
        {
            using var insert = m_session.Take(InsertFile);
            insert.Bind(1, prefixId).Bind(2, name).Bind(3, blocksetId).Bind(4, metadataId).ExecuteNonQuery();
            id = m_session.Statements.LastInsertRowId;
            m_files.Inserted(key, id);
            return id;
        }

        m_files.Add(key, id);
        return id;
    }
}
