// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>What core's operations ask of a database to find volumes and to mark them.</summary>
internal interface ICoreDatabase : IAsyncDisposable
{
    /// <summary>All volumes.</summary>
    Task<List<CoreVolume>> VolumesAsync();

    /// <summary>Number of versions.</summary>
    Task<long> VersionsAsync();

    /// <summary>Sets the state, and leaves size and hash as they were told.</summary>
    Task SetStateAsync(CoreVolume volume, RemoteVolumeState state);

    /// <summary>Counts a test of a volume.</summary>
    Task CountTestAsync(string name);

    /// <summary>Adds a row to the history.</summary>
    Task LogAsync(string operation, string name);

    /// <summary>Commits, and begins the next transaction.</summary>
    Task CommitAsync();

    /// <summary>Takes back what was not committed, and begins the next transaction.</summary>
    Task RollBackAsync();
}

/// <summary>A volume as it was told.</summary>
internal sealed record CoreVolume(string Name, RemoteVolumeState State, long Size, string? Hash)
{
    /// <summary>Whether its file must be there.</summary>
    public bool IsStored => State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified;
}
