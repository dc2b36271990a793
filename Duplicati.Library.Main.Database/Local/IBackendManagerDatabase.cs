// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;

namespace Duplicati.Library.Main.Database;

/// <summary>What the backend manager writes to a database when it flushes the messages of its transfers.</summary>
/// <remarks>Called on the call chain that owns the database, never on a transfer's own thread.</remarks>
internal interface IBackendManagerDatabase
{
    /// <summary>Records one remote operation.</summary>
    /// <param name="operation"><c>get</c>, <c>put</c>, <c>delete</c> or <c>list</c>.</param>
    /// <param name="path">The remote file name.</param>
    /// <param name="data">What is to be remembered of it, or null.</param>
    /// <param name="cancellationToken">Cancels.</param>
    Task LogRemoteOperationAsync(string operation, string path, string? data, CancellationToken cancellationToken);

    /// <summary>Sets state, size and hash of a volume.</summary>
    /// <param name="name">The remote file name.</param>
    /// <param name="state">The new state.</param>
    /// <param name="size">The size in bytes.</param>
    /// <param name="hash">The Base64 file hash, or null.</param>
    /// <param name="cancellationToken">Cancels.</param>
    Task UpdateRemoteVolumeAsync(string name, RemoteVolumeState state, long size, string? hash, CancellationToken cancellationToken);

    /// <summary>Sets state, size and hash of a volume, and its times.</summary>
    /// <param name="name">The remote file name.</param>
    /// <param name="state">The new state.</param>
    /// <param name="size">The size in bytes.</param>
    /// <param name="hash">The Base64 file hash, or null.</param>
    /// <param name="suppressCleanup">Keep what belongs to a volume that becomes deleted.</param>
    /// <param name="deleteGraceTime">How long the row of a deleted volume is kept; zero leaves that time alone.</param>
    /// <param name="setArchived">Whether it is archived; null leaves that alone.</param>
    /// <param name="cancellationToken">Cancels.</param>
    Task UpdateRemoteVolumeAsync(
        string name,
        RemoteVolumeState state,
        long size,
        string? hash,
        bool suppressCleanup,
        TimeSpan deleteGraceTime,
        bool? setArchived,
        CancellationToken cancellationToken
    );

    /// <summary>Renames a volume.</summary>
    /// <param name="oldname">The present name.</param>
    /// <param name="newname">The new name.</param>
    /// <param name="cancellationToken">Cancels.</param>
    Task RenameRemoteFileAsync(string oldname, string newname, CancellationToken cancellationToken);

    /// <summary>Removes volumes and everything that belongs to them.</summary>
    /// <param name="names">Their names.</param>
    /// <param name="cancellationToken">Cancels.</param>
    Task RemoveRemoteVolumesAsync(IEnumerable<string> names, CancellationToken cancellationToken);

    /// <summary>Makes everything so far durable.</summary>
    /// <param name="cancellationToken">Cancels.</param>
    Task CommitAsync(CancellationToken cancellationToken);
}
