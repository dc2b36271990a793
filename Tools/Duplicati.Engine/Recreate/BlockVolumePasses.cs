// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Common;
using Duplicati.Engine.Errors;
using Duplicati.Engine.Remote;
using Duplicati.Engine.Transfer;
using Duplicati.Engine.Volumes;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Batch;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Recreate;

/// <summary>
/// Reads block volumes for what the index volumes lack (contract B, 4.2 steps 11 and 12): passes over those that may have it, each offered
/// once. After each volume is a commit.
/// </summary>
/// <param name="recreate">The database.</param>
/// <param name="resume">Knows what is missing.</param>
/// <param name="downloader">Fetches volumes.</param>
/// <param name="format">What volumes are made with.</param>
/// <param name="plan">Knows what was read before.</param>
/// <param name="folder">Told ahead what will be fetched.</param>
/// <param name="progress">Told what happens.</param>
/// <param name="isOfOneVolume">Whether a failure is that volume's fault, and not the passphrase's.</param>
/// <param name="failed">Told why a volume could not be read.</param>
/// <param name="refuse">Told of entries that the volumes contradict and that are left out, in the transaction in which they go.</param>
internal sealed class BlockVolumePasses(
    LocalRecreateDatabase recreate,
    ResumableRebuild resume,
    VolumeDownloader downloader,
    VolumeFormat format,
    VolumePlan plan,
    IRemoteFolder folder,
    IEngineProgress progress,
    Func<VolumeException, CancellationToken, Task<bool>> isOfOneVolume,
    Action<Exception> failed,
    Func<RefusedEntries, CancellationToken, Task> refuse
)
{
    /// <summary>Number of passes.</summary>
    internal const int COUNT = 3;

    private const int Shown = 20;

    private readonly BlockVolumeLoader m_loader = new(recreate, resume, downloader, format);
    private readonly ContestedVolumes m_contested = new(recreate, plan.Find, progress);

    /// <summary>Number of volumes that could not be read as a whole.</summary>
    internal int Problems { get; private set; }

    /// <summary>Whether something is missing that only block volumes can have. Looks through everything that was read.</summary>
    internal static async Task<bool> IsAnyNeededAsync(
        LocalRecreateDatabase recreate,
        ResumableRebuild resume,
        VolumeFormat format,
        CancellationToken token
    )
    {
        await recreate.CleanupMissingVolumesAsync(token).ConfigureAwait(false);
        await recreate.FindMissingBlocklistHashesAsync(format.BlockHash.DigestSize, format.Blocksize, token).ConfigureAwait(false);
        for (var pass = 0; pass < COUNT; pass++)
        {
            if (
                (await resume.NeededVolumesAsync(pass, format.Blocksize, format.BlockHash.DigestSize, token).ConfigureAwait(false)).Count
                > 0
            )
                return true;
        }

        return false;
    }

    /// <summary>Reads what is needed.</summary>
    /// <param name="read">Told of each volume that was read.</param>
    /// <param name="token">Cancels.</param>
    internal async Task RunAsync(Action read, CancellationToken token)
    {
        for (var pass = 0; pass < COUNT; pass++)
        {
            // Nothing would look for what is said to be in a volume that has turned out not to hold it.
            if (pass == COUNT - 1)
                await m_contested.DropRefutedAsync(token).ConfigureAwait(false);
            var needed = await resume.NeededVolumesAsync(pass, format.Blocksize, format.BlockHash.DigestSize, token).ConfigureAwait(false);
            var volumes = needed.Where(x => !plan.IsDone(x.Name)).ToList();
            if (volumes.Count == 0)
                continue;
            // What cannot be there is not looked for.
            if (
                await RefuseAsync(token).ConfigureAwait(false)
                && !await resume.IsPassNeededAsync(pass, format.Blocksize, format.BlockHash.DigestSize, token).ConfigureAwait(false)
            )
                continue;
            TellReasons(volumes, pass);
            var damaged = await LoadAsync(volumes, read, token).ConfigureAwait(false);
            // After the others: what one of them has is not looked for in what is left of these.
            foreach (var volume in damaged)
                await SalvageAsync(volume, token).ConfigureAwait(false);
        }

        await RefuseAsync(token).ConfigureAwait(false);
        await m_loader.ForgetUnreadableAsync(token).ConfigureAwait(false);
    }

    /// <summary>
    /// Reads the volumes that no index volume describes. Where there is no version nothing needs them yet; the next backup uses what they
    /// have.
    /// </summary>
    /// <param name="read">As for <see cref="RunAsync"/>.</param>
    /// <param name="token">Cancels.</param>
    internal async Task ReadUndescribedAsync(Action read, CancellationToken token)
    {
        var volumes = new List<IRemoteVolume>();
        foreach (var file in plan.Open(plan.Of(RemoteVolumeType.Blocks)))
        {
            var volume = await recreate.GetRemoteVolumeAsync(file.Name, token).ConfigureAwait(false);
            if (string.IsNullOrEmpty(volume.Hash))
                volumes.Add(volume);
        }

        if (volumes.Count == 0)
            return;
        await LoadAsync(volumes, read, token).ConfigureAwait(false);
    }

    // Gives those back that could not be read as a whole.
    private async Task<List<IRemoteVolume>> LoadAsync(List<IRemoteVolume> volumes, Action read, CancellationToken token)
    {
        folder.Prefetch(volumes.Select(x => (x.Name, x.Size)));
        var damaged = new List<IRemoteVolume>();
        for (var i = 0; i < volumes.Count; i++)
        {
            if (!await TryLoadAsync(volumes[i], read, token).ConfigureAwait(false))
                damaged.Add(volumes[i]);
            progress.Advance("block volumes", i + 1, volumes.Count);
        }

        return damaged;
    }

    private async Task<bool> RefuseAsync(CancellationToken token)
    {
        var (count, first) = await resume.RefuseImpossibleAsync(Shown, token).ConfigureAwait(false);
        var refused = new RefusedEntries();
        refused.Add(first, count, "what the file list says of its size contradicts the blocks that are there");
        await refuse(refused, token).ConfigureAwait(false);
        return count > 0;
    }

    private async Task<bool> TryLoadAsync(IRemoteVolume volume, Action read, CancellationToken token)
    {
        var isWhole = true;
        try
        {
            await m_loader.LoadAsync(volume, token).ConfigureAwait(false);
            await recreate.LogRemoteOperationAsync("get", volume.Name, null, token).ConfigureAwait(false);
            await plan.SetDoneAsync(volume.Name, token).ConfigureAwait(false);
            read();
        }
        catch (Exception ex) when (ex is VolumeException or InvalidDataException)
        {
            if (ex is VolumeException failure && !await isOfOneVolume(failure, token).ConfigureAwait(false))
                throw;
            Problems++;
            failed(ex);
            progress.Warning($"Failed to process {volume.Name}: {ex.Message}");
            isWhole = false;
        }

        await ResolveAsync(token).ConfigureAwait(false);
        return isWhole;
    }

    private async Task ResolveAsync(CancellationToken token)
    {
        if (m_loader.TakeIsNew())
            await recreate.FindMissingBlocklistHashesAsync(format.BlockHash.DigestSize, format.Blocksize, token).ConfigureAwait(false);
        await recreate.Transaction.CommitAsync("CommitRestoredBlocklist", true, token).ConfigureAwait(false);
    }

    private async Task SalvageAsync(IRemoteVolume volume, CancellationToken token)
    {
        await m_contested.GiveBackAsync(volume.Name, token).ConfigureAwait(false);
        try
        {
            await m_loader.LoadDamagedAsync(volume, token).ConfigureAwait(false);
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
            $"Reading {SizeText.Count(volumes.Count, "block volume")} of {SizeText.Of(volumes.Sum(x => Math.Max(0, x.Size)))} for what the index volumes lack (pass {pass + 1} of 3)"
        );
        foreach (var volume in volumes.Take(Shown))
            progress.Message($"  {Reason(volume)}, so this block volume of {SizeText.Of(volume.Size)} is read");
        if (volumes.Count > Shown)
            progress.Message($"  ... and {volumes.Count - Shown} more");
    }

    // Only an index volume, or the block volume itself once it has been read, tells its hash.
    private static string Reason(IRemoteVolume volume) =>
        string.IsNullOrEmpty(volume.Hash)
            ? $"The index volume of {volume.Name} is missing or cannot be read"
            : $"The index volumes lack blocks or lists of blocks that {volume.Name} may hold";
}
