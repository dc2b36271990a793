// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Engine.Remote;
using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;

namespace Duplicati.Engine.Transfer;

/// <content>What a volume's row and its file say together.</content>
internal sealed partial class RemoteInventory
{
    private async Task JudgeAsync(RemoteVolumeEntry volume, RemoteFile? file, NeededVolumes needed, CancellationToken token)
    {
        if (volume.State is RemoteVolumeState.Uploaded or RemoteVolumeState.Verified)
        {
            await JudgeCompleteAsync(volume, file, token).ConfigureAwait(false);
            return;
        }

        if (HasArrived(volume, file))
            await AcceptAsync(volume, token).ConfigureAwait(false);
        else if (GivenUp.Exists(x => x.ID == volume.ID))
            JudgeFile(volume, file);
        else
            JudgeUnneeded(volume, file, needed);
    }

    private void JudgeUnneeded(RemoteVolumeEntry volume, RemoteFile? file, NeededVolumes needed)
    {
        if (volume.State == RemoteVolumeState.Temporary && file is not null && UnbegunLists.Count > 0)
            m_unbegun.Add((volume, file));
        else if (volume.State is RemoteVolumeState.Temporary or RemoteVolumeState.Uploading)
            GiveUpUnlessIncomplete(volume, file);
        // A deleted one may stay known by its name, but no version is made of blocks that went with it, and its blocks get another index.
        else if (volume.State == RemoteVolumeState.Deleting || file is not null || needed.HoldsBlocks(volume) || needed.IsOnlyIndex(volume))
            GiveUp(volume, file);
    }

    // The size was recorded before the upload began, so a file of that size has arrived whole.
    private static bool HasArrived(RemoteVolumeEntry volume, RemoteFile? file) =>
        volume.State == RemoteVolumeState.Uploading
        && file is not null
        && file.HasSize(volume.Size)
        && volume.Size > 0
        && !string.IsNullOrEmpty(volume.Hash);

    private async Task AcceptAsync(RemoteVolumeEntry volume, CancellationToken token)
    {
        Accepted.Add(volume.Name);
        if (!OnlyReads)
            await database
                .UpdateRemoteVolumeAsync(volume.Name, RemoteVolumeState.Uploaded, volume.Size, volume.Hash, token)
                .ConfigureAwait(false);
    }

    private void GiveUpUnlessIncomplete(RemoteVolumeEntry volume, RemoteFile? file)
    {
        if (volume.Name == m_incomplete)
            m_incompleteIsHalfThere = file is not null;
        else
        {
            GiveUp(volume, file);
            m_givesUpVersion |= volume.Type == RemoteVolumeType.Files;
        }
    }

    private void GiveUp(RemoteVolumeEntry volume, RemoteFile? file)
    {
        (file is null ? m_forget : m_delete).Add(volume.Name);
        DropsBlocks |= volume.Type == RemoteVolumeType.Blocks;
        if (
            file is not null
            && volume is { State: RemoteVolumeState.Deleted } or { State: RemoteVolumeState.Deleting, Type: RemoteVolumeType.Blocks }
        )
            Returned.Add(file);
    }

    private async Task JudgeCompleteAsync(RemoteVolumeEntry volume, RemoteFile? file, CancellationToken token)
    {
        if (JudgeFile(volume, file) && volume.State == RemoteVolumeState.Uploaded && !OnlyReads)
            await database
                .UpdateRemoteVolumeAsync(
                    volume.Name,
                    RemoteVolumeState.Verified,
                    volume.Size >= 0 ? volume.Size : file!.Size,
                    volume.Hash,
                    token
                )
                .ConfigureAwait(false);
    }

    private bool JudgeFile(RemoteVolumeEntry volume, RemoteFile? file)
    {
        var isResized = file is not null && volume.Size >= 0 && !file.HasSize(volume.Size);
        if (isResized)
            Resized.Add(volume);
        if (file is null || isResized)
            Missing.Add(volume);
        return file is not null && !isResized;
    }
}
