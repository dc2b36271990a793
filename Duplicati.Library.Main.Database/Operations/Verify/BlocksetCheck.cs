// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Globalization;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>
/// Checks blocksets against their entries, their blocklists and the files that use them, by merging four tables in the order of
/// the blockset id. Memory is bounded by the damage found.
/// </summary>
internal sealed class BlocksetCheck
{
    // Each big table is read once, in the order of a key, and the orders are merged outside.

    // Reads Blockset in row order.
    internal const string Blocksets = """SELECT "ID", "Length" FROM "Blockset" ORDER BY "ID" """;

    // Reads BlocksetEntry in the order of its primary key; row id of Block.
    internal const string Entries = """
        SELECT "BlocksetEntry"."BlocksetID", COUNT(*), SUM("Block"."Size")
        FROM "BlocksetEntry" LEFT JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
        GROUP BY "BlocksetEntry"."BlocksetID" ORDER BY "BlocksetEntry"."BlocksetID"
        """;

    // Reads BlocklistHashBlocksetIDIndex.
    internal const string Blocklists = """SELECT "BlocksetID", "Index" FROM "BlocklistHash" ORDER BY "BlocksetID", "Index" """;

    // Reads nn_FileLookup_BlockMeta.
    internal const string UsedBlocksets = """SELECT DISTINCT "BlocksetID" FROM "FileLookup" ORDER BY "BlocksetID" """;

    // nn_FileLookup_BlockMeta, row id of PathPrefix.
    private const string PathsOfBlockset = """
        SELECT "PathPrefix"."Prefix" || "FileLookup"."Path"
        FROM "FileLookup" CROSS JOIN "PathPrefix" ON "PathPrefix"."ID" = "FileLookup"."PrefixID"
        WHERE "FileLookup"."BlocksetID" = ?1
        """;

    private const int SHOWN = 5;
    private const int ROWS_BETWEEN_CANCEL_CHECKS = 4096;

    private readonly ConsistencyScope m_scope;
    private readonly List<(long Id, long Length, long Actual)> m_wrongLength = [];
    private long m_blocklists;
    private long m_distinctBlocklists;
    private long m_wrongBlocklists;
    private long m_withoutEntries;
    private long m_unknownUsed;

    private BlocksetCheck(ConsistencyScope scope) => m_scope = scope;

    /// <summary>Runs the checks; the first that fails throws.</summary>
    /// <exception cref="DatabaseInconsistencyException">A check failed.</exception>
    internal static void Run(DatabaseSession session, ConsistencyScope scope, CancellationToken token)
    {
        var check = new BlocksetCheck(scope);
        check.Merge(session, token);
        check.ThrowOnFindings(session);
    }

    private void Merge(DatabaseSession session, CancellationToken token)
    {
        using var blocksetRows = session.Take(Blocksets);
        using var entryRows = session.Take(Entries);
        using var blocklistRows = session.Take(Blocklists);
        using var usedRows = session.Take(UsedBlocksets);
        var blocksets = new KeyCursor(blocksetRows);
        var entries = new KeyCursor(entryRows);
        var blocklists = new KeyCursor(blocklistRows);
        var used = new KeyCursor(usedRows);
        for (var count = 0; !(blocksets.IsAtEnd && entries.IsAtEnd && blocklists.IsAtEnd && used.IsAtEnd); count++)
        {
            if (count % ROWS_BETWEEN_CANCEL_CHECKS == 0)
                token.ThrowIfCancellationRequested();

            var id = Math.Min(Math.Min(blocksets.Key, entries.Key), Math.Min(blocklists.Key, used.Key));
            Judge(id, ReadBlockset(blocksets, id), ReadEntries(entries, id), ReadBlocklists(blocklists, id), ReadUsed(used, id));
        }
    }

    private static long? ReadBlockset(KeyCursor blocksets, long id)
    {
        if (!blocksets.IsAt(id))
            return null;

        var length = blocksets.Row.GetInt64(1);
        blocksets.Next();
        return length;
    }

