// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.VolumeTest;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Blocks that no version needs, in volumes that are gone or damaged: what an interrupted backup had uploaded before anything referred to
/// it. Nothing is lost with them. Where the entries of a version are not known, all blocks count as needed.
/// </summary>
internal sealed class UnneededBlocks(LocalDatabase database, EmptyVersions versions)
{
    /// <summary>
    /// Whether a volume has blocks of data, metadata or lists of blocks that an entry of a version needs. Block_IndexByVolumeId,
    /// BlocksetEntry_IndexIdsBackwards; all of BlocklistHash, which has no index on the hash, but only if no entry needs data of the
    /// volume, BlockHashVolumeID; nn_FileLookup_BlockMeta, MetadatasetBlocksetID, FileLookupMetadataID, FilesetentryFileIdIndex.
    /// </summary>
    private const string HOLDS_NEEDED_BLOCKS = """
        SELECT EXISTS (
            SELECT 1
            FROM (
                SELECT "c"."BlocksetID"
                FROM "Block" "b"
                CROSS JOIN "BlocksetEntry" "c" ON "c"."BlockID" = "b"."ID"
                WHERE "b"."VolumeID" = @volume
                UNION ALL
                SELECT "h"."BlocksetID"
                FROM "BlocklistHash" "h"
                CROSS JOIN "Block" "b" ON "b"."Hash" = "h"."Hash" AND "b"."VolumeID" = @volume) "s"
            WHERE EXISTS (
                    SELECT 1
                    FROM "FileLookup" "l"
                    CROSS JOIN "FilesetEntry" "e" ON "e"."FileID" = "l"."ID"
                    WHERE "l"."BlocksetID" = "s"."BlocksetID")
                OR EXISTS (
                    SELECT 1
                    FROM "Metadataset" "m"
                    CROSS JOIN "FileLookup" "l" ON "l"."MetadataID" = "m"."ID"
                    CROSS JOIN "FilesetEntry" "e" ON "e"."FileID" = "l"."ID"
                    WHERE "m"."BlocksetID" = "s"."BlocksetID"))
        """;

    /// <summary>Leaves the volumes with blocks that a version needs.</summary>
    internal async Task<List<RemoteVolumeEntry>> NeededAsync(IEnumerable<RemoteVolumeEntry> lost, CancellationToken token)
    {
        var needed = lost.Where(x => Ask(NeededVolumes.HOLDS_BLOCKS, x.ID)).ToList();
        if (needed.Count > 0 && await KnowsAllAsync(token).ConfigureAwait(false))
            needed.RemoveAll(x => !Ask(HOLDS_NEEDED_BLOCKS, x.ID));
        return needed;
    }

    /// <summary>Books blocks that no version needs as deleted, as any deletion of a version does. Does not commit.</summary>
    /// <returns>False if that cannot be told.</returns>
    internal async Task<bool> TryDropAsync(CancellationToken token)
    {
        if (!await KnowsAllAsync(token).ConfigureAwait(false))
            return false;
        await UnusedRows.DropAsync(database, token).ConfigureAwait(false);
        return true;
    }

    private async Task<bool> KnowsAllAsync(CancellationToken token) => (await versions.FindAsync(token).ConfigureAwait(false)).Count == 0;

    private bool Ask(string question, long volumeId) => DumpQuery.Number(database.Connection, question, ("@volume", volumeId)) != 0;
}
