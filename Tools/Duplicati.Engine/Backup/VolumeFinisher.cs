using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Backup;

/// <summary>Brings closed block volumes to the remote folder, each followed by its index volume.</summary>
/// <typeparam name="T">The database type of the operation.</typeparam>
internal sealed class VolumeFinisher<T>(BackupSettings settings, IndexPolicy policy, DatabaseGate<T> gate, VolumeUploader<T> uploader)
    where T : LocalDatabase
{
    /// <summary>Waits for the compressor, uploads the volume, makes and uploads its index.</summary>
    internal async Task FinishAsync(VolumeBuilder volume, CancellationToken token)
    {
        await volume.Written.ConfigureAwait(false);
        var content = await VolumeSealer.SealAsync(volume.Path, volume.Name, settings.Format.FileHash, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(content, token).ConfigureAwait(false);
        if (policy != IndexPolicy.None)
            await FinishIndexAsync(volume, content, token).ConfigureAwait(false);
    }

    private async Task FinishIndexAsync(VolumeBuilder volume, SealedVolume content, CancellationToken token)
    {
        var name = VolumeName.New(RemoteVolumeType.Index, settings.Prefix, settings.Encryption);
        await gate.RunAsync(
            async database =>
            {
                var id = await database.RegisterRemoteVolumeAsync(name.FileName, RemoteVolumeType.Index, RemoteVolumeState.Temporary, token).ConfigureAwait(false);
                await database.AddIndexBlockLinkAsync(id, volume.VolumeId, token).ConfigureAwait(false);
            },
            token).ConfigureAwait(false);

        var path = volume.Path + ".index";
        using (var writer = new IndexVolumeWriter(name, new FileStream(path, FileMode.Create, FileAccess.ReadWrite), settings.Format))
        {
            writer.AddVolume(volume.Name, volume.Blocks, content.Hash, content.Size);
            if (policy == IndexPolicy.Full)
            {
                foreach (var (hash, digests) in volume.Blocklists)
                    writer.AddBlocklist(hash, digests);
            }
        }

        var index = await VolumeSealer.SealAsync(path, name, settings.Format.FileHash, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(index, token).ConfigureAwait(false);
    }
}
