// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using System.Collections.Concurrent;
using Duplicati.Engine.Access;
using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;
using Duplicati.Library.Main.Database.Restore;

namespace Duplicati.Engine.Restore;

/// <summary>
/// Restores volume by volume. What a volume does not give is looked for where another operation has moved it meanwhile: the list of
/// volumes is that of
/// the start, and a delete or compact beside the restore writes what is left of some into new ones.
/// </summary>
internal sealed class RestoreVolumes(LocalRestoreDatabase database, RestorePlan plan, VolumeRestorer restorer, IEngineProgress progress)
{
    private readonly long m_total = plan.Paths.Keys.Sum(x => plan.Files[x].Length);
    private readonly string m_remedy = RowFaults.Remedy(database);
    private int m_done;
    private long m_written;

    private readonly ConcurrentQueue<string> m_problems = new();

    /// <summary>Whether a block was found nowhere.</summary>
    internal bool HasLost { get; private set; }

    /// <summary>Names of volumes that are missing, and hold what was found nowhere.</summary>
    internal ConcurrentQueue<string> Missing { get; } = new();

    /// <summary>Writes everything that the plan needs.</summary>
    /// <returns>How many volumes were read.</returns>
    internal async Task<int> RunAsync(int parallelism, CancellationToken token)
    {
        await Parallel
            .ForEachAsync(
                database.GetNeedsByVolumeAsync(false, token).Where(plan.Needs),
                new ParallelOptions { MaxDegreeOfParallelism = parallelism, CancellationToken = token },
                async (volume, stop) =>
                {
                    await RestoreAsync(volume, [], stop).ConfigureAwait(false);
                    // Of an empty file, and of what is there already, nothing is in a volume.
                    progress.Advance("bytes", Math.Min(m_total, Interlocked.Add(ref m_written, BytesOf(volume))), m_total);
                }
            )
            .ConfigureAwait(false);
        return m_done;
    }

    /// <summary>Tells what is wrong with the volumes, once it is known that this is all that can be had.</summary>
    /// <param name="isUnknown">Whether what missing ones held may be in volumes that the database does not know.</param>
    internal void Report(bool isUnknown)
    {
        var lost = LostBlocksMark.RemedyOf(database.Connection, Missing);
        var remedy = VolumeAdvice.Missing(RemoteVolumeType.Blocks, lost, VolumeAdvice.IsForRecreate(lost, isUnknown));
        foreach (var name in Missing)
            progress.Warning($"Failed to restore from {name}, which is missing. {remedy}");
        while (m_problems.TryDequeue(out var problem))
            progress.Warning(problem);
    }

    // What is found nowhere lacks in every volume that was tried: any of them may be the one that can be had again.
    private async Task<IReadOnlyList<BlockNeed>> RestoreAsync(VolumeNeed volume, IReadOnlyCollection<long> tried, CancellationToken token)
    {
        Interlocked.Increment(ref m_done);
        var shortfall = await restorer.RestoreAsync(volume, token).ConfigureAwait(false);
        if (shortfall is null)
            return [];

        tried = [.. tried, volume.VolumeId];
        var found = new HashSet<long>();
        foreach (var moved in database.FindMovedBlocks(volume with { Blocks = shortfall.Lost }, tried, token))
        {
            var missing = await RestoreAsync(moved, tried, token).ConfigureAwait(false);
            found.UnionWith(moved.Blocks.Select(x => x.BlockId).Except(missing.Select(x => x.BlockId)));
        }

        List<BlockNeed> lost = [.. shortfall.Lost.Where(x => !found.Contains(x.BlockId))];
        if (lost.Count > 0 && plan.Needs(volume with { Blocks = lost }))
            HasLost = true;
        Note(volume, shortfall, lost.Count);
        return lost;
    }

    private void Note(VolumeNeed volume, Shortfall shortfall, int lost)
    {
        if (shortfall.IsDamage)
            m_problems.Enqueue(
                $"{volume.Name} is damaged: of {SizeText.Count(volume.Blocks.Count, "needed block")}, {volume.Blocks.Count - lost} could be read all the same, and {lost} could not. {shortfall.Cause.Message}"
            );
        else if (lost > 0 && volume.Name.Length > 0 && shortfall.Cause is RemoteFileMissingException)
            Missing.Enqueue(volume.Name);
        else if (lost > 0)
            m_problems.Enqueue(
                volume.Name.Length == 0
                    ? $"{SizeText.Count(lost, "block is in a volume", "blocks are in volumes")} that the database does not know. {m_remedy}"
                    : $"Failed to restore from {volume.Name}: {shortfall.Cause.Message}"
            );
    }

    private long BytesOf(VolumeNeed volume)
    {
        var bytes = 0L;
        foreach (var block in volume.Blocks)
        {
            foreach (var place in block.Uses.Span)
                bytes += !place.IsMetadata && plan.Paths.ContainsKey(place.FileId) ? block.Size : 0;
        }

        return bytes;
    }
}
