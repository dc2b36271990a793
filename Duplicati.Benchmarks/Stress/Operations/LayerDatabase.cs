// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>The data layer.</summary>
internal sealed class LayerDatabase : ICoreDatabase
{
    private readonly LocalTestDatabase m_database;
    private readonly LocalDatabase m_owner;

    private LayerDatabase(LocalDatabase owner, LocalTestDatabase database) => (m_owner, m_database) = (owner, database);

    /// <summary>Begins an operation.</summary>
    public static async Task<ICoreDatabase> OpenAsync(string path, string operation)
    {
        var owner = await LocalDatabase.CreateLocalDatabaseAsync(path, operation, true, null, default).ConfigureAwait(false);
        return new LayerDatabase(owner, await LocalTestDatabase.CreateAsync(owner, null, default).ConfigureAwait(false));
    }

    /// <inheritdoc/>
    public Task<List<CoreVolume>> VolumesAsync() =>
        m_database.GetRemoteVolumesAsync(default).Select(x => new CoreVolume(x.Name, x.State, x.Size, x.Hash)).ToListAsync().AsTask();

    /// <inheritdoc/>
    public async Task<long> VersionsAsync() => await m_database.FilesetTimesAsync(default).CountAsync().ConfigureAwait(false);

    /// <inheritdoc/>
    public Task SetStateAsync(CoreVolume volume, RemoteVolumeState state) =>
        m_database.UpdateRemoteVolumeAsync(volume.Name, state, volume.Size, volume.Hash, default);

    /// <inheritdoc/>
    public Task CountTestAsync(string name) => m_database.UpdateVerificationCountAsync(name, default);

    /// <inheritdoc/>
    public Task LogAsync(string operation, string name) => m_database.LogRemoteOperationAsync(operation, name, null, default);

    /// <inheritdoc/>
    public Task CommitAsync() => m_database.Transaction.CommitAsync();

    /// <inheritdoc/>
    public Task RollBackAsync() => m_database.Transaction.RollBackAsync(default);

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        await m_database.DisposeAsync().ConfigureAwait(false);
        await m_owner.DisposeAsync().ConfigureAwait(false);
    }
}
