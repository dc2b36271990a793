// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Buffers;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Transfer;

/// <summary>Reads whole volumes and checks everything in them. Safe for concurrent use.</summary>
internal sealed class VolumeChecker(VolumeDownloader downloader, VolumeFormat format)
{
    /// <summary>Checks size and hash of the file, and that it can be decrypted.</summary>
    /// <exception cref="VolumeException">It is not as recorded.</exception>
    internal async Task FetchAsync(RemoteVolumeEntry volume, CancellationToken token) =>
        (await downloader.FetchAsync(volume.Name, format.FileHash, volume.Hash, volume.Size, token).ConfigureAwait(false)).Dispose();

    /// <summary>Checks size and hash of the file, its manifest, and every entry.</summary>
    /// <exception cref="VolumeException">The first problem found.</exception>
    internal async Task CheckAsync(RemoteVolumeEntry volume, CancellationToken token)
    {
        using var download = await downloader
            .FetchAsync(volume.Name, format.FileHash, volume.Hash, volume.Size, token)
            .ConfigureAwait(false);
        switch (volume.Type)
        {
            case RemoteVolumeType.Blocks:
                CheckBlocks(download.Content, volume.Name, token);
                break;
            case RemoteVolumeType.Index:
                CheckIndex(download.Content, volume.Name);
                break;
            default:
                CheckFilelist(download.Content, volume.Name);
                break;
        }
    }

    private void CheckBlocks(Stream content, string name, CancellationToken token)
    {
        using var reader = BlockVolumeReader.Open(content, name);
        reader.Manifest.Require(name, format.Blocksize, format.BlockHash, format.FileHash);
        var buffer = ArrayPool<byte>.Shared.Rent((int)format.Blocksize);
        try
        {
            foreach (var (hash, _) in reader.Blocks)
            {
                token.ThrowIfCancellationRequested();
                reader.ReadVerifiedBlock(hash, format.BlockHash, buffer);
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private void CheckIndex(Stream content, string name)
    {
        using var reader = IndexVolumeReader.Open(content, name);
        reader.Manifest.Require(name, format.Blocksize, format.BlockHash, format.FileHash);
        foreach (var volume in reader.ReadVolumes())
        {
            using (volume)
                _ = volume.ReadBlocks().Count();
        }

        _ = reader.ReadBlocklists().Count();
        if (reader.RejectedBlocklists.Count > 0)
            throw new CorruptVolumeException(
                name,
                $"Blocklists in it with another content than their name says: {reader.RejectedBlocklists.Count}."
            );
    }

    private void CheckFilelist(Stream content, string name)
    {
        using var reader = FilelistReader.Open(content, name);
        reader.Manifest.Require(name, format.Blocksize, format.BlockHash, format.FileHash);
        foreach (var entry in reader.ReadEntries())
            _ = entry.BlocklistHashes?.Count();
    }
}
