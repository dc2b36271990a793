// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// The gaps between the ids of a table, in which there are no parents: rows of other tables that refer to an id in one have lost
/// theirs. They are remembered for the next table with the same parents, whose ids must not change meanwhile.
/// </summary>
/// <param name="session">The session.</param>
/// <param name="most">Gaps that are remembered at most; with more the ids are read again.</param>
/// <remarks>Use with the connection lock held.</remarks>
internal sealed class ParentGaps(DatabaseSession session, int most)
{
    private string? m_parentIds;
    private List<Gap> m_gaps = [];

    /// <summary>The gaps between ids, in their order, with those before the first and after the last id.</summary>
    /// <param name="parentIds">Gives the ids in their order.</param>
    internal IEnumerable<Gap> Of(string parentIds)
    {
        if (m_parentIds != parentIds)
            (m_parentIds, m_gaps) = (parentIds, [.. Read(parentIds).Take(most + 1)]);
        return m_gaps.Count > most ? Read(parentIds) : m_gaps;
    }

    private IEnumerable<Gap> Read(string parentIds)
    {
        var previous = long.MinValue;
        using var ids = session.Take(parentIds);
        while (ids.Read())
        {
            var id = ids.GetInt64(0);
            if (previous + 1 < id)
                yield return new Gap(previous, id);
            previous = id;
        }

        yield return new Gap(previous, long.MaxValue);
    }
}

/// <summary>A gap between two ids.</summary>
/// <param name="After">The id before it.</param>
/// <param name="Before">The id behind it.</param>
internal readonly record struct Gap(long After, long Before);
