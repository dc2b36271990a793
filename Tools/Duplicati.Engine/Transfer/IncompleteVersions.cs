// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Versions whose lists were not uploaded: those of an interrupted backup, and those that were to take the place of others.
/// </summary>
internal static class IncompleteVersions
{
    private const string BACKUP = "Backup";

    // Both by row id. The operation of the volume is the last one that has changed its state.
    private const string OPERATION =
        """SELECT "Description" FROM "Operation" WHERE "ID" = (SELECT "OperationID" FROM "Fileset" WHERE "ID" = $fileset)""";

    /// <summary>Whether a backup has begun a version.</summary>
    internal static bool IsOfBackup(LocalDatabase database, long filesetId) =>
        DumpQuery.Rows(database.Connection, OPERATION, x => x.GetString(0), ("$fileset", filesetId)).FirstOrDefault() == BACKUP;
}
