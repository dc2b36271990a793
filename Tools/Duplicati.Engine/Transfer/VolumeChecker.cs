// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Microsoft.Data.Sqlite;

namespace Duplicati.Engine.Transfer;

/// <summary>Reads whole volumes and checks everything in them. Safe for concurrent use.</summary>
internal sealed class VolumeChecker(VolumeDownloader downloader, VolumeFormat format)
{
    /// <summary>Block_IndexByVolumeId.</summary>
    private const string RECORDED = """SELECT "Hash", "Size" FROM "Block" WHERE "VolumeID" = @volume""";

    /// <summary>The database that tells which blocks a block volume has to hold; null to take those that it does.</summary>
    internal SqliteConnection? Database { get; init; }

    /// <summary>Requires a block volume to hold every block that is recorded in it: it may be whole, and its index volume wrong.</summary>
    /// <param name="database">The database.</param>
    /// <param name="volume">The volume.</param>
    /// <param name="reader">Its content.</param>
    /// <exception cref="CorruptVolumeException">It lacks some.</exception>
    internal static void RequireRecorded(SqliteConnection database, RemoteVolumeEntry volume, BlockVolumeReader reader)
    {
        var lacking = DumpQuery
            .Rows(database, RECORDED, x => KeyValuePair.Create(x.GetString(0), x.GetInt64(1)), ("@volume", volume.ID))
            .ToHashSet();
        lacking.ExceptWith(reader.Blocks);
        if (lacking.Count > 0)
            throw new CorruptVolumeException(
                volume.Name,
                $"It lacks {SizeText.Count(lacking.Count, "block")} that the database knows in it."
            );
    }

    /// <summary>Checks size and hash of the file, and that it can be decrypted.</summary>
    /// <exception cref="VolumeException">It is not as recorded.</exception>
    internal async Task FetchAsync(RemoteVolumeEntry volume, CancellationToken token) =>
        (await downloader.FetchAsync(volume.Name, volume.Hash, volume.Size, token).ConfigureAwait(false)).Dispose();

    /// <summary>Checks size and hash of the file, its manifest, and every entry.</summary>
    /// <returns>Hash and length of what was checked.</returns>
    /// <exception cref="VolumeException">The first problem found.</exception>
    internal async Task<(string Hash, long Length)> CheckAsync(RemoteVolumeEntry volume, CancellationToken token)
    {
        using var download = await downloader.FetchAsync(volume.Name, volume.Hash, volume.Size, token).ConfigureAwait(false);
        switch (volume.Type)
        {
            case RemoteVolumeType.Blocks:
                CheckBlocks(download.Content, volume, token);
                break;
            case RemoteVolumeType.Index:
                CheckIndex(download.Content, volume.Name);
                break;
            default:
                CheckFilelist(download.Content, volume.Name);
                break;
        }

        return (download.Hash, download.Length);
    }

    private void CheckBlocks(Stream content, RemoteVolumeEntry volume, CancellationToken token)
    {
        using var reader = BlockVolumeReader.Open(content, volume.Name);
        reader.Manifest.Require(volume.Name, format);
        reader.VerifyAll(format.BlockHash, token);
        if (Database is null)
            return;
        lock (Database)
            RequireRecorded(Database, volume, reader);
    }

    private void CheckIndex(Stream content, string name)
    {
        using var reader = IndexVolumeReader.Open(content, name);
        reader.Manifest.Require(name, format);
        foreach (var volume in reader.ReadVolumes())
        {
            using (volume)
                _ = volume.ReadBlocks().Count();
        }

        _ = reader.ReadBlocklists().Count();
        if (reader.RejectedBlocklists > 0)
            throw new CorruptVolumeException(
                name,
                $"Blocklists in it with another content than their name says: {reader.RejectedBlocklists}."
            );
    }

    private void CheckFilelist(Stream content, string name)
    {
        using var reader = FilelistReader.Open(content, name);
        reader.Manifest.Require(name, format);
        foreach (var entry in reader.ReadEntries())
            _ = entry.BlocklistHashes?.Count();
    }
}
