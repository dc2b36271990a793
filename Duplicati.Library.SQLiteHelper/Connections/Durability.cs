// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

namespace Duplicati.Library.SQLiteHelper.Connections;

/// <summary>
/// What a power loss or a crash of the operating system may take. A killed process loses no committed transaction at any level.
/// </summary>
internal enum Durability
{
    /// <summary>
    /// Nothing is flushed (<c>synchronous=OFF</c>): a power loss may leave a corrupt file. Only for a database that can be rebuilt.
    /// </summary>
    None,

    /// <summary>
    /// Flushed at checkpoints (<c>synchronous=NORMAL</c>): with a write-ahead log a power loss may drop the last commits but does not
    /// corrupt the file.
    /// </summary>
    Normal,

    /// <summary>
    /// Flushed at every commit (<c>synchronous=FULL</c>): a commit that returned survives a power loss, as far as the disk keeps its
    /// promises.
    /// </summary>
    Full,
}
