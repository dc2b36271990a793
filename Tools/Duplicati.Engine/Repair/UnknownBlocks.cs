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

    /// <summary>Looks through them. What cannot be read holds nothing.</summary>
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
        var found = new HashSet<long>();
        foreach (var name in unknown.Select(x => x.Name).Where(x => VolumeName.Parse(x)?.Type == RemoteVolumeType.Blocks))
        {
            if (found.Count == all)
                break;
            context.Progress.Message($"Looking for missing blocks in {name}");
            try
            {
                await LookAsync(name, volumes, found, token).ConfigureAwait(false);
            }
            catch (Exception ex) when (ex is VolumeException or RemoteFileException)
            {
                context.Progress.Warning(ex.What());
            }
        }

        return (found.Count, all);
    }

    private async Task LookAsync(string name, HashSet<long> volumes, HashSet<long> found, CancellationToken token)
    {
        var format = context.Settings.Format;
        using var download = await context.Downloader.FetchAsync(name, format.FileHash, null, -1, token).ConfigureAwait(false);
        using var reader = BlockVolumeReader.Open(download.Content, name);
        reader.Manifest.Require(name, format);
        foreach (var (hash, size) in reader.Blocks)
        {
            var blocks = DumpQuery.Rows(
                context.Database.Connection,
                FIND,
                x => (Id: x.GetInt64(0), Volume: x.GetInt64(1)),
                ("@hash", hash),
                ("@size", size)
            );
            found.UnionWith(blocks.Where(x => volumes.Contains(x.Volume)).Select(x => x.Id));
        }
    }
}
