// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Recreate;

// The block volumes: read for what the index volumes lack (contract B, 4.2 steps 11 and 12), in passes over those that may have it, each
// offered once. After each volume is a commit.
internal sealed partial class DatabaseRebuild
{
    private const int Passes = 3;
    private const int MostTold = 20;
    private BlockVolumeLoader m_blocks = null!;

    /// <summary>Whether something is missing that only block volumes can have. Looks through everything that was read.</summary>
    private async Task<bool> IsBlockVolumeNeededAsync(CancellationToken token)
    {
        await m_recreate.CleanupMissingVolumesAsync(token).ConfigureAwait(false);
        await m_recreate.FindMissingBlocklistHashesAsync(m_format.BlockHash.DigestSize, m_format.Blocksize, token).ConfigureAwait(false);
        for (var pass = 0; pass < Passes; pass++)
        {
            if (
                (
                    await m_resume.NeededVolumesAsync(pass, m_format.Blocksize, m_format.BlockHash.DigestSize, token).ConfigureAwait(false)
                ).Count > 0
            )
                return true;
        }

        return false;
    }

    private async Task LoadBlockVolumesAsync(CancellationToken token)
    {
        m_blocks = new BlockVolumeLoader(m_recreate, m_resume, m_downloader, m_format);
        for (var pass = 0; pass < Passes; pass++)
        {
            // Nothing would look for what is said to be in a volume that has turned out not to hold it.
            if (pass == Passes - 1)
                await m_contested.DropRefutedAsync(token).ConfigureAwait(false);
            var needed = await m_resume
                .NeededVolumesAsync(pass, m_format.Blocksize, m_format.BlockHash.DigestSize, token)
                .ConfigureAwait(false);
            var volumes = needed.Where(x => !m_plan.IsDone(x.Name)).ToList();
            if (volumes.Count == 0)
                continue;
            // What cannot be there is not looked for.
            if (
                await RefuseImpossibleAsync(token).ConfigureAwait(false)
                && !await m_resume.IsPassNeededAsync(pass, m_format.Blocksize, m_format.BlockHash.DigestSize, token).ConfigureAwait(false)
            )
                continue;
            TellReasons(volumes, pass);
            var damaged = await LoadBlockVolumesAsync(volumes, token).ConfigureAwait(false);
            // After the others: what one of them has is not looked for in what is left of these.
            foreach (var volume in damaged)
                await SalvageAsync(volume, token).ConfigureAwait(false);
        }

        await RefuseImpossibleAsync(token).ConfigureAwait(false);
        await m_blocks.ForgetUnreadableAsync(token).ConfigureAwait(false);
        if (m_newestList is null)
            await ReadUndescribedAsync(token).ConfigureAwait(false);
    }

    // The volumes that no index volume describes. Where there is no version nothing needs them yet; the next backup uses what they have.
    private async Task ReadUndescribedAsync(CancellationToken token)
    {
        var volumes = new List<IRemoteVolume>();
        foreach (var file in m_plan.Open(m_plan.Of(RemoteVolumeType.Blocks)))
        {
            var volume = await m_recreate.GetRemoteVolumeAsync(file.Name, token).ConfigureAwait(false);
            if (string.IsNullOrEmpty(volume.Hash))
                volumes.Add(volume);
        }

        if (volumes.Count > 0)
            await LoadBlockVolumesAsync(volumes, token).ConfigureAwait(false);
    }

    // Gives those back that could not be read as a whole.
    private async Task<List<IRemoteVolume>> LoadBlockVolumesAsync(List<IRemoteVolume> volumes, CancellationToken token)
    {
        folder.Prefetch(volumes.Select(x => (x.Name, x.Size)));
        var damaged = new List<IRemoteVolume>();
        for (var i = 0; i < volumes.Count; i++)
        {
            if (!await TryLoadAsync(volumes[i], token).ConfigureAwait(false))
                damaged.Add(volumes[i]);
            progress.Advance("block volumes", i + 1, volumes.Count);
        }

        return damaged;
    }

    private async Task<bool> RefuseImpossibleAsync(CancellationToken token)
    {
        var (count, first) = await m_resume.RefuseImpossibleAsync(MostTold, token).ConfigureAwait(false);
        var refused = new RefusedEntries();
        refused.Add(first, count, "what the file list says of its size contradicts the blocks that are there");
        await RefuseAsync(refused, token).ConfigureAwait(false);
        return count > 0;
    }

    private async Task<bool> TryLoadAsync(IRemoteVolume volume, CancellationToken token)
    {
        var isWhole = true;
        try
        {
            await m_blocks.LoadAsync(volume, token).ConfigureAwait(false);
            await m_recreate.LogRemoteOperationAsync("get", volume.Name, null, token).ConfigureAwait(false);
            await m_plan.SetDoneAsync(volume.Name, token).ConfigureAwait(false);
            m_blockVolumes++;
        }
        catch (Exception ex) when (ex is VolumeException or InvalidDataException)
        {
            if (ex is VolumeException failure && !await IsOfOneVolumeAsync(failure, token).ConfigureAwait(false))
                throw;
            m_problems++;
            CountOther(ex);
            progress.Warning($"Failed to process {volume.Name}: {ex.Message}");
            isWhole = false;
        }

        await ResolveAsync(token).ConfigureAwait(false);
        return isWhole;
    }

    private async Task ResolveAsync(CancellationToken token)
    {
        if (m_blocks.TakeIsNew())
            await m_recreate
                .FindMissingBlocklistHashesAsync(m_format.BlockHash.DigestSize, m_format.Blocksize, token)
                .ConfigureAwait(false);
        await m_recreate.Transaction.CommitAsync("CommitRestoredBlocklist", true, token).ConfigureAwait(false);
    }

    private async Task SalvageAsync(IRemoteVolume volume, CancellationToken token)
    {
        await m_contested.GiveBackAsync(volume.Name, token).ConfigureAwait(false);
        try
        {
            await m_blocks.LoadDamagedAsync(volume, token).ConfigureAwait(false);
        }
        catch (VolumeException ex)
        {
            progress.Warning($"Nothing of {volume.Name} can be read: {ex.Message}");
        }

        await ResolveAsync(token).ConfigureAwait(false);
    }

    // They may be many and large.
    private void TellReasons(List<IRemoteVolume> volumes, int pass)
    {
        progress.Message(
            $"Reading {SizeText.Count(volumes.Count, "block volume")} of {SizeText.Of(volumes.Sum(x => Math.Max(0, x.Size)))} for what the index volumes lack (pass {pass + 1} of {Passes})"
        );
        foreach (var volume in volumes.Take(MostTold))
            progress.Message($"  {Reason(volume)}, so this block volume of {SizeText.Of(volume.Size)} is read");
        if (volumes.Count > MostTold)
            progress.Message($"  ... and {volumes.Count - MostTold} more");
    }

    // Only an index volume, or the block volume itself once it has been read, tells its hash.
    private static string Reason(IRemoteVolume volume) =>
        string.IsNullOrEmpty(volume.Hash)
            ? $"The index volume of {volume.Name} is missing or cannot be read"
            : $"The index volumes lack blocks or lists of blocks that {volume.Name} may hold";
}
