// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>Makes new index volumes. Safe for concurrent use.</summary>
/// <typeparam name="T">The database type of the operation.</typeparam>
internal sealed class IndexPublisher<T>(
    BackupSettings settings,
    SharedDatabase<T> shared,
    VolumeUploader<T> uploader,
    string temporaryFolder
)
    where T : LocalDatabase
{
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
