// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The filesets in which a listing looks for files, and the entries of a file in them.</summary>
internal sealed class VersionMap
{
    // FilesetentryFileIdIndex.
    private const string Entries = """SELECT "FilesetID", "Lastmodified" FROM "FilesetEntry" WHERE "FileID" = ?1""";

    // The primary key.
    private const string Entry = """SELECT "FilesetID", "Lastmodified" FROM "FilesetEntry" WHERE "FileID" = ?1 AND "FilesetID" = ?2""";

    // A file is in many other versions that nobody asks for: up to this number, looking each one up costs less than reading them all.
    private const int Few = 4;

    private readonly Dictionary<long, FilesetRow> m_filesets = [];
    private readonly DatabaseSession m_session;
    private readonly bool m_hasFew;
    private readonly bool m_isPaged;

    /// <summary>Knows the given filesets, or all if there are none given. Reads Fileset once.</summary>
    /// <param name="session">The session.</param>
    /// <param name="filesetIds">Ids of filesets.</param>
    /// <param name="window">What is seen of the entries: those outside of it cost less.</param>
    internal VersionMap(DatabaseSession session, long[]? filesetIds, PageWindow window)
    {
        m_session = session;
        var wanted = filesetIds is { Length: > 0 } ? filesetIds.ToHashSet() : null;
        foreach (var fileset in FilesetListing.All(session).Where(x => wanted is null || wanted.Contains(x.Id)))
            m_filesets[fileset.Id] = fileset; // Damaged pages may give an id twice.
        m_hasFew = wanted is not null && m_filesets.Count <= Few;
        m_isPaged = !m_hasFew && !window.IsUnlimited;
    }

    /// <summary>The statement for <see cref="Read"/>; the caller gives it back.</summary>
    internal Statement Take() =>
        m_session.Take(
            m_hasFew ? Entry
            : m_isPaged ? FilesetReads.OfFile
            : Entries
        );

    /// <summary>When a file was changed last before it went into a version, UTC. One look-up if the list is paged.</summary>
    /// <exception cref="InvalidOperationException">The pages are damaged: an index has the entry, but the table has not.</exception>
    internal DateTime LastModified(VersionEntry entry)
    {
        if (!m_isPaged)
            return new DateTime(entry.LastModified, DateTimeKind.Utc);

        using var select = m_session.Take(Entry);
        select.Bind(1, entry.FileId).Bind(2, entry.Fileset.Id);
        return select.Read()
            ? new DateTime(select.GetInt64(1), DateTimeKind.Utc)
            : throw new InvalidOperationException(
                $"The entry of the file with id {entry.FileId} in the version with id {entry.Fileset.Id} has vanished."
            );
    }

    /// <summary>Adds the entries of one file to a list, in no order. Looks up a few versions, or reads all that the file is in.</summary>
    /// <param name="select">What <see cref="Take"/> gave.</param>
    /// <param name="fileId">The file.</param>
    /// <param name="entries">Takes them.</param>
    internal void Read(Statement select, long fileId, List<VersionEntry> entries)
    {
        select.Bind(1, fileId);
        if (!m_hasFew)
        {
            Add(select, fileId, entries);
            return;
        }

        foreach (var fileset in m_filesets.Keys)
        {
            select.Bind(2, fileset);
            Add(select, fileId, entries);
        }
    }

    private void Add(Statement select, long fileId, List<VersionEntry> entries)
    {
        while (select.Read())
        {
            if (m_filesets.TryGetValue(select.GetInt64(0), out var fileset))
                entries.Add(new VersionEntry(fileId, fileset, m_isPaged ? 0 : select.GetInt64(1)));
        }
    }
}

/// <summary>A file in a fileset.</summary>
/// <param name="FileId">Id of the FileLookup row.</param>
/// <param name="Fileset">The fileset.</param>
/// <param name="LastModified">Ticks, UTC; 0 in a list that is paged, where <see cref="VersionMap.LastModified"/> looks it up.</param>
internal readonly record struct VersionEntry(long FileId, FilesetRow Fileset, long LastModified)
{
    /// <summary>The oldest fileset first.</summary>
    internal static int OldestFirst(VersionEntry x, VersionEntry y)
    {
        var result = y.Fileset.Version.CompareTo(x.Fileset.Version);
        return result != 0 ? result : x.FileId.CompareTo(y.FileId);
    }
}
