// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.UnitTest.Main.Backup;
using Duplicati.UnitTest.Main.Blocks;
using Duplicati.UnitTest.Main.LocalDatabaseTests;

namespace Duplicati.UnitTest.Reliability;

/// <summary>
/// A backup in the order in which core calls the data layer, and as core without turns: it settles what the remote folder and the database
/// say of each other, records files, uploads volumes, and settles again. Each file is one block of data and one of metadata.
/// </summary>
/// <param name="path">The database.</param>
/// <param name="remote">The remote folder: the blocks of each volume that lies there.</param>
/// <param name="random">Makes files.</param>
internal sealed class CoreBackup(string path, ConcurrentDictionary<string, string[]> remote, Random random)
{
    internal const int Blocksize = 1024;
    internal const int HashBytes = 32;

    private const int Files = 12;
    private const int Contents = 200;
    private const int BlocksAVolume = 8;

    private static int s_last;

    private readonly List<string> m_new = [];
    private LocalBackupDatabase m_db = null!;
    private long m_volume;
    private string m_volumeName = "";

    /// <summary>Runs it.</summary>
    /// <exception cref="UserInformationException">Help id <c>MissingRemoteFiles</c>.</exception>
    internal async Task RunAsync(CancellationToken token)
    {
        m_db = await Task.Run(() => LocalBackupDatabase.CreateAsync(path, new Options([]), token), token);
        await using var scope = m_db;
        await m_db.GetDbOptionsAsync(token);
        if (await m_db.RepairInProgressAsync(token) || await m_db.PartiallyRecreatedAsync(token))
            throw new InvalidOperationException("Nobody recreates here.");
        await m_db.VerifyConsistencyAsync(Blocksize, HashBytes, true, token);
        await SettleAsync(token);
        await m_db.TerminatedWithActiveUploadsAsync(token, true);
        var previous = await m_db.FilesetTimesAsync(token).Select(x => x.Key).FirstOrDefaultAsync(token);

        var number = Interlocked.Increment(ref s_last);
        var list = $"list-{number}";
        var listId = await m_db.RegisterRemoteVolumeAsync(list, RemoteVolumeType.Files, RemoteVolumeState.Temporary, token);
        var fileset = await m_db.CreateFilesetAsync(listId, DateTime.UnixEpoch.AddDays(number), token);
        await m_db.CommitAsync(token);
        await BeginVolumeAsync(token);
        for (var i = 0; i < Files; i++)
            await AddAsync($"/{i}", previous, token);
        await EndVolumeAsync(token);

        await m_db.UpdateChangeStatisticsAsync(new BackupResults(), token);
        await m_db.VerifyConsistencyAsync(Blocksize, HashBytes, false, token);
        await m_db.WriteFilesetAsync(new RecordingFilesetWriter(), fileset, token);
        await m_db.UpdateFullBackupStateInFilesetAsync(fileset, true, token);
        await UploadAsync(list, [], token);
        await m_db.TerminatedWithActiveUploadsAsync(token, false);
        await m_db.CommitAsync(token);
        await SettleAsync(token);
    }

    private async Task SettleAsync(CancellationToken token)
    {
        var there = remote.Keys.ToHashSet();
        await m_db.LogRemoteOperationAsync("list", "", null, token);
        var gone = new List<string>();
        foreach (var volume in await m_db.GetRemoteVolumesAsync(token).ToListAsync(token))
        {
            var isThere = there.Remove(volume.Name);
            if (volume.State is RemoteVolumeState.Uploaded && isThere)
                await m_db.UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Verified, volume.Size, volume.Hash, token);
            else if (volume.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified && !isThere)
                throw new UserInformationException($"{volume.Name} is {volume.State} and missing", "MissingRemoteFiles");
            else if (volume.State is RemoteVolumeState.Temporary or RemoteVolumeState.Uploading or RemoteVolumeState.Deleting)
                gone.Add(volume.Name);
        }

        // What is left over from another one, which may be alive. A repair has deleted what is unknown.
        foreach (var name in gone.Concat(there).Where(remote.ContainsKey))
        {
            remote.TryRemove(name, out _);
            await m_db.LogRemoteOperationAsync("delete", name, null, token);
        }

        await m_db.RemoveRemoteVolumesAsync(gone, token);
        await m_db.CommitAsync(token);
    }

    private async Task AddAsync(string name, long previous, CancellationToken token)
    {
        var prefix = await m_db.GetOrCreatePathPrefixAsync("/data/", token);
        var (id, time, _, _, _) = await m_db.GetFileEntryAsync(prefix, name, previous, token);
        if (id >= 0 && random.Next(3) == 0)
        {
            await m_db.AddKnownFileAsync(id, time, token);
            return;
        }

        var data = BlockFixture.Hash(random.Next(Contents));
        var described = BlockFixture.Hash(Contents + random.Next(Contents));
        await StoreAsync(data, token);
        await StoreAsync(described, token);
        var (_, content) = await m_db.AddBlocksetAsync(data, Blocksize, Blocksize, [data], [], token);
        var (isKnown, metadata) = await m_db.GetMetadatasetIDAsync(described, Blocksize, token);
        if (!isKnown)
        {
            var (_, blockset) = await m_db.AddBlocksetAsync(described, Blocksize, Blocksize, [described], [], token);
            (_, metadata) = await m_db.AddMetadatasetAsync(described, Blocksize, blockset, new BackupFixture.Metahash(described), token);
        }

        await m_db.AddFileAsync(prefix, name, DateTime.UtcNow, content, metadata, token);
    }

    private async Task StoreAsync(string hash, CancellationToken token)
    {
        if (!await m_db.AddBlockAsync(hash, Blocksize, m_volume, token))
            return;
        m_new.Add(hash);
        if (m_new.Count < BlocksAVolume)
            return;
        await EndVolumeAsync(token);
        await BeginVolumeAsync(token);
    }

    private async Task BeginVolumeAsync(CancellationToken token)
    {
        m_new.Clear();
        m_volumeName = $"block-{Guid.NewGuid():N}";
        m_volume = await m_db.RegisterRemoteVolumeAsync(m_volumeName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token);
        await m_db.CommitAsync(token);
    }

    private async Task EndVolumeAsync(CancellationToken token)
    {
        if (m_new.Count == 0)
        {
            await m_db.SafeDeleteRemoteVolumeAsync(m_volumeName, token);
            await m_db.CommitAsync(token);
            return;
        }

        var index = $"index-{Guid.NewGuid():N}";
        var indexId = await m_db.RegisterRemoteVolumeAsync(index, RemoteVolumeType.Index, RemoteVolumeState.Temporary, token);
        await m_db.AddIndexBlockLinkAsync(indexId, m_volume, token);
        await UploadAsync(m_volumeName, [.. m_new], token);
        await UploadAsync(index, [], token);
    }

    private async Task UploadAsync(string name, string[] blocks, CancellationToken token)
    {
        await m_db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Uploading, 1, "hash", token);
        await m_db.CommitAsync(token);
        remote[name] = blocks;
        await m_db.LogRemoteOperationAsync("put", name, null, token);
        await m_db.UpdateRemoteVolumeAsync(name, RemoteVolumeState.Uploaded, 1, "hash", token);
        await m_db.CommitAsync(token);
    }
}
