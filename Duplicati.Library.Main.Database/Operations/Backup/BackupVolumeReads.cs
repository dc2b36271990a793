// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Filesets;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.Main.Database.Volumes;
using Duplicati.Library.SQLiteHelper.Statements;

namespace Duplicati.Library.Main.Database.Backup;

/// <summary>Questions of a backup about the remote volumes.</summary>
internal static class BackupVolumeReads
{
    // Reads Remotevolume and IndexBlockLink, a row a volume each.
    private const string WithoutIndexSql = """
        SELECT "Name" FROM "Remotevolume"
        WHERE "Type" = 'Blocks' AND "State" IN ('Uploaded', 'Verified')
          AND "ID" NOT IN (SELECT "BlockVolumeID" FROM "IndexBlockLink")
        ORDER BY "ID"
        """;

    // Row id of Remotevolume from the end; short, the newest volumes are block volumes.
    private const string LastUploadedSizeSql =
        """SELECT "Size" FROM "Remotevolume" WHERE "Type" = 'Blocks' AND "State" = 'Uploaded' ORDER BY "ID" DESC LIMIT 1""";

    /// <summary>Names of the lists of incomplete filesets, oldest first, or only of the newest.</summary>
    internal static IEnumerable<string> TemporaryLists(DatabaseSession session, bool latestOnly)
    {
        var filesets = FilesetReads.Incomplete(session);
        var names = new List<string>();
        for (var i = latestOnly ? Math.Min(0, filesets.Count - 1) : filesets.Count - 1; i >= 0; i--)
            names.Add(VolumeReads.OfFileset(session, filesets[i].Id).Name);
        return names;
    }

    /// <summary>Names of the stored block volumes that no index volume describes.</summary>
    internal static IReadOnlyList<string> WithoutIndex(DatabaseSession session)
    {
        using var select = session.Take(WithoutIndexSql);
        return select.ReadAll(static row => row.GetString(0)!);
    }

    /// <summary>Bytes of the newest block volume that was uploaded but not yet seen in a listing; -1 if there is none.</summary>
    internal static long LastUploadedSize(DatabaseSession session)
    {
        session.Tell(LastUploadedSizeSql);
        return session.ReadNumber(LastUploadedSizeSql, ifNone: -1);
    }

    /// <summary>True if a live block is stored in the volume.</summary>
    internal static bool HasBlocks(DatabaseSession session, string name)
    {
        using var select = session.Take(BlockSql.AnyInVolume);
        return select.Bind(1, name).ExecuteInt64() >= 0;
    }
}
