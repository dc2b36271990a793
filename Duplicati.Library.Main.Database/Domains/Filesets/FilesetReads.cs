// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Filesets;

/// <summary>Questions about the filesets (versions).</summary>
internal static class FilesetReads
{
    // FilesetentryFileIdIndex.
    internal const string OfFile = """SELECT "FilesetID" FROM "FilesetEntry" WHERE "FileID" = ?1""";

    // Reads Fileset, one row a version.
    private const string TimesSql = """SELECT "ID", "Timestamp" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Reads Fileset, one row a version.
    private const string IsFullSql = """SELECT "IsFullBackup" FROM "Fileset" WHERE "Timestamp" = ?1 ORDER BY "ID" LIMIT 1""";

    // Row id.
    private const string IsFullByIdSql = """SELECT "IsFullBackup" FROM "Fileset" WHERE "ID" = ?1""";

    // Reads Fileset, one row a version; row id of Remotevolume, primary key of FilesetEntry.
    private const string IncompleteSql = """
        SELECT "Fileset"."ID", "Fileset"."Timestamp" FROM "Fileset"
        WHERE EXISTS (SELECT 1 FROM "Remotevolume" WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."State" IN ('Uploading', 'Temporary'))
          AND EXISTS (SELECT 1 FROM "FilesetEntry" WHERE "FilesetEntry"."FilesetID" = "Fileset"."ID")
        ORDER BY "Fileset"."Timestamp" DESC, "Fileset"."ID" DESC
        """;

    /// <summary>Id and time (epoch seconds) of all filesets, newest first; the position is the version number that users see.</summary>
    internal static List<FilesetTime> Times(DatabaseSession session) => Rows(session, TimesSql);

    /// <summary>Id and time of the filesets that have entries but whose list was not uploaded, newest first.</summary>
    internal static List<FilesetTime> Incomplete(DatabaseSession session) => Rows(session, IncompleteSql);

    /// <summary>Id and local time of all filesets, newest first.</summary>
    internal static List<KeyValuePair<long, DateTime>> LocalTimes(DatabaseSession session) => ToLocalTimes(Times(session));

    /// <summary>Id and local time of the incomplete filesets.</summary>
    internal static List<KeyValuePair<long, DateTime>> LocalIncomplete(DatabaseSession session) => ToLocalTimes(Incomplete(session));

    /// <summary>The volume of the newest incomplete fileset, times in local time, or the default value.</summary>
    internal static RemoteVolumeEntry LastIncompleteVolume(DatabaseSession session)
    {
        var incomplete = Incomplete(session);
        return incomplete.Count == 0 ? default : VolumeReads.OfFileset(session, incomplete[0].Id);
    }

    /// <summary>Whether the first fileset of a second is a full backup; false if there is none.</summary>
    internal static bool IsFull(DatabaseSession session, DateTime time)
    {
        var seconds = Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(time);
        session.Tell(IsFullSql, seconds);
        using var select = session.Take(IsFullSql);
        return select.Bind(1, seconds).ExecuteInt64(BackupType.PARTIAL_BACKUP) == BackupType.FULL_BACKUP;
    }

    /// <summary>Whether a fileset is a full backup; false if it is not there.</summary>
    internal static bool IsFull(DatabaseSession session, long filesetId)
    {
        session.Tell(IsFullByIdSql, filesetId);
        using var select = session.Take(IsFullByIdSql);
        return select.Bind(1, filesetId).ExecuteInt64(BackupType.PARTIAL_BACKUP) == BackupType.FULL_BACKUP;
    }

    private static List<FilesetTime> Rows(DatabaseSession session, string sql)
    {
        session.Tell(sql);
        using var select = session.Take(sql);
        return select.ReadAll(static row => new FilesetTime(row.GetInt64(0), row.GetInt64(1)));
    }

    private static List<KeyValuePair<long, DateTime>> ToLocalTimes(List<FilesetTime> rows) =>
        rows.ConvertAll(row => new KeyValuePair<long, DateTime>(row.Id, EpochTime.FromSeconds(row.EpochSeconds).ToLocalTime()));
}

/// <summary>A fileset and its time.</summary>
/// <param name="Id">Row id.</param>
/// <param name="EpochSeconds">Seconds since 1970, UTC.</param>
internal readonly record struct FilesetTime(long Id, long EpochSeconds);
