// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Blocks;

/// <summary>
/// Leaves out the two hash indexes of table Block and the three secondary ones of BlocksetEntry while a first backup fills these
/// tables, and builds them by sorting afterwards: kept up to date, they cost two random pages a block and about one an entry in each
/// commit. No member that a backup calls for each block or file needs those of BlocksetEntry. Only once the backup has proved to be large,
/// and only as long as the
/// map answers for them: whoever else comes (a child object, a user of the raw connection, a look-up that needs the table, the
/// end of the backup) finds them complete. See <see cref="DeferredIndexes"/> for what happens when the process dies.
/// </summary>
/// <remarks>One instance a session; use with the connection lock held.</remarks>
internal sealed class BlockIndexes
{
    /// <summary>New blocks in a table that was empty before the indexes are dropped.</summary>
    internal const int FewestBlocks = 16 * 1024;

    private static readonly string[] s_names =
    [
        "BlockHashSize",
        "BlockHashVolumeID",
        "BlocksetEntry_IndexIdsBackwards",
        "nnc_BlocksetEntry",
        "BlocksetEntry_BlocksetID",
    ];

    private readonly DeferredIndexes m_deferred;
    private bool m_dropped;

    private BlockIndexes(DatabaseSession session) => m_deferred = DeferredIndexes.Of(session);

    /// <summary>The indexes of a connection.</summary>
    internal static BlockIndexes Of(DatabaseSession session) => session.Service(static s => new BlockIndexes(s));

    /// <summary>True if they were dropped and have not been built since.</summary>
    internal bool AreMissing => m_dropped && m_deferred.IsActive;

    /// <summary>Drops the indexes. They stay if a reader is open on the connection.</summary>
    internal void Drop() => m_dropped = m_deferred.Drop(s_names);

    /// <summary>Builds the indexes if they are missing, in the open transaction. Rows x log(rows).</summary>
    internal void Complete()
    {
        if (AreMissing)
            m_deferred.Restore();
    }
}
