// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Collections.Immutable;
using Duplicati.Library.Main.Database.Paths;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// The files, symbolic links and folders that one restore object has chosen. Lives in a temporary table, about 120 bytes an
/// entry for a path of 100 characters; target paths are computed, not stored.
/// </summary>
/// <remarks>Members that take no session must be called with the connection lock held; the API does so.</remarks>
internal sealed class RestoreFileList
{
    // Emptied, not dropped: a drop fails while any reader is open.
    // One scan of the list, Blockset by id.
    private const string CountSql = """
        SELECT COUNT(DISTINCT r."Path"), SUM(b."Length")
        FROM temp."RestoreFile" r
        CROSS JOIN "Blockset" b ON b."ID" = r."BlocksetID"
        """;

    // One scan of the list.
    private const string LongestPathSql = """SELECT "Path" FROM temp."RestoreFile" ORDER BY LENGTH("Path") DESC, "ID" LIMIT 1""";

    // One scan of the list.
    internal const string AllPaths = """SELECT "ID", "Path" FROM temp."RestoreFile" ORDER BY "ID" """;

    // One scan of the list and a sort; ?1 is where the part of the path begins that targets differ in.
    private const string ByTarget = """SELECT "ID", "Path" FROM temp."RestoreFile" ORDER BY SUBSTR("Path", ?1), "ID" """;

    // By id.
    private const string Remove = """DELETE FROM temp."RestoreFile" WHERE "ID" = ?1""";

    // One scan of the list, Blockset by id.
    private const string RemoveLargerThanSql = """
        DELETE FROM temp."RestoreFile"
        WHERE EXISTS (SELECT 1 FROM "Blockset" b WHERE b."ID" = "RestoreFile"."BlocksetID" AND b."Length" > ?1)
        """;

    // By id.
    private const string SetDataVerifiedSql = """UPDATE temp."RestoreFile" SET "DataVerified" = 1 WHERE "ID" = ?1""";

    private readonly DatabaseSession m_session;
    private readonly RestoreTables m_tables;
    private ImmutableDictionary<long, string> m_renamed = ImmutableDictionary<long, string>.Empty;
    private TargetPaths? m_targets;
    private long m_preparedIn;

    internal RestoreFileList(DatabaseSession session)
    {
        m_session = session;
        m_tables = RestoreTables.Of(session);
        Blocks = new RestoreBlockList(session);
    }

    /// <summary>Whether a list has been prepared and not dropped.</summary>
    internal bool Exists { get; private set; }

    /// <summary>The blocks these files need.</summary>
    internal RestoreBlockList Blocks { get; }

    /// <summary>Starts an empty list.</summary>
    internal void Begin()
    {
        m_tables.Claim(this);
        RestoreTempTables.RestoreFile.Reset(m_session);
        Blocks.Forget();
        m_renamed = m_renamed.Clear();
        m_targets = null;
        m_preparedIn = m_session.TransactionCount;
        Exists = true;
    }

    /// <summary>Empties the list and gives the tables up.</summary>
    internal void Drop()
    {
        if (!Exists)
            return;

        Exists = false;
        m_targets = null;
        m_renamed = m_renamed.Clear();
        m_tables.Release(this);
        m_session.Run(RestoreTempTables.RestoreFile.Clear);
    }

    /// <summary>A rollback took back what the open transaction had put in.</summary>
    internal void RolledBack()
    {
        // The rollback has been counted already.
        var ended = m_session.TransactionCount - 1;
        Blocks.RolledBack(ended);
        if (m_preparedIn != ended)
            return;

        Exists = false;
        m_tables.Release(this);
    }

    /// <summary>Number of distinct paths, and bytes, of the files in the list.</summary>
    internal (long Count, long Size) Count()
    {
        using var count = m_session.Take(CountSql);
        return count.Read() ? (count.GetInt64(0), count.GetInt64(1)) : (0, 0);
    }

    /// <summary>The path with the most characters, or null.</summary>
    internal string? LongestPath()
    {
        using var longest = m_session.Take(LongestPathSql);
        return longest.ExecuteString();
    }

    /// <summary>The longest folder that all entries lie in, with a trailing separator; empty if there is none.</summary>
    internal string CommonFolder(string separator)
    {
        var folder = new CommonFolder(separator);
        using var paths = m_session.Take(AllPaths);
        while (paths.Read())
            folder.Add(paths.GetUtf8(1));
        return folder.ToString();
    }

    /// <summary>Chooses where entries are restored to.</summary>
    internal void SetTargets(TargetPaths targets)
    {
        m_targets = targets;
        m_renamed = m_renamed.Clear();
    }

    /// <summary>Sends one entry elsewhere.</summary>
    internal void Rename(long id, string target) => m_renamed = m_renamed.SetItem(id, target);

    /// <summary>The targets as they are now; later changes do not show in it.</summary>
    /// <exception cref="InvalidOperationException">Targets have not been chosen yet.</exception>
    internal TargetSnapshot Targets() =>
        new(m_targets ?? throw new InvalidOperationException("The target paths have not been set."), m_renamed);

    /// <summary>Ids of all entries, in the order of their targets.</summary>
    internal long[] IdsByTarget(TargetSnapshot targets)
    {
        using var rows = m_session.Take(ByTarget);
        rows.Bind(1, targets.SortFrom);
        var ids = new List<long>();
        if (targets.KeepsOrder)
        {
            while (rows.Read())
                ids.Add(rows.GetInt64(0));
            return [.. ids];
        }

        var paths = new List<string>();
        while (rows.Read())
        {
            ids.Add(rows.GetInt64(0));
            paths.Add(targets.Of(rows.GetInt64(0), rows.GetString(1)!));
        }

        var sorted = ids.ToArray();
        Array.Sort(paths.ToArray(), sorted, BinaryOrder.Instance);
        return sorted;
    }

    /// <summary>Removes files of more than <paramref name="maxSize"/> bytes.</summary>
    internal long RemoveLargerThan(long maxSize)
    {
        using var remove = m_session.Take(RemoveLargerThanSql);
        return remove.Bind(1, maxSize).ExecuteNonQuery();
    }

    /// <summary>Removes the entries that are alternate data streams.</summary>
    internal void RemoveStreams(AlternateStreams streams)
    {
        if (!streams.Exist)
            return;

        var doomed = new List<long>();
        using (var paths = m_session.Take(AllPaths))
        {
            while (paths.Read())
            {
                if (streams.IsStream(paths.GetString(1)!))
                    doomed.Add(paths.GetInt64(0));
            }
        }

        using var remove = m_session.Take(Remove);
        foreach (var id in doomed)
            remove.Bind(1, id).ExecuteNonQuery();
    }

    /// <summary>Marks a file as verified.</summary>
    /// <returns>Number of entries with that id.</returns>
    internal int SetDataVerified(long id)
    {
        using var update = m_session.Take(SetDataVerifiedSql);
        return update.Bind(1, id).ExecuteNonQuery();
    }
}
