// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using System.Text;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>Finds files by the last component of their path, in whatever folder they are.</summary>
internal static class NameLookup
{
    // FileLookupPath alone, in its order. The prefixes themselves are not read, as the name is all that counts.
    private const string FromName = """
        SELECT "ID", "PrefixID", "Path" FROM "FileLookup" WHERE ("PrefixID", "Path") >= (?1, ?2) ORDER BY "PrefixID", "Path"
        """;

    /// <summary>
    /// Adds the ids of all files that have one of the names, compared exactly. The index is by folder and then by name: about one
    /// look-up a folder of the database, whatever the number of spellings, as the first name that is not less tells the rest.
    /// </summary>
    internal static void Add(DatabaseSession session, IEnumerable<string> names, HashSet<long> result)
    {
        var sorted = names.Select(Encoding.UTF8.GetBytes).ToArray();
        if (sorted.Length == 0)
            return;

        Array.Sort(sorted, static (x, y) => x.AsSpan().SequenceCompareTo(y));
        using var select = session.Take(FromName);
        select.Bind(1, long.MinValue).BindUtf8(2, sorted[0]);
        while (select.Read())
        {
            var prefix = select.GetInt64(1);
            var path = select.GetUtf8(2);
            var next = FirstFrom(sorted, path);
            if (next < sorted.Length && path.SequenceEqual(sorted[next]))
            {
                result.Add(select.GetInt64(0));
                continue;
            }

            if (next == sorted.Length && prefix == long.MaxValue)
                return;
            select.Reset();
            if (next < sorted.Length)
                select.Bind(1, prefix).BindUtf8(2, sorted[next]);
            else
                select.Bind(1, prefix + 1).BindUtf8(2, sorted[0]);
        }
    }

    // The position of the first name that is not before a text.
    private static int FirstFrom(byte[][] sorted, ReadOnlySpan<byte> text)
    {
        var (low, high) = (0, sorted.Length);
        while (low < high)
        {
            var middle = (low + high) / 2;
            if (sorted[middle].AsSpan().SequenceCompareTo(text) < 0)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }
}
