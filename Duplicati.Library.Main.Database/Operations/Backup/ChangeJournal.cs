// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>Where the change journal of each source volume was read up to. Nothing here commits.</summary>
internal static class ChangeJournal
{
    // The table has no index: it has one row a source volume and fileset.

    // Reads ChangeJournalData.
    private const string OfFileset =
        """SELECT "VolumeName", "JournalID", "NextUsn", "ConfigHash" FROM "ChangeJournalData" WHERE "FilesetID" = ?1 ORDER BY "ID" """;

    // Appends by row id.
    private const string InsertSql =
        """INSERT INTO "ChangeJournalData" ("FilesetID", "VolumeName", "JournalID", "NextUsn", "ConfigHash") VALUES (?1, ?2, ?3, ?4, ?5)""";

    // Reads ChangeJournalData.
    private const string UpdateSql =
        """UPDATE "ChangeJournalData" SET "NextUsn" = ?1 WHERE "VolumeName" = ?2 AND "FilesetID" = ?3 AND "JournalID" = ?4""";

    /// <summary>The rows of a fileset.</summary>
    internal static IReadOnlyList<USNJournalDataEntry> Read(DatabaseSession session, long filesetId)
    {
        var rows = new List<USNJournalDataEntry>();
        using var select = session.Take(OfFileset);
        for (select.Bind(1, filesetId); select.Read(); )
        {
            rows.Add(
                new USNJournalDataEntry
                {
                    Volume = select.GetString(0)!,
                    JournalId = select.GetInt64(1),
                    NextUsn = select.GetInt64(2),
                    ConfigHash = select.GetString(3)!,
                }
            );
        }

        return rows;
    }

    /// <summary>Adds a row each.</summary>
    internal static void Insert(DatabaseSession session, long filesetId, IEnumerable<USNJournalDataEntry> data)
    {
        foreach (var entry in data)
        {
            using var insert = session.Take(InsertSql);
            insert
                .Bind(1, filesetId)
                .Bind(2, entry.Volume)
                .Bind(3, entry.JournalId)
                .Bind(4, entry.NextUsn)
                .Bind(5, entry.ConfigHash)
                .ExecuteNonQuery();
        }
    }

    /// <summary>Sets how far each journal was read; rows that do not exist are ignored.</summary>
    internal static void Update(DatabaseSession session, long filesetId, IEnumerable<USNJournalDataEntry> data)
    {
        foreach (var entry in data)
        {
            using var update = session.Take(UpdateSql);
            update.Bind(1, entry.NextUsn).Bind(2, entry.Volume).Bind(3, filesetId).Bind(4, entry.JournalId).ExecuteNonQuery();
        }
    }
}
