// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Configuration;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Reports;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Interface;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;
using Difference = System.Collections.Generic.KeyValuePair<Duplicati.Library.Interface.TestEntryStatus, string>;

namespace Duplicati.Engine.VolumeTest;

/// <summary>Fetches volumes and compares everything in them with the database.</summary>
internal sealed class VolumeComparer(LocalTestDatabase database, VolumeDownloader downloader, BackupSettings settings)
{
    private readonly VolumeFormat m_format = settings.Format;

    /// <summary>Compare only those entries of file lists that a recreate takes over: others no database has.</summary>
    internal bool OnlyUsable { get; init; }

    /// <summary>Compare of index volumes only what they say of block volumes, not the lists of blocks in them.</summary>
    internal bool ExceptBlocklists { get; init; }

    /// <summary>All differences of one volume.</summary>
    /// <exception cref="VolumeException">The volume is damaged, or is not the one the database knows.</exception>
    internal async Task<List<VolumeDifference>> CompareAsync(IRemoteVolume volume, CancellationToken token)
    {
        using var download = await downloader.FetchAsync(volume.Name, volume.Hash, volume.Size, token).ConfigureAwait(false);
        var differences = VolumeName.Parse(volume.Name)!.Type switch
        {
            RemoteVolumeType.Blocks => CompareBlocksAsync(download.Content, volume.Name, token),
            RemoteVolumeType.Index => CompareIndexAsync(download.Content, volume.Name, token),
            _ => CompareFilesAsync(download.Content, volume.Name, token),
        };
        return (await differences.ConfigureAwait(false)).ConvertAll(x => new VolumeDifference(volume.Name, x.Key, x.Value));
    }

    private async Task<List<Difference>> CompareBlocksAsync(Stream content, string name, CancellationToken token)
    {
        using var reader = BlockVolumeReader.Open(content, name);
        reader.Manifest.Require(name, m_format);
        var differences = await CompareBlocksAsync(reader.Blocks, name, token).ConfigureAwait(false);
        // A recreate reads no volume that no index describes and nothing needs.
        return
            differences.Count > 0
            && differences.TrueForAll(x => x.Key == TestEntryStatus.Extra)
            && differences.Count == reader.Blocks.Count()
            ? []
            : differences;
    }

    private async Task<List<Difference>> CompareBlocksAsync(
        IEnumerable<KeyValuePair<string, long>> blocks,
        string name,
        CancellationToken token
    )
    {
        var list = await database.CreateBlocklistAsync(name, token).ConfigureAwait(false);
        await using var scope = list.ConfigureAwait(false);
        foreach (var (hash, size) in blocks)
            await list.AddBlockAsync(hash, size, token).ConfigureAwait(false);
        return await list.CompareAsync(token).ToListAsync(token).ConfigureAwait(false);
    }

    private async Task<List<Difference>> CompareFilesAsync(Stream content, string name, CancellationToken token)
    {
        using var reader = FilelistReader.Open(content, name);
        reader.Manifest.Require(name, m_format);
        var list = await database.CreateFilelistAsync(name, token).ConfigureAwait(false);
        await using var scope = list.ConfigureAwait(false);
        foreach (var entry in reader.ReadEntries().Where(x => !OnlyUsable || IsUsable(x)))
            await list.AddAsync(entry.Path, entry.Size, entry.Hash!, entry.MetaSize, entry.MetaHash!, [], entry.Type, entry.Time, token)
                .ConfigureAwait(false);
        return await list.CompareAsync(token).ToListAsync(token).ConfigureAwait(false);
    }

    private static bool IsUsable(FilelistEntry entry) =>
        PathCheck.Problem(entry.Path) is null
        && entry.Type is (FilelistEntryType.File or FilelistEntryType.Folder or FilelistEntryType.Symlink);

    // An index volume may describe more than is known, after a compact for instance; that does no harm.
    private async Task<List<Difference>> CompareIndexAsync(Stream content, string name, CancellationToken token)
    {
        using var reader = IndexVolumeReader.Open(content, name);
        reader.Manifest.Require(name, m_format);
        var differences = await CompareLinksAsync(reader, name, token).ConfigureAwait(false);
        if (!ExceptBlocklists)
            differences.AddRange(await CompareBlocklistsAsync(reader, name, token).ConfigureAwait(false));
        differences.RemoveAll(x => x.Key == TestEntryStatus.Extra);
        return differences;
    }

    private async Task<List<Difference>> CompareLinksAsync(IndexVolumeReader reader, string name, CancellationToken token)
    {
        var differences = new List<Difference>();
        var links = await database.CreateIndexlistAsync(name, token).ConfigureAwait(false);
        await using var scope = links.ConfigureAwait(false);
        foreach (var volume in reader.ReadVolumes())
        {
            using (volume)
            {
                // Hash and size come after the blocks.
                differences.AddRange(await CompareBlocksAsync(volume.ReadBlocks(), volume.Name.FileName, token).ConfigureAwait(false));
                await links.AddBlockLinkAsync(volume.Name.FileName, volume.Hash!, volume.Size, token).ConfigureAwait(false);
            }
        }

        differences.AddRange(await links.CompareAsync(token).ToListAsync(token).ConfigureAwait(false));
        return differences;
    }

    private async Task<List<Difference>> CompareBlocklistsAsync(IndexVolumeReader reader, string name, CancellationToken token)
    {
        var list = await database.CreateBlocklistHashListAsync(name, token).ConfigureAwait(false);
        await using var scope = list.ConfigureAwait(false);
        var any = false;
        foreach (var blocklist in reader.ReadBlocklists())
        {
            any = true;
            await list.AddBlockHashAsync(blocklist.Hash, blocklist.Digests.Length, token).ConfigureAwait(false);
        }

        // Index volumes made without blocklists hold none; what they lack is read from block volumes.
        if (!any && reader.RejectedBlocklists == 0)
            return [];
        return await list.CompareAsync(settings.BlockSize / settings.DigestSize, settings.DigestSize, settings.BlockSize, token)
            .ToListAsync(token)
            .ConfigureAwait(false);
    }
}
