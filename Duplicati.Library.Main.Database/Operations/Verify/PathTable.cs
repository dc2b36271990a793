// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>
/// The files by ascending id, each with a number that equal full paths share. Numbers come from 64-bit hashes: different paths may
/// share a number too, so a doubt must be settled by the texts, but no pair of equal paths is missed. 12 bytes a file, 24 while loading.
/// </summary>
internal sealed class PathTable
{
    // Reads PathPrefix, one row a folder.
    private const string Prefixes = """SELECT "ID", "Prefix" FROM "PathPrefix" """;

    // Reads FileLookup's smallest index, to size the table in memory.
    internal const string CountFiles = """SELECT COUNT(*) FROM "FileLookup" """;

    // Reads FileLookup in row order; for folders and links row ids of Metadataset, Blockset and Block, primary key of BlocksetEntry.
    internal const string Files = """
        SELECT "ID", "PrefixID", "Path", CASE
            WHEN "BlocksetID" >= 0 THEN 1
            WHEN "BlocksetID" IN (-100, -200) THEN EXISTS (
                SELECT 1 FROM "Metadataset"
                CROSS JOIN "Blockset" ON "Blockset"."ID" = "Metadataset"."BlocksetID"
                CROSS JOIN "BlocksetEntry" ON "BlocksetEntry"."BlocksetID" = "Blockset"."ID" AND "BlocksetEntry"."Index" = 0
                CROSS JOIN "Block" ON "Block"."ID" = "BlocksetEntry"."BlockID"
                WHERE "Metadataset"."ID" = "FileLookup"."MetadataID")
            ELSE 0 END
        FROM "FileLookup" ORDER BY "ID"
        """;

    /// <summary>The number of a file that a list volume leaves out.</summary>
    internal const int NOT_LISTED = -1;

    /// <summary>That of no text.</summary>
    internal const ulong EmptyHash = 14695981039346656037;

    private const ulong FNV_PRIME = 1099511628211;

    private readonly long[] m_ids;
    private readonly int[] m_paths;

    private PathTable(long[] ids, int[] paths, int count)
    {
        m_ids = ids;
        m_paths = paths;
        DistinctPaths = count;
    }

    /// <summary>One more than the largest number.</summary>
    internal int DistinctPaths { get; }

    /// <summary>Reads all files once.</summary>
    internal static PathTable Load(DatabaseSession session)
    {
        var prefixes = LoadPrefixes(session);
        var capacity = Capacity(session);
        var ids = new List<long>(capacity);
        var hashes = new List<ulong>(capacity);
        using var select = session.Take(Files);
        while (select.Read())
        {
            ids.Add(select.GetInt64(0));
            var listed = select.GetInt64(3) != 0 && prefixes.ContainsKey(select.GetInt64(1));
            // Zero stands for a file that is not listed; a path whose hash is zero is only doubted more often.
            hashes.Add(listed ? Math.Max(1, Hash(prefixes[select.GetInt64(1)], select.GetUtf8(2))) : 0);
        }

        return Number([.. ids], CollectionsMarshal.AsSpan(hashes));
    }

    /// <summary>
    /// The number of a file's path, or <see cref="NOT_LISTED"/>; null if there is no such file. Searches forward from a position,
    /// which is moved to the file: cheap for ascending ids.
    /// </summary>
    internal int? Find(long id, ref int position)
    {
        var step = 1;
        while (position + step < m_ids.Length && m_ids[position + step] <= id)
            step *= 2;
        var low = position + (step / 2);
        var index = low < m_ids.Length ? Array.BinarySearch(m_ids, low, Math.Min(position + step, m_ids.Length) - low, id) : -1;
        if (index < 0)
            return null;

        position = index;
        return m_paths[index];
    }

    private static Dictionary<long, ulong> LoadPrefixes(DatabaseSession session)
    {
        var result = new Dictionary<long, ulong>();
        using var select = session.Take(Prefixes);
        while (select.Read())
            result.Add(select.GetInt64(0), Hash(EmptyHash, select.GetUtf8(1)));
        return result;
    }

    private static int Capacity(DatabaseSession session) => checked((int)session.ReadNumber(CountFiles));

    // FNV-1a can go on after a prefix, so the prefix is hashed once. Source: http://www.isthe.com/chongo/tech/comp/fnv/
    internal static ulong Hash(ulong state, ReadOnlySpan<byte> text)
    {
        foreach (var b in text)
            state = (state ^ b) * FNV_PRIME;
        return state;
    }

    private static PathTable Number(long[] ids, Span<ulong> hashes)
    {
        var order = new int[ids.Length];
        for (var i = 0; i < order.Length; i++)
            order[i] = i;
        hashes.Sort(order.AsSpan());

        var paths = new int[ids.Length];
        var number = NOT_LISTED;
        for (var i = 0; i < order.Length; i++)
        {
            if (hashes[i] != 0 && (i == 0 || hashes[i] != hashes[i - 1]))
                number++;
            paths[order[i]] = number;
        }

        return new PathTable(ids, paths, number + 1);
    }
}