    private static (long Count, long Size) ReadEntries(KeyCursor entries, long id)
    {
        if (!entries.IsAt(id))
            return default;

        var result = (entries.Row.GetInt64(1), entries.Row.GetInt64(2));
        entries.Next();
        return result;
    }

    private long ReadBlocklists(KeyCursor blocklists, long id)
    {
        long count = 0,
            previous = -1;
        for (; blocklists.IsAt(id); blocklists.Next())
        {
            var index = blocklists.Row.GetInt64(1);
            if (count++ == 0 || index != previous)
                m_distinctBlocklists++;
            previous = index;
        }

        m_blocklists += count;
        return count;
    }

    private static bool ReadUsed(KeyCursor used, long id)
    {
        if (!used.IsAt(id))
            return false;

        used.Next();
        return true;
    }

    private void Judge(long id, long? length, (long Count, long Size) entries, long blocklists, bool used)
    {
        if (used && length is { } expected && expected != entries.Size)
            m_wrongLength.Add((id, expected, entries.Size));
        if (entries.Count > 1 && blocklists != (entries.Count + m_scope.EntriesPerBlocklist - 1) / m_scope.EntriesPerBlocklist)
            m_wrongBlocklists++;
        if (length > 0 && entries.Count == 0)
            m_withoutEntries++;
        if (used && length is null && id is not (SpecialBlocksets.Folder or SpecialBlocksets.Symlink))
            m_unknownUsed++;
    }

    private void ThrowOnFindings(DatabaseSession session)
    {
        ThrowOnWrongLength(session);
        if (m_blocklists != m_distinctBlocklists)
            throw new DatabaseInconsistencyException(
                $"Found {m_blocklists} blocklist hashes, but there should be {m_distinctBlocklists}: some positions are taken more than once"
            );
        if (m_wrongBlocklists > 0)
            throw new DatabaseInconsistencyException($"Found {m_wrongBlocklists} file(s) with missing or extra blocklist hashes");
        if (m_withoutEntries > 0)
            throw new DatabaseInconsistencyException($"Detected {m_withoutEntries} non-empty blockset(s) with no associated blocks");
        if (m_unknownUsed > 0)
            throw new DatabaseInconsistencyException($"Detected files associated with {m_unknownUsed} non-existing blockset(s)");
    }

    // Only files with a complete path count, as everywhere in listings.
    private void ThrowOnWrongLength(DatabaseSession session)
    {
        var shown = new List<string>();
        long files = 0;
        foreach (var (id, length, actual) in m_wrongLength)
        {
            using var paths = session.Take(PathsOfBlockset);
            paths.Bind(1, id);
            for (; paths.Read(); files++)
            {
                if (shown.Count < SHOWN)
                    shown.Add(
                        string.Create(
                            CultureInfo.InvariantCulture,
                            $"File: {paths.GetString(0)}, expected length {length}, calculated length {actual}, blockset id {id}"
                        )
                    );
            }
        }

        if (files > 0)
            throw new DatabaseInconsistencyException(
                $"Found inconsistency in the following files while validating the database:{Environment.NewLine}{string.Join(Environment.NewLine, shown)}{Environment.NewLine}... and {files - shown.Count} more"
            );
    }
}

/// <summary>A statement that delivers rows by ascending key in its first column, as one side of a merge.</summary>
internal sealed class KeyCursor
{
    private readonly Statement m_rows;

    /// <summary>Stands on the first row.</summary>
    internal KeyCursor(Statement rows)
    {
        m_rows = rows;
        Next();
    }

    /// <summary>The key of the present row; the largest number after the last one.</summary>
    internal long Key { get; private set; }

    /// <summary>True when no row is left.</summary>
    internal bool IsAtEnd { get; private set; }

    /// <summary>The present row.</summary>
    internal Statement Row => m_rows;

    /// <summary>True if the present row has this key.</summary>
    internal bool IsAt(long key) => !IsAtEnd && Key == key;

    /// <summary>Goes to the next row.</summary>
    internal void Next()
    {
        IsAtEnd = !m_rows.Read();
        Key = IsAtEnd ? long.MaxValue : m_rows.GetInt64(0);
    }
}
