// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Security.Cryptography;
using Duplicati.Library.Main;

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
        await using var database = await LayerDatabase.OpenAsync(path, "Test");
        var volumes = await ListAsync(database);
        var missing = volumes.Where(x => x.IsStored && !IsThere(x)).Select(x => $"{x.Name} is {x.State}, and is missing").ToList();
        foreach (var volume in Choose(volumes.FindAll(x => x.IsStored && IsThere(x))))
        {
            await database.LogAsync("get", volume.Name);
            if (HashOf(volume) != volume.Hash)
                missing.Add($"{volume.Name} has another hash");
            await database.SetStateAsync(volume, RemoteVolumeState.Verified);
            await database.CountTestAsync(volume.Name);
        }

        await database.CommitAsync();
        return string.Join(", ", missing);
    }

    /// <summary>The verification in a repair: what was listed is committed, then volumes are fetched and marked.</summary>
    public async Task<string> VerifyAsync()
    {
        await using var database = await LayerDatabase.OpenAsync(path, "Repair");
        var volumes = await ListAsync(database);
        await database.CommitAsync();
        foreach (var volume in Choose(volumes.FindAll(x => x.IsStored)))
        {
            if (HashOf(volume) == volume.Hash)
                await database.SetStateAsync(volume, RemoteVolumeState.Verified);
        }

        await database.CommitAsync();
        return "";
    }

    /// <summary>
    /// A listing of broken files: marks the volumes whose file is missing, and takes all of it back. It begins as one that only reads.
    /// </summary>
    public async Task<string> ListBrokenAsync()
    {
        await using var database = await LayerDatabase.OpenAsync(path, "ListBrokenFiles");
        var volumes = await ListAsync(database);
        foreach (var volume in volumes.FindAll(x => x.IsStored && !IsThere(x)))
            await database.SetStateAsync(volume, RemoteVolumeState.Deleting);
        await database.RollBackAsync();
        return "";
    }

    /// <summary>A listing.</summary>
    public async Task<string> ListAsync()
    {
        await using var database = await LayerDatabase.OpenAsync(path, "List");
        var versions = await database.VersionsAsync();
        var volumes = await database.VolumesAsync();
        return versions == 0 || volumes.Count == 0 ? "no versions" : "";
    }

    private static async Task<List<CoreVolume>> ListAsync(LayerDatabase database)
    {
        var volumes = await database.VolumesAsync();
        await database.LogAsync("list", "");
        return volumes;
    }

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
