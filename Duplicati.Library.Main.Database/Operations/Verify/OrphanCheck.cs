// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Linq;
using Duplicati.Library.Interface;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Model;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;

namespace Duplicati.Library.Main.Database.Verify;

/// <summary>Checks that every entry of a fileset has its file.</summary>
internal static class OrphanCheck
{
    // Reads FilesetEntry after a failure; row id of FileLookup.
    internal const string FilesetsWithOrphans = """
        SELECT DISTINCT "FilesetID" FROM "FilesetEntry"
        WHERE NOT EXISTS (SELECT 1 FROM "FileLookup" WHERE "FileLookup"."ID" = "FilesetEntry"."FileID")
        """;

    private const int SHOWN = 10;

    /// <summary>Counts the entries without a file, and throws if there are any. Linear in FilesetEntry.</summary>
    /// <exception cref="DatabaseInconsistencyException">There are some.</exception>
    internal static void Run(DatabaseSession session) => ThrowIfAny(session, session.ReadNumber(VolumeRemoval.CountOrphans));

    /// <summary>Throws if there are entries without a file, naming the filesets.</summary>
    /// <exception cref="DatabaseInconsistencyException">There are some.</exception>
    internal static void ThrowIfAny(DatabaseSession session, long orphans)
    {
        if (orphans > 0)
            throw new DatabaseInconsistencyException(
                $"Detected {orphans} file entries that reference a non-existing file in these versions:{Environment.NewLine}{string.Join(Environment.NewLine, Describe(session))}"
            );
    }

    private static List<string> Describe(DatabaseSession session)
    {
        var affected = new HashSet<long>();
        using (var select = session.Take(FilesetsWithOrphans))
        {
            while (select.Read())
                affected.Add(select.GetInt64(0));
        }

        var times = FilesetReads.Times(session);
        var lines = times
            .Select((fileset, version) => (fileset, version))
            .Where(x => affected.Remove(x.fileset.Id))
            .Select(x => $"Version {x.version}: {EpochTime.FromSeconds(x.fileset.EpochSeconds):u} (fileset id {x.fileset.Id})")
            .ToList();
        lines.AddRange(affected.Order().Select(id => $"Fileset id {id}, which is not in the list of versions"));
        if (lines.Count > SHOWN)
            lines = [.. lines.Take(SHOWN), $"... and {lines.Count - SHOWN} more"];
        return lines;
    }
}
