// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Further copies of blocks (DuplicateBlock) that lie in volumes which are gone. The removal of a volume leaves their rows, as upstream
/// does, and a new volume may get the id of one whose row has gone: it would pass for a holder of blocks that it does not have.
/// </summary>
internal static class CopiesInGoneVolumes
{
    // Reads all rows of DuplicateBlock, which has no index on the volume; remote volumes by id.
    private const string FORGET = """
        DELETE FROM "DuplicateBlock"
        WHERE NOT EXISTS (SELECT 1 FROM "Remotevolume" "v" WHERE "v"."ID" = "DuplicateBlock"."VolumeID" AND "v"."State" <> 'Deleted')
        """;

    /// <summary>Forgets them. Linear in the copies of all volumes. Does not commit.</summary>
    internal static void Forget(LocalDatabase database) => DumpQuery.Execute(database.Connection, FORGET);
}
