// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// The steps that every new index volume takes: it is registered and linked, written by the caller, sealed and uploaded. Safe for
/// concurrent use.
/// </summary>
/// <typeparam name="T">The database type of the operation.</typeparam>
internal sealed class IndexPublisher<T>(BackupSettings settings, SharedDatabase<T> shared, VolumeUploader<T> uploader)
    where T : LocalDatabase
{
    /// <summary>Registers a new index volume and links it to the block volume it will describe. Does not commit.</summary>
    internal async Task<VolumeName> BeginAsync(long blockVolumeId, CancellationToken token)
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

    /// <summary>Opens the local file of an index volume for writing.</summary>
    internal static IndexVolumeWriter Open(VolumeName name, string path, BackupSettings settings) =>
        new(name, new FileStream(path, FileMode.Create, FileAccess.ReadWrite), settings.Format);

    /// <summary>Encrypts and uploads the written volume; its local file is gone afterwards.</summary>
    internal async Task PublishAsync(VolumeName name, string path, CancellationToken token)
    {
        var index = await VolumeSealer.SealAsync(path, name, settings.Format, settings.Passphrase, token).ConfigureAwait(false);
        await uploader.UploadAsync(index, token).ConfigureAwait(false);
    }
}
