// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Compact;

/// <summary>
/// Further copies of blocks (DuplicateBlock), which an interrupted compact leaves. Such a copy may be the only one that can be read, so the
/// last one goes only when the volume that is recorded for the block was read.
/// </summary>
internal static class LastCopies
{
    /// <summary>Volumes with further copies of blocks. Reads all rows of UniqueBlockVolumeDuplicateBlock.</summary>
    private const string HOLDERS = """SELECT DISTINCT "VolumeID" FROM "DuplicateBlock" """;

    /// <summary>
    /// Each further copy in a volume that is there, with the volume that is recorded for the block. Reads all rows of
    /// UniqueBlockVolumeDuplicateBlock in its order; Block and Remotevolume by id.
    /// </summary>
    private const string COPIES = """
        SELECT "d"."BlockID", "b"."VolumeID", "d"."VolumeID"
        FROM "DuplicateBlock" "d"
        CROSS JOIN "Block" "b" ON "b"."ID" = "d"."BlockID"
        CROSS JOIN "Remotevolume" "v" ON "v"."ID" = "d"."VolumeID"
        WHERE "v"."State" IN ('Uploaded', 'Verified')
        ORDER BY "d"."BlockID", "d"."VolumeID"
        """;

    /// <summary>A volume that goes and holds the last further copy of a block.</summary>
    /// <param name="Recorded">The volume that is recorded for the block.</param>
    /// <param name="Holder">The volume that goes.</param>
    internal readonly record struct Holding(long Recorded, long Holder);

    /// <summary>Ids of all volumes with further copies.</summary>
    internal static HashSet<long> Holders(LocalDatabase database) =>
        DumpQuery.Rows(database.Connection, HOLDERS, x => x.GetInt64(0)).ToHashSet();

    /// <summary>
    /// What would be lost with volumes if the recorded ones cannot be read: one holder for each block of which no further copy stays.
    /// </summary>
    /// <param name="database">The database. All further copies are read, in constant memory.</param>
    /// <param name="leaving">Ids of the volumes that are to go.</param>
    /// <param name="read">Ids of recorded volumes that were read.</param>
    internal static HashSet<Holding> Find(LocalDatabase database, IReadOnlySet<long> leaving, IReadOnlySet<long> read)
    {
        var found = new HashSet<Holding>();
        var (block, recorded, holder, stays) = (-1L, -1L, -1L, true);
        foreach (
            var copy in DumpQuery.Rows(
                database.Connection,
                COPIES,
                x => (Block: x.GetInt64(0), Recorded: x.GetInt64(1), Holder: x.GetInt64(2))
            )
        )
        {
            if (copy.Block != block)
            {
                Add();
                (block, recorded, stays) = (copy.Block, copy.Recorded, false);
            }

            holder = copy.Holder;
            stays |= !leaving.Contains(holder);
        }

        Add();
        return found;

        void Add()
        {
            if (!stays && !read.Contains(recorded))
                found.Add(new Holding(recorded, holder));
        }
    }
}
