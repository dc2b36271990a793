// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;

namespace Duplicati.Engine.Recreate;

/// <summary>A volume that the folder keeps back, for whoever can go on without it as without a damaged one.</summary>
internal sealed class KeptBackVolumeException : VolumeException
{
    /// <summary>Makes the error.</summary>
    /// <param name="volume">The file name of the volume.</param>
    /// <param name="cause">What the folder said.</param>
    internal KeptBackVolumeException(string volume, RemoteFileUnreadableException cause)
        : base(volume, cause.What, RemoteFileUnreadableException.REMEDY, cause.HelpID, cause) { }
}

/// <summary>Fetches what a recreate reads.</summary>
/// <param name="downloader">Fetches.</param>
/// <param name="goesOn">Whether the database is thrown away, so that nobody takes for lost for good what a volume holds that is kept back.
/// Else that ends the recreate.</param>
internal sealed class RebuildDownloader(VolumeDownloader downloader, bool goesOn)
{
    /// <summary>Fetches, and leaves failures as they are; see <see cref="Failure"/>.</summary>
    internal VolumeDownloader Downloader => downloader;

    /// <summary>Fetches a volume as <see cref="VolumeDownloader"/> does.</summary>
    internal Task<VolumeDownloader.Download> FetchAsync(
        string name,
        VolumeHash algorithm,
        string? expectedHash,
        long expectedLength,
        CancellationToken token
    ) => RunAsync(name, downloader.FetchAsync(name, algorithm, expectedHash, expectedLength, token));

    /// <summary>Fetches a volume that may be damaged as <see cref="VolumeDownloader"/> does.</summary>
    internal Task<VolumeDownloader.Download> FetchDamagedAsync(string name, VolumeHash algorithm, CancellationToken token) =>
        RunAsync(name, downloader.FetchDamagedAsync(name, algorithm, token));

    /// <summary>What the failure to fetch a volume is for this recreate.</summary>
    internal Exception Failure(string name, Exception failure) =>
        goesOn && failure is RemoteFileUnreadableException unread ? new KeptBackVolumeException(name, unread) : failure;

    private async Task<VolumeDownloader.Download> RunAsync(string name, Task<VolumeDownloader.Download> fetching)
    {
        try
        {
            return await fetching.ConfigureAwait(false);
        }
        catch (RemoteFileUnreadableException ex) when (goesOn)
        {
            throw Failure(name, ex);
        }
    }
}
