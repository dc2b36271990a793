// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Delete;

/// <summary>The versions of a backup, as a user counts them.</summary>
internal static class FilesetVersions
{
    // Small table, one row a version.
    private const string FilesetsNewestFirst =
        """SELECT "IsFullBackup", "Timestamp", "ID" FROM "Fileset" ORDER BY "Timestamp" DESC, "ID" DESC""";

    // Small table, one row a version.
    private const string FilesetAt = """SELECT "ID" FROM "Fileset" WHERE "Timestamp" = ?1 ORDER BY "ID" LIMIT 1""";

    /// <summary>All versions, newest first, with their position, kind and local time; counts and sizes are not known (-1).</summary>
    internal static List<IListResultFileset> NewestFirst(DatabaseSession session)
    {
        var labels = FilesetLabels.ById(session);
        var versions = new List<IListResultFileset>();
        using var rows = session.Take(FilesetsNewestFirst);
        while (rows.Read())
            versions.Add(
                new ListedVersion(
                    versions.Count,
                    (int)rows.GetInt64(0),
                    EpochTime.FromSeconds(rows.GetInt64(1)).ToLocalTime(),
                    -1,
                    -1,
                    labels.GetValueOrDefault(rows.GetInt64(2))
                )
            );
        return versions;
    }

    /// <summary>The id of the version of exactly that second, or -1.</summary>
    internal static long IdAt(DatabaseSession session, DateTime time)
    {
        using var row = session.Take(FilesetAt);
        return row.Bind(1, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(time)).ExecuteInt64();
    }
}
