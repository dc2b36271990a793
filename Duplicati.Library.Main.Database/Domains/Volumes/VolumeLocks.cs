// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Volumes;

/// <summary>Until when remote files are locked against deletion.</summary>
internal static class VolumeLocks
{
    // Index RemotevolumeNameOnly.
    private const string SetSql = """UPDATE "Remotevolume" SET "LockExpirationTime" = ?2 WHERE "Name" = ?1""";

    // Small table, one row a volume.
    private const string All = """SELECT "Name", "LockExpirationTime" FROM "Remotevolume" ORDER BY "ID" """;

    // Small table, one row a volume.
    private const string Unknown =
        """SELECT "Name", "LockExpirationTime" FROM "Remotevolume" WHERE "LockExpirationTime" = 0 ORDER BY "ID" """;

    /// <summary>Sets the time for one volume; cut to whole seconds.</summary>
    /// <exception cref="Exception">There is no such volume.</exception>
    internal static void Set(DatabaseSession session, string name, DateTime expires)
    {
        using var update = session.Take(SetSql);
        var updated = update.Bind(1, name).Bind(2, Library.Utility.Utility.NormalizeDateTimeToEpochSeconds(expires)).ExecuteNonQuery();
        if (updated != 1)
            throw new Exception($"Unexpected number of remote volumes updated: {updated}, expected 1");
    }

    /// <summary>Name and time (UTC; 1970 if unknown) of all volumes, or of those whose time is unknown.</summary>
    internal static List<(string Name, DateTime? LockExpirationTime)> Read(DatabaseSession session, bool onlyUnknown)
    {
        var sql = onlyUnknown ? Unknown : All;
        session.Tell(sql);
        using var rows = session.Take(sql);
        return rows.ReadAll(static row => (row.GetString(0)!, (DateTime?)EpochTime.FromSeconds(row.GetInt64(1))));
    }
}
