// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>Checks that filesets and the volumes that list them belong together.</summary>
internal static class ListVolumeCheck
{
    // Reads Fileset, one row a version; row id of Remotevolume.
    private const string FilesetsWithoutVolume = """
        SELECT "ID", "Timestamp", "VolumeID" FROM "Fileset"
        WHERE NOT EXISTS (
            SELECT 1 FROM "Remotevolume"
            WHERE "Remotevolume"."ID" = "Fileset"."VolumeID" AND "Remotevolume"."Type" = 'Files' AND "Remotevolume"."State" <> 'Deleted')
        ORDER BY "ID"
        """;

    // Reads Remotevolume, one row a volume; Fileset once.
    private const string VolumesWithoutFileset = """
        SELECT "ID", "Name", "State" FROM "Remotevolume"
        WHERE "Type" = 'Files' AND "State" NOT IN ('Deleted', 'Deleting') AND "ID" NOT IN (SELECT "VolumeID" FROM "Fileset")
        ORDER BY "ID"
        """;

    /// <summary>Runs the checks; the first that fails throws.</summary>
    /// <exception cref="DatabaseInconsistencyException">A fileset has no list volume, or a list volume has no fileset.</exception>
    internal static void Run(DatabaseSession session)
    {
        ThrowOn(session, FilesetsWithoutVolume, FilesetMessage);
        ThrowOn(session, VolumesWithoutFileset, VolumeMessage);
    }

    private static void ThrowOn(DatabaseSession session, string sql, Func<long, Row, string> message)
    {
        using var select = session.Take(sql);
        long count = 0;
        Row first = default;
        for (; select.Read(); count++)
        {
            if (count == 0)
                first = new Row(select.GetInt64(0), select.GetString(1), select.GetString(2));
        }

        if (count > 0)
            throw new DatabaseInconsistencyException(message(count, first));
    }

    private static string FilesetMessage(long count, Row first) =>
        count == 1
            ? $"Detected 1 fileset with a missing or deleted volume: fileset {first.Id} of {EpochTime.FromSeconds(long.Parse(first.Second!, System.Globalization.CultureInfo.InvariantCulture)):u}, volume id {first.Third}"
            : $"Detected {count} filesets with missing or deleted volumes";

    private static string VolumeMessage(long count, Row first) =>
        count == 1
            ? $"Detected 1 list volume without a fileset: volume id {first.Id}, name {first.Second}, state {first.Third}"
            : $"Detected {count} list volumes without filesets";

    private readonly record struct Row(long Id, string? Second, string? Third);
}
