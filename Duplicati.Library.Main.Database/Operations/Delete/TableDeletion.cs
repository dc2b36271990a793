// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Indexes;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>
/// Removes rows of one table that nothing refers to: all of them at once if nothing is left that could, without the table's indexes if
/// much of it goes, else as they are found. How much goes is counted or sampled first; nothing but the time depends on it.
/// </summary>
/// <remarks>Call with the connection lock held, in a transaction that has the write lock.</remarks>
internal sealed class TableDeletion(DatabaseSession session, DeletionLimits limits)
{
    private const int Samples = 256;
    private const int MostIds = 16_384;

    private readonly ParentGaps m_gaps = new(session, limits.MostGaps);

    /// <summary>Removes the rows whose parent does not exist: they lie in the gaps between the parents' ids.</summary>
    internal void DeleteChildren(ChildTable table)
    {
        if (Read(table.FirstParent) is null)
        {
            session.Empty(table.Name);
            return;
        }

        var (going, gaps) = table.CountBetween is null ? (0, m_gaps.Of(table.ParentIds)) : CountChildren(table);
        var all = going < limits.FewestRows ? long.MaxValue : CountUpTo(table.CountUpTo!, going / limits.Share);
        if (going < all * limits.Share || !CanSort(all - going))
            DeleteBetween(table, gaps);
        else
            DroppedIndexes.During(session.Statements, table.Name, null, all - going, () => DeleteBetween(table, gaps));
    }

    /// <summary>Removes the rows with an id to which no row of other tables refers.</summary>
    internal void DeleteUnreferenced(ReferredTable table)
    {
        if (Read(table.AnyReference) is 0)
        {
            session.Empty(table.Name);
            return;
        }

        var (share, rows) = Estimate(table);
        var staying = (long)((1 - share) * rows);
        if (rows - staying < limits.FewestRows || share < limits.Share || !CanSort(staying))
            table.DeleteFew(session);
        else
            DroppedIndexes.During(session.Statements, table.Name, null, staying, () => session.Run(table.Delete));
    }

    /// <summary>Whether building indexes for so many rows takes a bounded amount of memory.</summary>
    internal bool CanSort(long rows) => rows <= limits.MostRowsInMemory || TemporaryStorage.CanBeInFiles(session.Statements);

    /// <summary>Rows of a table, counted no further than a bit beyond a limit.</summary>
    internal long CountUpTo(string count, double limit)
    {
        using var rows = session.Take(count);
        return rows.Bind(1, (long)limit + 1).ExecuteInt64(0);
    }

    /// <summary>Removes, from an ordered list of ids, the rows of a table one by one.</summary>
    /// <param name="session">The session.</param>
    /// <param name="unused">Gives so many ids from one on.</param>
    /// <param name="delete">Removes one row.</param>
    internal static void DeleteById(DatabaseSession session, string unused, string delete)
    {
        var ids = new List<long>();
        var from = long.MinValue;
        do
        {
            ids.Clear();
            using (var select = session.Take(unused))
            {
                select.Bind(1, from).Bind(2, MostIds);
                while (select.Read())
                    ids.Add(select.GetInt64(0));
            }

            using var row = session.Take(delete);
            ids.ForEach(id => row.Bind(1, id).ExecuteNonQuery());
            from = ids.Count > 0 ? ids[^1] : from;
        } while (ids.Count == MostIds);
    }

    private long? Read(string sql)
    {
        using var query = session.Take(sql);
        return query.Read() ? query.GetInt64(0) : null;
    }

    private void DeleteBetween(ChildTable table, IEnumerable<Gap> gaps)
    {
        using var delete = session.Take(table.DeleteBetween);
        foreach (var gap in gaps)
            delete.Bind(1, gap.After).Bind(2, gap.Before).ExecuteNonQuery();
    }

    // The number of rows, and the gaps in which they are; all gaps, if those are too many to remember.
    private (long Rows, IEnumerable<Gap> Gaps) CountChildren(ChildTable table)
    {
        var (count, filled) = (0L, new List<Gap>());
        using var children = session.Take(table.CountBetween!);
        foreach (var gap in m_gaps.Of(table.ParentIds))
        {
            var rows = children.Bind(1, gap.After).Bind(2, gap.Before).ExecuteInt64(0);
            count += rows;
            if (rows > 0 && filled.Count <= limits.MostGaps)
                filled.Add(gap);
        }

        return (count, filled.Count > limits.MostGaps ? m_gaps.Of(table.ParentIds) : filled);
    }

    // The share of the rows that go, from rows at equal distances of ids, and an upper bound of all rows.
    private (double Share, long Rows) Estimate(ReferredTable table)
    {
        long first,
            last;
        using (var ends = session.Take(table.Ends))
        {
            if (!ends.Read() || ends.IsDBNull(0))
                return (0, 0);
            (first, last) = (ends.GetInt64(0), ends.GetInt64(1));
        }

        var span = (double)last - first + 1;
        if (span < limits.FewestRows)
            return (0, 0);

        var going = 0L;
        using var sample = session.Take(table.Sample);
        for (var i = 0; i < Samples; i++)
        {
            going += sample.Bind(1, first + (long)(span * i / Samples)).ExecuteInt64(0);
            sample.Reset();
        }

        return ((double)going / Samples, (long)Math.Min(span, long.MaxValue / 2));
    }
}

/// <summary>A table of rows that belong to others.</summary>
/// <param name="Name">The table.</param>
/// <param name="ParentIds">The ids of all parents in their order.</param>
/// <param name="FirstParent">Gives a row if there is a parent.</param>
/// <param name="DeleteBetween">Removes the rows of parents between two ids.</param>
/// <param name="CountBetween">Counts what DeleteBetween would remove; null if the table keeps its indexes anyway.</param>
/// <param name="CountUpTo">Counts all rows up to a number; null as before.</param>
internal sealed record ChildTable(
    string Name,
    string ParentIds,
    string FirstParent,
    string DeleteBetween,
    string? CountBetween,
    string? CountUpTo
);

/// <summary>A table of rows that others refer to.</summary>
/// <param name="Name">The table.</param>
/// <param name="AnyReference">Gives 0 if there is no row in the tables that refer to it.</param>
/// <param name="Delete">Removes the rows that nothing refers to, however many.</param>
/// <param name="DeleteFew">Does the same, faster where most rows stay.</param>
/// <param name="Ends">The first and the last id.</param>
/// <param name="Sample">Whether the first row from an id on would go.</param>
internal sealed record ReferredTable(
    string Name,
    string AnyReference,
    string Delete,
    Action<DatabaseSession> DeleteFew,
    string Ends,
    string Sample
);

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
