// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// A copy of which blocks are missing, as ranges of consecutive indexes: 32 bytes a range, and most files have one. Marks made
/// after it was taken do not show in it.
/// </summary>
internal sealed class MissingRanges
{
    private readonly List<Range> m_ranges = [];

    private MissingRanges() { }

    /// <summary>Consecutive missing blocks of a file or of its metadata.</summary>
    internal readonly record struct Range(bool IsMetadata, long File, long First, long Last);

    /// <summary>Takes the copy. One pass over the block list.</summary>
    /// <param name="session">The session of the connection, connection lock held.</param>
    /// <param name="sql">Returns metadata flag, file and index, ordered by these.</param>
    internal static MissingRanges Read(DatabaseSession session, string sql)
    {
        var result = new MissingRanges();
        using var rows = session.Take(sql);
        while (rows.Read())
            result.Add(rows.GetInt64(0) != 0, rows.GetInt64(1), rows.GetInt64(2));
        return result;
    }

    /// <summary>Ids of the files that have missing data blocks, ascending.</summary>
    internal List<long> Files()
    {
        var files = new List<long>();
        foreach (var range in m_ranges)
        {
            if (!range.IsMetadata && (files.Count == 0 || files[^1] != range.File))
                files.Add(range.File);
        }

        return files;
    }

    /// <summary>The ranges of one file, or of its metadata, by index. O(log of all ranges).</summary>
    internal IEnumerable<Range> Of(long file, bool isMetadata)
    {
        for (var i = FirstAt(file, isMetadata); i < m_ranges.Count && m_ranges[i].File == file && m_ranges[i].IsMetadata == isMetadata; i++)
            yield return m_ranges[i];
    }

    /// <summary>Whether any block of the file, or of its metadata, is missing.</summary>
    internal bool Has(long file, bool isMetadata) => Of(file, isMetadata).Any();

    private void Add(bool isMetadata, long file, long index)
    {
        if (m_ranges.Count > 0 && m_ranges[^1] is var last && last.File == file && last.IsMetadata == isMetadata && last.Last + 1 == index)
            m_ranges[^1] = last with { Last = index };
        else
            m_ranges.Add(new Range(isMetadata, file, index, index));
    }

    private int FirstAt(long file, bool isMetadata)
    {
        var (low, high) = (0, m_ranges.Count);
        while (low < high)
        {
            var middle = (low + high) / 2;
            var order = m_ranges[middle].IsMetadata.CompareTo(isMetadata);
            if (order < 0 || (order == 0 && m_ranges[middle].File < file))
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }
}
