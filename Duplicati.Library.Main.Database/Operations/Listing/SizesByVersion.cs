// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>The sizes that a path has in some filesets.</summary>
/// <remarks>Must be used and disposed with the connection lock held.</remarks>
internal sealed class SizesByVersion : IDisposable
{
    // Primary key of FilesetEntry.
    private const string IsInFileset = """SELECT 1 FROM "FilesetEntry" WHERE "FilesetID" = ?1 AND "FileID" = ?2""";

    // FilesetentryFileIdIndex, which has the other column, too.
    private const string FilesetsOfFile =
        """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = ?1 AND "FilesetID" BETWEEN ?2 AND ?3""";

    // A path has one file in a version, so that its files are in as many entries as there are versions: for more filesets than this, these
    // are read. Looking up each file in each fileset costs the product.
    private const int Few = 4;

    private readonly List<FilesetRow> m_filesets;
    private readonly Dictionary<long, int> m_positions = [];
    private readonly (long First, long Last) m_ids;
    private readonly Statement m_isInFileset;
    private readonly Statement m_entries;

    internal SizesByVersion(DatabaseSession session, List<FilesetRow> filesets)
    {
        m_filesets = filesets;
        for (var i = 0; i < filesets.Count; i++)
            m_positions[filesets[i].Id] = i;
        m_ids = filesets.Count == 0 ? (0, -1) : (filesets.Min(x => x.Id), filesets.Max(x => x.Id));
        m_isInFileset = session.Take(IsInFileset);
        m_entries = session.Take(FilesetsOfFile);
    }

    /// <summary>
    /// Sizes in each of the filesets of a path that has one or more files, the first of which counts; null if none of the filesets has any
    /// of them.
    /// </summary>
    internal long[]? Of(ReadOnlySpan<SizedFile> files) => files.Length > 1 && m_filesets.Count > Few ? ByEntry(files) : ByFileset(files);

    public void Dispose()
    {
        m_isInFileset.Dispose();
        m_entries.Dispose();
    }

    private long[]? ByFileset(ReadOnlySpan<SizedFile> files)
    {
        long[]? result = null;
        for (var i = 0; i < m_filesets.Count; i++)
        {
            foreach (var file in files)
            {
                if (m_isInFileset.Bind(1, m_filesets[i].Id).Bind(2, file.FileId).ExecuteInt64(0) == 0)
                    continue;

                result ??= NoSizes();
                result[i] = file.Length;
                break;
            }
        }

        return result;
    }

    // Backwards, so that the first of two in one fileset is the last to be written.
    private long[]? ByEntry(ReadOnlySpan<SizedFile> files)
    {
        long[]? result = null;
        for (var i = files.Length - 1; i >= 0; i--)
        {
            m_entries.Bind(1, files[i].FileId).Bind(2, m_ids.First).Bind(3, m_ids.Last);
            while (m_entries.Read())
            {
                if (m_positions.TryGetValue(m_entries.GetInt64(0), out var position))
                    (result ??= NoSizes())[position] = files[i].Length;
            }
        }

        return result;
    }

    private long[] NoSizes()
    {
        var result = new long[m_filesets.Count];
        Array.Fill(result, -1);
        return result;
    }
}
