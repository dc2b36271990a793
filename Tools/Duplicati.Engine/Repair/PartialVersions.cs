// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Transfer;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Repair;

/// <summary>Sees to it that a version that loses entries together with a half-uploaded block volume is not taken for a full one.</summary>
internal sealed class PartialVersions(RepairContext context)
{
    private readonly LocalRepairDatabase m_database = context.Database;

    /// <summary>Settles what an interrupted operation left, marks the versions that shrink by it, and commits.</summary>
    /// <returns>Names of uploaded file lists that hold more than their version does now.</returns>
    internal async Task<IReadOnlyList<string>> SettleAsync(RemoteInventory inventory, CancellationToken token)
    {
        var before = inventory.DropsBlocks ? await CountEntriesAsync(token).ConfigureAwait(false) : [];
        var names = new List<string>();
        await inventory.SettleAsync(() => MarkAsync(before, names, token), token).ConfigureAwait(false);
        return names;
    }

    // In the transaction that takes the entries away: nothing else tells the next repair that there were more.
    private async Task MarkAsync(Dictionary<long, long> before, List<string> names, CancellationToken token)
    {
        if (before.Count == 0)
            return;
        foreach (var (id, count) in await CountEntriesAsync(token).ConfigureAwait(false))
        {
            if (count < before[id])
                await MarkAsync(id, before[id] - count, names, token).ConfigureAwait(false);
        }
    }

    private async Task MarkAsync(long filesetId, long lost, List<string> names, CancellationToken token)
    {
        await m_database.UpdateFullBackupStateInFilesetAsync(filesetId, false, token).ConfigureAwait(false);
        var list = await m_database.GetRemoteVolumeFromFilesetIDAsync(filesetId, token).ConfigureAwait(false);
        context.Progress.Warning($"Never uploaded of {list.Name}: {SizeText.Count(lost, "entry")}; the version is marked partial");
        if (list.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
            names.Add(list.Name);
    }

    private async Task<Dictionary<long, long>> CountEntriesAsync(CancellationToken token)
    {
        var counter = await LocalListBrokenFilesDatabase.CreateAsync(m_database, null, token).ConfigureAwait(false);
        await using var counterScope = counter.ConfigureAwait(false);
        var counts = new Dictionary<long, long>();
        foreach (var (id, _) in await m_database.FilesetTimesAsync(token).ToListAsync(token).ConfigureAwait(false))
            counts[id] = await counter.GetFilesetFileCountAsync(id, token).ConfigureAwait(false);
        return counts;
    }
}
