// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.FileLists;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>
/// Checks that every entry of a fileset has its file, and that the distinct paths which a list volume would get are as many as
/// the entries. Reads FileLookup and FilesetEntry once; 16 bytes a file.
/// </summary>
internal sealed class FileListCheck
{
    // Reads FilesetEntry in the order of its primary key.
    internal const string FilesetEntries = """SELECT "FilesetID", "FileID" FROM "FilesetEntry" ORDER BY "FilesetID", "FileID" """;

    // Primary key of FilesetEntry; see the two lists. Only for filesets that seem to differ.
    private const string CountListed = $"""
        SELECT COUNT(*) FROM (SELECT "Path" FROM ({FileListReads.Files}) UNION SELECT "Path" FROM ({FileListReads.FoldersAndSymlinks}))
        """;

    // Row id.
    private const string TimeOfFileset = """SELECT "Timestamp" FROM "Fileset" WHERE "ID" = ?1""";

    private const int ROWS_BETWEEN_CANCEL_CHECKS = 4096;

    private readonly PathTable m_table;
    private readonly int[] m_seenIn;
    private readonly List<(long FilesetId, long Entries)> m_doubtful = [];
    private long m_orphans;
    private long m_fileset = -1;
    private int m_ordinal;
    private int m_position;
    private long m_entries;
    private long m_listed;

    private FileListCheck(PathTable table)
    {
        m_table = table;
        m_seenIn = new int[table.DistinctPaths];
    }

    /// <summary>Runs the checks; the first that fails throws.</summary>
    /// <exception cref="DatabaseInconsistencyException">An entry has no file; or, with help id FilesetDifferences, lists and entries
    /// differ.</exception>
    internal static void Run(DatabaseSession session, CancellationToken token)
    {
        var check = new FileListCheck(PathTable.Load(session));
        check.ReadEntries(session, token);
        OrphanCheck.ThrowIfAny(session, check.m_orphans);
        check.SettleDoubts(session);
    }

    private void ReadEntries(DatabaseSession session, CancellationToken token)
    {
        using var select = session.Take(FilesetEntries);
        for (long count = 0; select.Read(); count++)
        {
            if (count % ROWS_BETWEEN_CANCEL_CHECKS == 0)
                token.ThrowIfCancellationRequested();
            if (m_ordinal == 0 || select.GetInt64(0) != m_fileset)
                BeginFileset(select.GetInt64(0));
            AddEntry(select.GetInt64(1));
        }

        EndFileset();
    }

    private void BeginFileset(long id)
    {
        EndFileset();
        m_fileset = id;
        m_ordinal++;
        m_position = 0;
        m_entries = 0;
        m_listed = 0;
    }

    private void AddEntry(long fileId)
    {
        m_entries++;
        var path = m_table.Find(fileId, ref m_position);
        if (path is null)
        {
            m_orphans++;
        }
        else if (path != PathTable.NOT_LISTED && m_seenIn[path.Value] != m_ordinal)
        {
            m_seenIn[path.Value] = m_ordinal;
            m_listed++;
        }
    }

    private void EndFileset()
    {
        if (m_listed != m_entries)
            m_doubtful.Add((m_fileset, m_entries));
    }

    private void SettleDoubts(DatabaseSession session)
    {
        var differences = new List<string>();
        foreach (var (filesetId, entries) in m_doubtful)
        {
            // Entries of a fileset that does not exist are no part of any list.
            if (Time(session, filesetId) is not { } time)
                continue;

            using var count = session.Take(CountListed);
            count.Bind(1, filesetId).Bind(2, SpecialBlocksets.Folder).Bind(3, SpecialBlocksets.Symlink);
            var listed = count.ExecuteInt64(0);
            if (listed != entries)
                differences.Add($"Fileset {filesetId} of {time:u}: found {listed} entries, but expected {entries}");
        }

        if (differences.Count > 0)
            throw new DatabaseInconsistencyException(
                $"Unexpected difference in filesets:{Environment.NewLine}{string.Join(Environment.NewLine, differences)}",
                "FilesetDifferences"
            );
    }

    private static DateTime? Time(DatabaseSession session, long filesetId)
    {
        using var select = session.Take(TimeOfFileset);
        select.Bind(1, filesetId);
        return select.Read() ? EpochTime.FromSeconds(select.GetInt64(0)) : null;
    }
}
