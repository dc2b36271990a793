// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Backup;

/// <summary>Brings closed block volumes to the remote folder, each followed by its index volume.</summary>
internal sealed class VolumeFinisher(
    BackupSettings settings,
    IndexPolicy policy,
    SharedDatabase<LocalBackupDatabase> shared,
    VolumeUploader<LocalBackupDatabase> uploader,
    string temporaryFolder
)
{
    private readonly IndexPublisher<LocalBackupDatabase> m_index = new(settings, shared, uploader, temporaryFolder);

    /// <summary>Waits for the compressor, uploads the volume, makes and uploads its index.</summary>
    internal async Task FinishAsync(VolumeBuilder volume, CancellationToken token)
    {
        await volume.Written.ConfigureAwait(false);
        var content = await VolumeSealer
            .SealAsync(volume.Path, volume.Name, settings.Format, settings.Passphrase, token)
            .ConfigureAwait(false);
        await uploader.UploadAsync(content, token).ConfigureAwait(false);
        if (policy != IndexPolicy.None)
            await m_index
                .MakeAsync(volume.VolumeId, writer => WriteIndexAsync(writer, volume, content, token), token)
                .ConfigureAwait(false);
    }

    private async Task WriteIndexAsync(IndexVolumeWriter writer, VolumeBuilder volume, SealedVolume content, CancellationToken token)
    {
        await writer
            .AddVolumeAsync(volume.Name, volume.Blocks.ToAsyncEnumerable(), content.Hash, content.Size, token)
            .ConfigureAwait(false);
        if (policy != IndexPolicy.Full)
            return;
        foreach (var (hash, digests) in volume.Blocklists)
            writer.AddBlocklist(hash, digests);
    }
}
