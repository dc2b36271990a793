// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Diagnostics;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Uploads sealed volumes, which moves their local files away, and keeps the database in step: the state <c>Uploading</c> is committed
/// before the first byte leaves, so
/// that an interrupted upload is known about.
/// </summary>
/// <typeparam name="T">The database type of the operation.</typeparam>
internal sealed class VolumeUploader<T>(SharedDatabase<T> shared, IRemoteFolder folder, IEngineProgress progress)
    where T : LocalDatabase
{
    private long m_uploadedBytes;
    private int m_uploadedVolumes;

    /// <summary>Bytes uploaded so far.</summary>
    internal long UploadedBytes => Volatile.Read(ref m_uploadedBytes);

    /// <summary>Volumes uploaded so far.</summary>
    internal int UploadedVolumes => Volatile.Read(ref m_uploadedVolumes);

    /// <summary>Uploads a registered volume. The final state is in the open transaction, not yet committed.</summary>
    internal async Task UploadAsync(SealedVolume volume, CancellationToken token)
    {
        await shared
            .RunAsync(
                async database =>
                {
                    await database
                        .UpdateRemoteVolumeAsync(volume.Name.FileName, RemoteVolumeState.Uploading, volume.Size, volume.Hash, token)
                        .ConfigureAwait(false);
                    await database.Transaction.CommitAsync("CommitBeforeUpload", true, token).ConfigureAwait(false);
                },
                token
            )
            .ConfigureAwait(false);
        await PutAsync(volume, token).ConfigureAwait(false);
    }

    /// <summary>The same for a volume that must stay known as it is until it has arrived.</summary>
    internal async Task PutAsync(SealedVolume volume, CancellationToken token)
    {
        var name = volume.Name;
        progress.Working($"Uploading {name} ({volume.Size} bytes)");
        using (EngineActivities.Transfer("put", name.FileName, volume.Size))
            await folder.PutAsync(name.FileName, volume.Path, token).ConfigureAwait(false);
        Interlocked.Add(ref m_uploadedBytes, volume.Size);
        Interlocked.Increment(ref m_uploadedVolumes);

        await shared
            .RunAsync(
                async database =>
                {
                    await database
                        .LogRemoteOperationAsync("put", name.FileName, $"{{\"Size\":{volume.Size},\"Hash\":\"{volume.Hash}\"}}", token)
                        .ConfigureAwait(false);
                    await database
                        .UpdateRemoteVolumeAsync(name.FileName, RemoteVolumeState.Uploaded, volume.Size, volume.Hash, token)
                        .ConfigureAwait(false);
                },
                token
            )
            .ConfigureAwait(false);
    }
}
