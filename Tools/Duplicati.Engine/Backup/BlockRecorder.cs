// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Threading.Channels;
using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Blocks;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Backup;

/// <summary>
/// The one task that books blocks: asks the database whether a block is new, puts new ones into the open volume, and records the
/// blockset when a stream is complete. Closed volumes are finished by other tasks, a bounded number at a time.
/// </summary>
internal sealed class BlockRecorder(
    BackupSettings settings,
    IndexPolicy policy,
    SharedDatabase<LocalBackupDatabase> shared,
    IndexPublisher<LocalBackupDatabase> publisher,
    string temporaryFolder,
    int volumesInFlight
) : IDisposable
{
    private readonly List<int> m_new = [];
    private readonly List<Task> m_finishing = [];
    private readonly SemaphoreSlim m_inFlight = new(volumesInFlight, volumesInFlight);
    private VolumeBuilder? m_open;

    /// <summary>Blocks that were new and are in a volume.</summary>
    internal long NewBlocks { get; private set; }

    /// <summary>Bytes of new blocks.</summary>
    internal long NewBytes { get; private set; }

    /// <summary>Records until the input ends, then closes and finishes the last volume.</summary>
    internal async Task RunAsync(ChannelReader<BlockBatch> input, CancellationToken token)
    {
        try
        {
            await foreach (var batch in input.ReadAllAsync(token).ConfigureAwait(false))
            {
                try
                {
                    await RecordAsync(batch, token).ConfigureAwait(false);
                }
                finally
                {
                    batch.Release();
                }
            }

            CloseOpenVolume(token);
            await Task.WhenAll(m_finishing).ConfigureAwait(false);
        }
        finally
        {
            // So that no upload goes on behind an error, when the next operation may have begun. What failed first is told.
            await Task.WhenAll(m_finishing).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            m_open?.Close();
            m_open?.Dispose();
        }
    }

    public void Dispose() => m_inFlight.Dispose();

    private async Task RecordAsync(BlockBatch batch, CancellationToken token)
    {
        var stream = batch.Stream;
        using var ends = batch.IsLast ? stream : null;
        if (stream.Failure is not null)
            return;

        try
        {
            for (var index = 0; index < batch.Count; )
                index = await RecordRunAsync(batch, index, token).ConfigureAwait(false);
            if (batch.IsLast)
                stream.Complete(await shared.RunAsync(database => AddBlocksetAsync(database, stream, token), token).ConfigureAwait(false));
        }
        catch (Exception ex)
        {
            stream.Fail(ex);
            throw;
        }
    }

    // Books blocks until the volume is full or the batch ends; the database is held for the whole run, the queue is not.
    private async Task<int> RecordRunAsync(BlockBatch batch, int index, CancellationToken token)
    {
        m_new.Clear();
        index = await shared.RunAsync(database => BookAsync(database, batch, index, token), token).ConfigureAwait(false);
        if (m_open is { } volume)
        {
            await volume.AddAsync(batch, m_new.ToArray(), token).ConfigureAwait(false);
            if (volume.IsFull)
                await RotateAsync(token).ConfigureAwait(false);
        }

        return index;
    }

    private async Task<int> BookAsync(LocalBackupDatabase database, BlockBatch batch, int index, CancellationToken token)
    {
        for (; index < batch.Count && m_open?.IsFull != true; index++)
        {
            var hash = Convert.ToBase64String(batch.Digest(index));
            var length = batch.Length(index);
            if (m_open is null && await database.FindBlockIDAsync(hash, length, token).ConfigureAwait(false) >= 0)
                continue;

            m_open ??= await OpenVolumeAsync(database, token).ConfigureAwait(false);
            if (await database.AddBlockAsync(hash, length, m_open.VolumeId, token).ConfigureAwait(false))
            {
                m_open.Book(batch.Digest(index), length);
                m_new.Add(index);
                NewBlocks++;
                NewBytes += length;
            }

            if (
                batch.IsBlocklist(index)
                && policy == IndexPolicy.Full
                && !await database.IsBlocklistHashKnownAsync(hash, token).ConfigureAwait(false)
            )
                m_open.Blocklists.Add(new KeyValuePair<string, byte[]>(hash, batch.Data(index).ToArray()));
        }

        return index;
    }

    private async Task<VolumeBuilder> OpenVolumeAsync(LocalBackupDatabase database, CancellationToken token)
    {
        var name = VolumeName.New(RemoteVolumeType.Blocks, settings.Prefix, settings.Encryption, settings.Module);
        var id = await database
            .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Blocks, RemoteVolumeState.Temporary, token)
            .ConfigureAwait(false);
        return new VolumeBuilder(name, id, settings.Format, Path.Combine(temporaryFolder, name.FileName));
    }

    private async Task RotateAsync(CancellationToken token)
    {
        // Bounds the volumes that wait for encryption and upload; a failed one ends the backup here.
        await m_inFlight.WaitAsync(token).ConfigureAwait(false);
        m_inFlight.Release();
        foreach (var failed in m_finishing.Where(x => x.IsFaulted))
            await failed.ConfigureAwait(false);
        m_finishing.RemoveAll(x => x.IsCompletedSuccessfully);
        CloseOpenVolume(token);
    }

    private void CloseOpenVolume(CancellationToken token)
    {
        if (m_open is not { } volume)
            return;

        m_open = null;
        volume.Close();
        m_finishing.Add(volume.IsEmpty ? GiveUpAsync(volume, token) : FinishAsync(volume, token));
    }

    // All blocks that it was opened for were deleted ones, which are used again where they are.
    private async Task GiveUpAsync(VolumeBuilder volume, CancellationToken token)
    {
        using var ends = volume;
        await volume.Written.ConfigureAwait(false);
        File.Delete(volume.Path);
        await shared.RunAsync(database => database.SafeDeleteRemoteVolumeAsync(volume.Name.FileName, token), token).ConfigureAwait(false);
    }

    private async Task FinishAsync(VolumeBuilder volume, CancellationToken token)
    {
        using var ends = volume;
        await m_inFlight.WaitAsync(token).ConfigureAwait(false);
        try
        {
            await volume.Written.ConfigureAwait(false);
            var blocklists = volume.Blocklists.Select(x => (x.Key, x.Value, x.Value.Length)).ToAsyncEnumerable();
            await publisher.PublishAsync(volume.Path, volume.Name, volume.VolumeId, volume.Blocks, blocklists, token).ConfigureAwait(false);
        }
        finally
        {
            m_inFlight.Release();
        }
    }

    private async Task<long> AddBlocksetAsync(LocalBackupDatabase database, PendingStream stream, CancellationToken token)
    {
        var blocklists = stream.Blocklists.Count > 0 ? stream.Blocklists.AsText() : null;
        var (_, id) = await database
            .AddBlocksetAsync(stream.FullHash, stream.Length, settings.BlockSize, stream.Blocks.AsText(), blocklists!, token)
            .ConfigureAwait(false);
        return id;
    }
}
