// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System.Collections.Generic;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Compact;

/// <summary>Adds up what each volume holds: one pass over Block, one over DeletedBlock.</summary>
/// <remarks>Must be called with the connection lock held.</remarks>
internal static class UsageReads
{
    // Small table, one row a volume.
    private const string Volumes = """SELECT "ID", "Name", "Type", "State", "Size" FROM "Remotevolume" ORDER BY "ID" """;

    // One scan of the table; no index has both columns.
    internal const string LiveBlocksSql = """SELECT "VolumeID", "Size" FROM "Block" """;

    // One scan of DeletedBlock; BlockHashSize.
    internal const string DeletedBlocksSql = """
        SELECT d."VolumeID", d."Size", EXISTS (SELECT 1 FROM "Block" b WHERE b."Hash" = d."Hash" AND b."Size" = d."Size" AND b."VolumeID" = d."VolumeID")
        FROM "DeletedBlock" d
        """;

    private sealed class Sums
    {
        internal long LiveBlocks;
        internal long LiveSize;
        internal long WastedSize;
        internal long DeletedBlocks;
        internal long DoublyListedSize;
    }

    /// <summary>The volumes with live or deleted blocks, in any state, and finished block volumes without any, by id.</summary>
    internal static List<VolumeUsage> Read(DatabaseSession session)
    {
        var sums = new Dictionary<long, Sums>();
        AddLiveBlocks(session, sums);
        AddDeletedBlocks(session, sums);

        var usage = new List<VolumeUsage>();
        using var rows = session.Take(Volumes);
        while (rows.Read())
        {
            var sum = sums.GetValueOrDefault(rows.GetInt64(0)) ?? new Sums();
            if (IsReported(sum, rows.GetString(2)!, rows.GetString(3)!))
                usage.Add(
                    new VolumeUsage(
                        rows.GetInt64(0),
                        rows.GetString(1)!,
                        sum.LiveSize - sum.DoublyListedSize + sum.WastedSize,
                        sum.WastedSize,
                        rows.GetInt64(4)
                    )
                );
        }

        return usage;
    }

    // A volume whose live blocks are all listed as deleted too counts as deletable: preparing its deletion then fails, as core expects.
    private static bool IsReported(Sums sum, string type, string state) =>
        sum.LiveBlocks > 0
        || sum.DeletedBlocks > 0
        || (type == nameof(RemoteVolumeType.Blocks) && state is nameof(RemoteVolumeState.Uploaded) or nameof(RemoteVolumeState.Verified));

    private static void AddLiveBlocks(DatabaseSession session, Dictionary<long, Sums> sums)
    {
        using var rows = session.Take(LiveBlocksSql);
        while (rows.Read())
        {
            var sum = Of(sums, rows.GetInt64(0));
            sum.LiveBlocks++;
            sum.LiveSize += rows.GetInt64(1);
        }
    }

    private static void AddDeletedBlocks(DatabaseSession session, Dictionary<long, Sums> sums)
    {
        using var rows = session.Take(DeletedBlocksSql);
        while (rows.Read())
        {
            var (sum, size) = (Of(sums, rows.GetInt64(0)), rows.GetInt64(1));
            sum.DeletedBlocks++;
            sum.WastedSize += size;
            if (rows.GetInt64(2) != 0)
                sum.DoublyListedSize += size;
        }
    }

    private static Sums Of(Dictionary<long, Sums> sums, long volume)
    {
        if (!sums.TryGetValue(volume, out var sum))
            sums.Add(volume, sum = new Sums());
        return sum;
    }
}

/// <summary>How much of a volume is in use. Sizes are bytes of blocks before compression, but for the last.</summary>
/// <param name="Id">Remotevolume.ID.</param>
/// <param name="Name">The remote name.</param>
/// <param name="DataSize">All blocks in it.</param>
/// <param name="WastedSize">Those that nothing refers to.</param>
/// <param name="CompressedSize">The remote file; 0 if unknown.</param>
internal sealed record VolumeUsage(long Id, string Name, long DataSize, long WastedSize, long CompressedSize)
{
    /// <summary>Whether nothing in it is in use.</summary>
    internal bool IsClean => DataSize <= WastedSize;
}
