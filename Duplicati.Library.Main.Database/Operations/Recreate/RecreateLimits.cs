// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Library.Main.Database.Recreate;

/// <summary>How much memory a recreate may use before it goes on more slowly on disk.</summary>
/// <param name="BlockBytes">For the map of blocks; beyond it a smaller one, whose answers are verified in the table, and beyond that the
/// index is asked.</param>
/// <param name="FileBytes">For the maps of blocksets, metadata and files each; beyond it they are looked up in the tables.</param>
/// <param name="StagedBytes">For the contents of blocklists; beyond it they go to a temporary file.</param>
internal sealed record RecreateLimits(long BlockBytes, long FileBytes, long StagedBytes)
{
    private const long LeastBytes = 16L << 20;

    // Eleven million blocks in the map, fifty-four million in the smaller one.
    private const long MostBlockBytes = 384L << 20;
    private const long MostFileBytes = 256L << 20;
    private const long MostStagedBytes = 96L << 20;

    // Three million blocks in the map, thirteen million in the smaller one.
    private static readonly RecreateLimits Small = new(96L << 20, 16L << 20, 4L << 20);

    /// <summary>
    /// Those of the preset in force, at most shares of the memory that this process may use, as the runtime knows it (a container's limit
    /// counts).
    /// </summary>
    internal static RecreateLimits ForThisMachine()
    {
        var memory = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes;
        var most = ConnectionOptions.Current.IsSmall ? Small : new RecreateLimits(MostBlockBytes, MostFileBytes, MostStagedBytes);
        return new RecreateLimits(
            Math.Clamp(memory / 4, LeastBytes, most.BlockBytes),
            Math.Clamp(memory / 16, LeastBytes, most.FileBytes),
            Math.Min(Math.Max(memory / 16, LeastBytes), most.StagedBytes)
        );
    }
}
