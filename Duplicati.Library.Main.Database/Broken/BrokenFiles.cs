// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Broken;

/// <summary>
/// The files whose data or metadata cannot be rebuilt. Found in one pass over BlocksetEntry, BlocklistHash, Blockset and FileLookup,
/// and kept for the next question as long as the connection has changed no row since.
/// </summary>
/// <remarks>Must be called with the session's gate held.</remarks>
internal sealed class BrokenFiles : ITransactionCache
{
    private readonly DatabaseSession m_session;
    private int m_changesSeen = -1;
    private long m_transactionSeen = -1;
    private long m_foreignSeen;
    private bool m_leavesOutReplaceable;

    private BrokenFiles(DatabaseSession session) => m_session = session;

    internal static BrokenFiles Of(DatabaseSession session) => session.Service(static x => new BrokenFiles(x));

    /// <summary>Filesets with broken entries in id order: id, time in epoch seconds, number of broken entries.</summary>
    internal List<(long Id, long EpochSeconds, long Count)> Filesets(DateTime time, long[]? versions, bool leaveOutReplaceable = false)
    {
        var wanted = FilesetSelection
            .Matching(m_session, time.Ticks == 0 ? DateTime.SpecifyKind(time, DateTimeKind.Utc) : time, versions, false)
            .ToHashSet();
        var times = FilesetReads.Times(m_session).ToDictionary(x => x.Id, x => x.EpochSeconds);
        Find(leaveOutReplaceable);
        var result = new List<(long, long, long)>();
        using var rows = m_session.TakeDirect(BrokenSql.CountByFileset);
        while (rows.Read())
        {
            if (wanted.Contains(rows.GetInt64(0)))
                result.Add((rows.GetInt64(0), times[rows.GetInt64(0)], rows.GetInt64(1)));
        }

        result.Sort();
        return result;
    }

    /// <summary>Full path and length (-1 if there is no blockset) of the broken files of a fileset.</summary>
    internal List<Tuple<string, long>> Names(long filesetId, bool leaveOutReplaceable = false)
    {
        Find(leaveOutReplaceable);
        var result = new List<Tuple<string, long>>();
        using var rows = m_session.TakeDirect(BrokenSql.FilesOfFileset);
        rows.Bind(1, filesetId);
        while (rows.Read())
        {
            if (!rows.IsDBNull(0))
                result.Add(Tuple.Create(rows.GetString(0)!, rows.GetInt64(1, -1)));
        }

        return result;
    }

    /// <summary>Adds the ids of the broken files of a fileset to a column of a caller's table.</summary>
    internal void InsertIds(long filesetId, string table, string column, bool leaveOutReplaceable = false)
    {
        Find(leaveOutReplaceable);
        var ids = new List<long>();
        using (var rows = m_session.TakeDirect(BrokenSql.FileIdsOfFileset))
        {
            rows.Bind(1, filesetId);
            while (rows.Read())
                ids.Add(rows.GetInt64(0));
        }

        // Names of tables cannot be bound; quoted, any text is a name and nothing else.
        using var insert = m_session.Statements.Prepare($"INSERT INTO {SqlName.Quote(table)} ({SqlName.Quote(column)}) VALUES (?1)");
        foreach (var id in ids)
            insert.Bind(1, id).ExecuteNonQuery();
        // The caller's table is no part of the answer.
        m_changesSeen = m_session.Statements.TotalChanges;
    }

    /// <inheritdoc/>
    public void Discard() => m_changesSeen = -1;

    /// <summary>Ids of the filesets with an entry whose metadata cannot be rebuilt, but can be replaced.</summary>
    internal HashSet<long> FilesetsWithReplaceableMetadata()
    {
        Find(leaveOutReplaceable: false);
        var result = new HashSet<long>();
        using var rows = m_session.TakeDirect(BrokenSql.FilesetsWithReplaceableMetadata);
        while (rows.Read())
            result.Add(rows.GetInt64(0));
        return result;
    }

    // With a row in Metadataset, another blockset can take the place of the lost one.
    private void Find(bool leaveOutReplaceable)
    {
        if (
            m_leavesOutReplaceable == leaveOutReplaceable
            && m_changesSeen == m_session.Statements.TotalChanges
            && m_transactionSeen == m_session.TransactionCount
            && m_foreignSeen == m_session.ForeignWriteCount
        )
            return;

        BrokenTables.BrokenBlockset.Reset(m_session);
        BrokenTables.BrokenFile.Reset(m_session);
        foreach (
            var step in new[]
            {
                BrokenSql.BlocksetsByBlock,
                BrokenSql.BlocksetsByBlocklist,
                BrokenSql.BlocksetsWithoutEntries,
                BrokenSql.KeepNonEmpty,
                BrokenSql.FilesByData,
                BrokenSql.FilesByMetadata,
                BrokenSql.FilesWithoutMetadata,
            }
        )
            if (!leaveOutReplaceable || step != BrokenSql.FilesByMetadata)
                m_session.Run(step);
        m_leavesOutReplaceable = leaveOutReplaceable;
        m_changesSeen = m_session.Statements.TotalChanges;
        m_transactionSeen = m_session.TransactionCount;
        m_foreignSeen = m_session.ForeignWriteCount;
    }
}

/// <summary>
/// The temporary tables of looking for broken and affected files. Each has a primary key or an index for every column that it is joined on.
/// </summary>
internal static class BrokenTables
{
    internal static readonly TempTable BrokenBlockset = new("BrokenBlockset", BrokenSql.CreateBlocksets, BrokenSql.ClearBlocksets);
    internal static readonly TempTable BrokenFile = new("BrokenFile", BrokenSql.CreateFiles, BrokenSql.ClearFiles);
    internal static readonly TempTable AffectedFile = new("AffectedFile", AffectedSql.CreateFiles, AffectedSql.ClearFiles);
    internal static readonly TempTable AffectedName = new("AffectedName", AffectedSql.CreateNames, AffectedSql.ClearNames);
}
