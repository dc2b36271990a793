// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Benchmarks.Stress.Operations;

/// <summary>
/// Operations in the order in which core calls the data layer, without the turns that the engine takes: they find volumes in the database,
/// look for their files, and mark them, while others compact and delete.
/// </summary>
/// <param name="path">The database.</param>
/// <param name="remote">The remote folder.</param>
/// <param name="random">Chooses.</param>
internal sealed class CoreWork(string path, string remote, Random random)
{
    private const int Tested = 2;

    /// <summary>A test: all in the transaction that it begins with.</summary>
    /// <returns>What is wrong.</returns>
    public async Task<string> TestAsync()
    {
        await using var owner = await OpenAsync("Test");
        await using var database = await LocalTestDatabase.CreateAsync(owner, null, default);
        var volumes = await ListAsync(database);
        var missing = volumes.Where(x => x.IsStored && !IsThere(x)).Select(x => $"{x.Name} is {x.State}, and is missing").ToList();
        foreach (var volume in Choose(volumes.FindAll(x => x.IsStored && IsThere(x))))
        {
            await database.LogRemoteOperationAsync("get", volume.Name, null, default);
            if (HashOf(volume) != volume.Hash)
                missing.Add($"{volume.Name} has another hash");
            await SetStateAsync(database, volume, RemoteVolumeState.Verified);
            await database.UpdateVerificationCountAsync(volume.Name, default);
        }

        await database.Transaction.CommitAsync();
        return string.Join(", ", missing);
    }

    /// <summary>The verification in a repair: what was listed is committed, then volumes are fetched and marked.</summary>
    public async Task<string> VerifyAsync()
    {
        await using var owner = await OpenAsync("Repair");
        await using var database = await LocalTestDatabase.CreateAsync(owner, null, default);
        var volumes = await ListAsync(database);
        await database.Transaction.CommitAsync();
        foreach (var volume in Choose(volumes.FindAll(x => x.IsStored)))
        {
            if (HashOf(volume) == volume.Hash)
                await SetStateAsync(database, volume, RemoteVolumeState.Verified);
        }

        await database.Transaction.CommitAsync();
        return "";
    }

    /// <summary>
    /// A listing of broken files: marks the volumes whose file is missing, and takes all of it back. It begins as one that only reads.
    /// </summary>
    public async Task<string> ListBrokenAsync()
    {
        await using var owner = await OpenAsync("ListBrokenFiles");
        await using var database = await LocalTestDatabase.CreateAsync(owner, null, default);
        var volumes = await ListAsync(database);
        foreach (var volume in volumes.FindAll(x => x.IsStored && !IsThere(x)))
            await SetStateAsync(database, volume, RemoteVolumeState.Deleting);
        await database.Transaction.RollBackAsync(default);
        return "";
    }

    /// <summary>A listing.</summary>
    public async Task<string> ListAsync()
    {
        await using var owner = await OpenAsync("List");
        await using var database = await LocalTestDatabase.CreateAsync(owner, null, default);
        var versions = await database.FilesetTimesAsync(default).CountAsync();
        var volumes = await VolumesAsync(database);
        return versions == 0 || volumes.Count == 0 ? "no versions" : "";
    }

    private Task<LocalDatabase> OpenAsync(string operation) => LocalDatabase.CreateLocalDatabaseAsync(path, operation, true, null, default);

    private static async Task<List<CoreVolume>> ListAsync(LocalTestDatabase database)
    {
        var volumes = await VolumesAsync(database);
        await database.LogRemoteOperationAsync("list", "", null, default);
        return volumes;
    }

    private static ValueTask<List<CoreVolume>> VolumesAsync(LocalTestDatabase database) =>
        database.GetRemoteVolumesAsync(default).Select(x => new CoreVolume(x.Name, x.State, x.Size, x.Hash)).ToListAsync();

    // Size and hash stay as they were told.
    private static Task SetStateAsync(LocalTestDatabase database, CoreVolume volume, RemoteVolumeState state) =>
        database.UpdateRemoteVolumeAsync(volume.Name, state, volume.Size, volume.Hash, default);

    private IEnumerable<CoreVolume> Choose(List<CoreVolume> volumes) => volumes.OrderBy(_ => random.Next()).Take(Tested).ToList();

    private bool IsThere(CoreVolume volume) => File.Exists(Path.Combine(remote, volume.Name));

    // Empty if others have deleted it.
    private string HashOf(CoreVolume volume)
    {
        try
        {
            return Convert.ToBase64String(SHA256.HashData(File.ReadAllBytes(Path.Combine(remote, volume.Name))));
        }
        catch (FileNotFoundException)
        {
            return "";
        }
    }
}

/// <summary>A volume as it was told.</summary>
internal sealed record CoreVolume(string Name, RemoteVolumeState State, long Size, string? Hash)
{
    /// <summary>Whether its file must be there.</summary>
    public bool IsStored => State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified;
}
