// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>What core's operations ask of the data layer to find volumes and to mark them.</summary>
internal sealed class LayerDatabase : IAsyncDisposable
{
    private readonly LocalTestDatabase m_database;
    private readonly LocalDatabase m_owner;

    private LayerDatabase(LocalDatabase owner, LocalTestDatabase database) => (m_owner, m_database) = (owner, database);

    /// <summary>Begins an operation.</summary>
    public static async Task<LayerDatabase> OpenAsync(string path, string operation)
    {
        var owner = await LocalDatabase.CreateLocalDatabaseAsync(path, operation, true, null, default);
        return new LayerDatabase(owner, await LocalTestDatabase.CreateAsync(owner, null, default));
    }

    /// <summary>All volumes.</summary>
    public Task<List<CoreVolume>> VolumesAsync() =>
        m_database.GetRemoteVolumesAsync(default).Select(x => new CoreVolume(x.Name, x.State, x.Size, x.Hash)).ToListAsync().AsTask();

    /// <summary>Number of versions.</summary>
    public async Task<long> VersionsAsync() => await m_database.FilesetTimesAsync(default).CountAsync();

    /// <summary>Sets the state, and leaves size and hash as they were told.</summary>
    public Task SetStateAsync(CoreVolume volume, RemoteVolumeState state) =>
        m_database.UpdateRemoteVolumeAsync(volume.Name, state, volume.Size, volume.Hash, default);

    /// <summary>Counts a test of a volume.</summary>
    public Task CountTestAsync(string name) => m_database.UpdateVerificationCountAsync(name, default);

    /// <summary>Adds a row to the history.</summary>
    public Task LogAsync(string operation, string name) => m_database.LogRemoteOperationAsync(operation, name, null, default);

    /// <summary>Commits, and begins the next transaction.</summary>
    public Task CommitAsync() => m_database.Transaction.CommitAsync();

    /// <summary>Takes back what was not committed, and begins the next transaction.</summary>
    public Task RollBackAsync() => m_database.Transaction.RollBackAsync(default);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await m_database.DisposeAsync();
        await m_owner.DisposeAsync();
    }
}

/// <summary>A volume as it was told.</summary>
internal sealed record CoreVolume(string Name, RemoteVolumeState State, long Size, string? Hash)
{
    /// <summary>Whether its file must be there.</summary>
    public bool IsStored => State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified;
}
