// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Dump;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Repair;

/// <summary>
/// Looks in block volumes that the database does not know for what missing ones held. Where they hold it, the database is of another time
/// than the folder. Where they do not, a recreate would forget blocks that the sources may still have.
/// </summary>
internal sealed class UnknownBlocks(RepairContext context)
{
    /// <summary>Number of blocks of a volume. Block_IndexByVolumeId.</summary>
    private const string COUNT = """SELECT COUNT(*) FROM "Block" WHERE "VolumeID" = @volume""";

    /// <summary>A block. BlockHashSize.</summary>
    private const string FIND = """SELECT "ID", "VolumeID" FROM "Block" WHERE "Hash" = @hash AND "Size" = @size""";

    // Blocks of missing volumes that are there.
    private readonly HashSet<long> m_found = [];

    /// <summary>
    /// Looks through them. Those that an unknown index volume describes are not fetched: a recreate takes its word as well. What cannot be
    /// read holds nothing.
    /// </summary>
    /// <param name="missing">The missing volumes.</param>
    /// <param name="unknown">What the database does not know.</param>
    /// <param name="token">Cancels.</param>
    /// <returns>How many blocks of the missing volumes are there, and how many there are.</returns>
    internal async Task<(long Found, long All)> LookAsync(
        IReadOnlyList<RemoteVolumeEntry> missing,
        IEnumerable<RemoteFile> unknown,
        CancellationToken token
    )
    {
        var volumes = missing.Select(x => x.ID).ToHashSet();
        var all = volumes.Sum(x => DumpQuery.Number(context.Database.Connection, COUNT, ("@volume", x)));
        var files = unknown.ToLookup(x => VolumeName.Parse(x.Name)?.Type);
        var left = files[RemoteVolumeType.Blocks].ToDictionary(x => x.Name, StringComparer.Ordinal);
        foreach (var index in files[RemoteVolumeType.Index].TakeWhile(_ => m_found.Count < all && left.Count > 0))
            await TryAsync(index.Name, x => Describe(x, index.Name, volumes, left), token).ConfigureAwait(false);
        foreach (var name in left.Keys.TakeWhile(_ => m_found.Count < all))
            await TryAsync(name, x => Read(x, name, volumes), token).ConfigureAwait(false);
        return (m_found.Count, all);
    }

    private async Task TryAsync(string name, Action<Stream> read, CancellationToken token)
    {
        context.Progress.Message($"Looking for missing blocks in {name}");
        try
        {
            using var download = await context.Downloader.FetchAsync(name, token).ConfigureAwait(false);
            read(download.Content);
        }
        catch (Exception ex) when (ex is VolumeException or RemoteFileException)
        {
            context.Progress.Warning(ex.What());
        }
    }

    private void Read(Stream content, string name, HashSet<long> volumes)
    {
        using var reader = BlockVolumeReader.Open(content, name);
        reader.Manifest.Require(name, context.Settings.Format);
        foreach (var (hash, size) in reader.Blocks)
            m_found.UnionWith(Find(hash, size, volumes));
    }

    // Of one that has another size by now nothing is known.
    private void Describe(Stream content, string name, HashSet<long> volumes, Dictionary<string, RemoteFile> left)
    {
        using var reader = IndexVolumeReader.Open(content, name);
        reader.Manifest.Require(name, context.Settings.Format);
        foreach (var volume in reader.ReadVolumes())
        {
            if (!left.TryGetValue(volume.Name.FileName, out var file))
                continue;
            var blocks = volume.ReadBlocks().SelectMany(x => Find(x.Key, x.Value, volumes)).ToList();
            if (!file.HasSize(volume.Size))
                continue;
            m_found.UnionWith(blocks);
            left.Remove(file.Name);
        }
    }

    private IEnumerable<long> Find(string hash, long size, HashSet<long> volumes) =>
        DumpQuery
            .Rows(context.Database.Connection, FIND, x => (Id: x.GetInt64(0), Volume: x.GetInt64(1)), ("@hash", hash), ("@size", size))
            .Where(x => volumes.Contains(x.Volume))
            .Select(x => x.Id);
}
