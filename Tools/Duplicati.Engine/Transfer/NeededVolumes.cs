// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Volumes that complete versions need although their rows say that they go, are gone, or never came. No operation leaves such rows: what
/// is deleted holds nothing any more, and what was on its way when an operation was interrupted belongs to a version that was, too.
/// </summary>
/// <param name="database">The database.</param>
/// <param name="isInterrupted">Whether an operation that uploads was interrupted, or is at work.</param>
internal sealed class NeededVolumes(LocalDatabase database, bool isInterrupted)
{
    /// <summary>Whether a volume has blocks. Block_IndexByVolumeId.</summary>
    private const string HOLDS_BLOCKS = """SELECT EXISTS (SELECT 1 FROM "Block" WHERE "VolumeID" = @volume)""";

    /// <summary>
    /// Whether a volume has blocks of data, metadata or lists of blocks that an entry of any version needs, or of a complete one: whose
    /// list was not on its way when an operation was interrupted. One row a version in Fileset and a volume in Remotevolume;
    /// Block_IndexByVolumeId, BlocksetEntry_IndexIdsBackwards; all of BlocklistHash, which has no index on the hash, but only if no entry
    /// needs data of the volume, BlockHashVolumeID; nn_FileLookup_BlockMeta, MetadatasetBlocksetID, FileLookupMetadataID,
    /// FilesetentryFileIdIndex.
    /// </summary>
    private const string HOLDS_NEEDED_BLOCKS = """
        WITH "Unfinished" AS MATERIALIZED (
            SELECT "f"."ID"
            FROM "Fileset" "f"
            CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "f"."VolumeID"
            WHERE NOT @any
                AND (("v"."State" = 'Temporary' AND COALESCE("v"."Hash", '') = '') OR ("v"."State" = 'Uploading' AND @interrupted)))
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
                    WHERE "l"."BlocksetID" = "s"."BlocksetID" AND "e"."FilesetID" NOT IN (SELECT "ID" FROM "Unfinished"))
                OR EXISTS (
                    SELECT 1
                    FROM "Metadataset" "m"
                    CROSS JOIN "FileLookup" "l" ON "l"."MetadataID" = "m"."ID"
                    CROSS JOIN "FilesetEntry" "e" ON "e"."FileID" = "l"."ID"
                    WHERE "m"."BlocksetID" = "s"."BlocksetID" AND "e"."FilesetID" NOT IN (SELECT "ID" FROM "Unfinished")))
        """;

    /// <summary>Whether the version of a file list has entries. One row a version in Fileset; part of the key of FilesetEntry.</summary>
    private const string LISTS_ENTRIES = """
        SELECT EXISTS (
            SELECT 1
            FROM "Fileset" "f"
            CROSS JOIN "FilesetEntry" "e" ON "e"."FilesetID" = "f"."ID"
            WHERE "f"."VolumeID" = @volume)
        """;

    /// <summary>
    /// Whether an index volume is the only one of a volume with blocks that is there. IndexBlockLink has a row a block volume; Remotevolume
    /// by id; Block_IndexByVolumeId.
    /// </summary>
    private const string IS_ONLY_INDEX = """
        SELECT EXISTS (
            SELECT 1
            FROM "IndexBlockLink" "k"
            WHERE "k"."IndexVolumeID" = @volume
                AND EXISTS (SELECT 1 FROM "Block" "b" WHERE "b"."VolumeID" = "k"."BlockVolumeID")
                AND NOT EXISTS (
                    SELECT 1
                    FROM "IndexBlockLink" "o"
                    CROSS JOIN "Remotevolume" "i" ON "i"."ID" = "o"."IndexVolumeID"
                    WHERE "o"."BlockVolumeID" = "k"."BlockVolumeID" AND "o"."IndexVolumeID" <> @volume AND "i"."State" IN ('Uploaded', 'Verified')))
        """;

    /// <summary>Whether a volume in a state other than Uploaded and Verified is one of them.</summary>
    /// <param name="volume">The volume.</param>
    /// <param name="isThere">Whether its file is in the remote folder. An index volume that is not is made anew by the next backup.</param>
    internal bool Contains(RemoteVolumeEntry volume, bool isThere) =>
        volume.Type switch
        {
            RemoteVolumeType.Blocks => HoldsBlocks(volume) && Ask(HOLDS_NEEDED_BLOCKS, volume),
            RemoteVolumeType.Index => isThere && IsOnlyIndex(volume),
            _ => !IsUnfinished(volume) && Ask(LISTS_ENTRIES, volume),
        };

    /// <summary>Whether blocks of any version, or of none, are recorded in a volume.</summary>
    internal bool HoldsBlocks(RemoteVolumeEntry volume) => Ask(HOLDS_BLOCKS, volume);

    /// <summary>Whether a version, complete or not, needs blocks of a volume.</summary>
    internal bool HoldsNeeded(RemoteVolumeEntry volume) => Ask(HOLDS_NEEDED_BLOCKS, volume, any: true);

    /// <summary>Whether a volume in such a state is the only index volume of one that holds blocks.</summary>
    internal bool IsOnlyIndex(RemoteVolumeEntry volume) =>
        volume.Type == RemoteVolumeType.Index && !IsUnfinished(volume) && Ask(IS_ONLY_INDEX, volume);

    // Hash and size are recorded when the upload begins.
    private bool IsUnfinished(RemoteVolumeEntry volume) =>
        volume.State switch
        {
            RemoteVolumeState.Temporary => string.IsNullOrEmpty(volume.Hash),
            RemoteVolumeState.Uploading => isInterrupted,
            _ => false,
        };

    private bool Ask(string question, RemoteVolumeEntry volume, bool any = false) =>
        DumpQuery.Number(database.Connection, question, ("@volume", volume.ID), ("@interrupted", isInterrupted), ("@any", any)) != 0;
}
