// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Listing;

/// <summary>Questions about filesets as a whole.</summary>
internal static class FilesetListing
{
    // Reads Fileset, one row a version.
    private const string Filesets = """SELECT "ID", "Timestamp", "IsFullBackup" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Primary key of FilesetEntry, row ids of FileLookup and Blockset.
    private const string FileTotals = """
        SELECT COUNT(*), SUM("Blockset"."Length")
        FROM "FilesetEntry"
        CROSS JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        CROSS JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1
        """;

    // Primary key of FilesetEntry, row ids of FileLookup and Blockset.
    private const string EntryTotals = """
        SELECT COUNT(*), SUM("Blockset"."Length")
        FROM "FilesetEntry"
        LEFT JOIN "FileLookup" ON "FileLookup"."ID" = "FilesetEntry"."FileID"
        LEFT JOIN "Blockset" ON "Blockset"."ID" = "FileLookup"."BlocksetID"
        WHERE "FilesetEntry"."FilesetID" = ?1
        """;

    /// <summary>All filesets, newest first.</summary>
    internal static List<FilesetRow> All(DatabaseSession session)
    {
        var labels = FilesetLabels.ById(session);
        var result = new List<FilesetRow>();
        using var select = session.Take(Filesets);
        while (select.Read())
        {
            var id = select.GetInt64(0);
            result.Add(new FilesetRow(id, result.Count, select.GetInt64(1), (int)select.GetInt64(2), labels.GetValueOrDefault(id)));
        }

        return result;
    }

    /// <summary>
    /// All filesets with the number of all their entries and the bytes of their files, newest first. Linear in the entries of all filesets.
    /// </summary>
    internal static List<IListFilesetResultFileset> Extended(DatabaseSession session) =>
        All(session)
            .ConvertAll(fileset =>
            {
                var (count, size) = Totals(session, EntryTotals, fileset.Id);
                return (IListFilesetResultFileset)
                    new ListedFileset(
                        fileset.Version,
                        fileset.Utc,
                        fileset.IsFullBackup == BackupType.FULL_BACKUP,
                        count,
                        size,
                        fileset.Label
                    );
            });

    /// <summary>Number and bytes of the plain files of a fileset; -1 for both if there are none. Linear in its entries.</summary>
    internal static (long Count, long Size) Files(DatabaseSession session, long filesetId)
    {
        var totals = Totals(session, FileTotals, filesetId);
        return totals.Count == 0 ? (-1, -1) : totals;
    }

    private static (long Count, long Size) Totals(DatabaseSession session, string sql, long filesetId)
    {
        using var select = session.Take(sql);
        select.Bind(1, filesetId);
        return select.Read() ? (select.GetInt64(0), select.GetInt64(1, 0)) : (0, 0);
    }
}

/// <summary>A fileset and its place among all.</summary>
/// <param name="Id">Row id.</param>
/// <param name="Version">Position among all filesets, newest first, from 0.</param>
/// <param name="EpochSeconds">Seconds since 1970, UTC.</param>
/// <param name="IsFullBackup">A value of BackupType.</param>
/// <param name="Label">The user's text; null without one.</param>
internal readonly record struct FilesetRow(long Id, long Version, long EpochSeconds, int IsFullBackup, string? Label)
{
    /// <summary>The time, UTC.</summary>
    internal DateTime Utc => EpochTime.FromSeconds(EpochSeconds);
}
