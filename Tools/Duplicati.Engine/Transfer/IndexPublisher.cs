// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>Brings block volumes to the remote folder, each followed by its index volume. Safe for concurrent use.</summary>
/// <typeparam name="T">The database type of the operation.</typeparam>
internal sealed class IndexPublisher<T>(
    BackupSettings settings,
    IndexPolicy policy,
    SharedDatabase<T> shared,
    VolumeUploader<T> uploader,
    string temporaryFolder
)
    where T : LocalDatabase
{
    /// <summary>
    /// Encrypts and uploads a registered block volume, then makes its index volume, if there shall be one. Commits before each upload only.
    /// </summary>
    /// <param name="path">The block volume, complete.</param>
    /// <param name="name">Its name.</param>
    /// <param name="volumeId">Its id.</param>
    /// <param name="blocks">The blocks in it.</param>
    /// <param name="blocklists">The contents of blocklists for a full index; read when the block volume is uploaded.</param>
    /// <param name="token">Cancels.</param>
    internal async Task PublishAsync(
        string path,
        VolumeName name,
        long volumeId,
        IEnumerable<KeyValuePair<string, long>> blocks,
        IAsyncEnumerable<(string Hash, byte[] Buffer, int Size)> blocklists,
        CancellationToken token
    )
    {
        var volume = await VolumeSealer.SealAsync(path, name, settings.Format, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(volume, token).ConfigureAwait(false);
        if (policy != IndexPolicy.None)
            await MakeAsync(volumeId, WriteAsync, token).ConfigureAwait(false);

        async Task WriteAsync(IndexVolumeWriter writer)
        {
            await writer.AddVolumeAsync(name, blocks.ToAsyncEnumerable(), volume.Hash, volume.Size, token).ConfigureAwait(false);
            if (policy != IndexPolicy.Full)
                return;
            await foreach (var (hash, buffer, size) in blocklists.ConfigureAwait(false))
                writer.AddBlocklist(hash, buffer.AsSpan(0, size));
        }
    }

    /// <summary>Makes the index volume of a block volume that is in the remote folder, from what the database has recorded.</summary>
    internal Task MakeAsync(RecordedVolume volume, CancellationToken token)
    {
        var blocklists = policy == IndexPolicy.Full ? new HashSet<string>(StringComparer.Ordinal) : null;
        return MakeAsync(
            volume.Id,
            x => volume.DescribeAsync(x, shared.Database, settings.BlockSize, settings.DigestSize, blocklists, token),
            token
        );
    }

    /// <summary>
    /// Registers an index volume and links it to its block volume, has it written, encrypts and uploads it; its local file is gone
    /// afterwards. Does not commit.
    /// </summary>
    internal async Task MakeAsync(long blockVolumeId, Func<IndexVolumeWriter, Task> write, CancellationToken token)
    {
        var name = await BeginAsync(blockVolumeId, token).ConfigureAwait(false);
        var path = Path.Combine(temporaryFolder, name.FileName);
        using (var writer = new IndexVolumeWriter(name, new FileStream(path, FileMode.Create, FileAccess.ReadWrite), settings.Format))
            await write(writer).ConfigureAwait(false);
        var index = await VolumeSealer.SealAsync(path, name, settings.Format, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(index, token).ConfigureAwait(false);
    }

    private async Task<VolumeName> BeginAsync(long blockVolumeId, CancellationToken token)
    {
        var name = VolumeName.New(RemoteVolumeType.Index, settings.Prefix, settings.Encryption, settings.Module);
        await shared
            .RunAsync(
                async database =>
                {
                    var id = await database
                        .RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Index, RemoteVolumeState.Temporary, token)
                        .ConfigureAwait(false);
                    await database.AddIndexBlockLinkAsync(id, blockVolumeId, token).ConfigureAwait(false);
                },
                token
            )
            .ConfigureAwait(false);
        return name;
    }
}
