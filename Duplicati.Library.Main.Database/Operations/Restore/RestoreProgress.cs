// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Restore;

/// <summary>
/// How many files are fully restored and how many bytes of data are, kept up with every mark. Counts of single files are kept
/// for those marked lately (40 bytes each, at most 64 K of them) and taken from the block list for others.
/// </summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal sealed class RestoreProgress
{
    private const string InsertNewlyDone = """INSERT OR IGNORE INTO temp."RestoreNewlyDone" ("ID") VALUES (?1)""";

    // One scan of the data rows, which lie in the order of the groups.
    private const string CountRestored = """
        SELECT SUM("Done"), SUM("Bytes") FROM (
            SELECT MIN("Restored") AS "Done", SUM(CASE WHEN "Restored" = 1 THEN "Size" ELSE 0 END) AS "Bytes"
            FROM temp."RestoreBlock" WHERE "Metadata" = 0 GROUP BY "FileID")
        """;

    private const int MaxFiles = 1 << 16;

    private readonly DatabaseSession m_session;
    private readonly Dictionary<long, long> m_missing = [];
    private bool m_counted;
    private bool m_tracksNewlyDone;
    private long m_files;
    private long m_bytes;

    internal RestoreProgress(DatabaseSession session) => m_session = session;

    /// <summary>Whether progress is wanted.</summary>
    internal bool IsTracked { get; private set; }

    /// <summary>Begins with nothing restored.</summary>
    /// <param name="newlyDone">Whether the ids of files that become complete are collected.</param>
    internal void Start(bool newlyDone)
    {
        Stop();
        IsTracked = true;
        m_tracksNewlyDone = newlyDone;
        if (newlyDone)
            RestoreTempTables.RestoreNewlyDone.Reset(m_session);
    }

    internal void Stop()
    {
        IsTracked = false;
        m_tracksNewlyDone = false;
        Recount();
    }

    /// <summary>Forgets the counts: they are taken from the block list when next needed.</summary>
    internal void Recount()
    {
        m_counted = false;
        m_missing.Clear();
    }

    /// <summary>Files without a missing block, and bytes of data restored.</summary>
    internal (long Files, long Bytes) Totals()
    {
        if (!m_counted)
            Count();
        return (m_files, m_bytes);
    }

    /// <summary>To be called before data blocks of a file are marked, so that its counts are known.</summary>
    internal void Touch(long file)
    {
        if (!IsTracked)
            return;
        if (!m_counted)
            Count();
        if (m_missing.ContainsKey(file))
            return;
        if (m_missing.Count >= MaxFiles)
            m_missing.Clear();
        m_missing.Add(file, MissingOf(file));
    }

    /// <summary>To be called after data blocks of a file were marked; negative numbers for blocks that are missing again.</summary>
    internal void Restored(long file, long blocks, long bytes)
    {
        if (!IsTracked || blocks == 0)
            return;

        var before = m_missing[file];
        var after = before - blocks;
        m_missing[file] = after;
        m_bytes += bytes;
        if (before == 0)
            m_files--;
        if (after == 0)
            Completed(file);
    }

    private void Completed(long file)
    {
        m_files++;
        if (!m_tracksNewlyDone)
            return;

        using var insert = m_session.Take(InsertNewlyDone);
        insert.Bind(1, file).ExecuteNonQuery();
    }

    private long MissingOf(long file)
    {
        using var count = m_session.Take(RestoreBlockList.CountOfFile);
        count.Bind(1, 0).Bind(2, file);
        return count.Read() ? count.GetInt64(0) - count.GetInt64(1) : 0;
    }

    private void Count()
    {
        using var count = m_session.Take(CountRestored);
        (m_files, m_bytes) = count.Read() ? (count.GetInt64(0), count.GetInt64(1)) : (0, 0);
        m_counted = true;
    }
}

/// <summary>Messages of a restore carry the tag of the API's type, whatever part writes them.</summary>
internal static class RestoreLog
{
    internal static readonly string Tag = Logging.Log.LogTagFromType<LocalRestoreDatabase>();
}
