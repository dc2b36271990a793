// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using Duplicati.Library.Main.Database.Session;
using Duplicati.Library.SQLiteHelper.Connections;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>How much memory a connection's block structures may take. Changed, if at all, before the first block is looked up.</summary>
internal sealed class BlockOptions
{
    /// <summary>Enough for ten million blocks with keys, and for fifty-four million with fingerprints.</summary>
    internal const long DefaultMapBytes = 384L << 20;

    /// <summary>For machines with little memory: 2.6 million blocks with keys, thirteen million with fingerprints.</summary>
    internal const long SmallMapBytes = 96L << 20;

    private BlockOptions(bool small)
    {
        // What the runtime may use, so that the limit of a container counts.
        var share = GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 4;
        MapBytes = Math.Min(small ? SmallMapBytes : DefaultMapBytes, share);
    }

    /// <summary>
    /// Most bytes of the slots of <see cref="BlockMap"/>; 0 keeps nothing in memory and asks the table each time. To begin with
    /// the preset's size, at most a quarter of the memory there is.
    /// </summary>
    internal long MapBytes { get; set; }

    /// <summary>The options of a connection, at first those of the preset that is in force when they are first asked for.</summary>
    internal static BlockOptions Of(DatabaseSession session) =>
        session.Service(static _ => new BlockOptions(ConnectionOptions.Current.IsSmall));
}
