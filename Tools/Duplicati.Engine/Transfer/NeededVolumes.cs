// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

using Duplicati.Library.Main;
using Duplicati.Library.Main.Database;
using Duplicati.Library.Main.Database.Local;

namespace Duplicati.Engine.Transfer;

/// <summary>
/// Volumes that complete versions need although their rows say that they go, are gone, or never came. No operation leaves such rows: what
/// is
/// deleted holds nothing any more, and what was on its way when an operation was interrupted belongs to a version that was, too.
/// </summary>
/// <param name="database">The database.</param>
/// <param name="isInterrupted">Whether an operation that uploads was interrupted, or is at work.</param>
internal sealed class NeededVolumes(LocalDatabase database, bool isInterrupted)
{
    /// <summary>Whether a volume in a state other than Uploaded and Verified is one of them.</summary>
    /// <param name="volume">The volume.</param>
    /// <param name="isThere">Whether its file is in the remote folder. An index volume that is not is made anew by the next backup.</param>
    internal bool Contains(RemoteVolumeEntry volume, bool isThere) =>
        volume.Type switch
        {
            RemoteVolumeType.Blocks => Ask(NeededVolumesSql.HOLDS_BLOCKS, volume) && Ask(NeededVolumesSql.HOLDS_BLOCKS_OF_COMPLETE, volume),
            RemoteVolumeType.Index => isThere && IsOnlyIndex(volume),
            _ => !IsUnfinished(volume) && Ask(NeededVolumesSql.LISTS_ENTRIES, volume),
        };

    /// <summary>Whether a volume in such a state is the only index volume of one that holds blocks.</summary>
    internal bool IsOnlyIndex(RemoteVolumeEntry volume) =>
        volume.Type == RemoteVolumeType.Index && !IsUnfinished(volume) && Ask(NeededVolumesSql.IS_ONLY_INDEX, volume);

    // Hash and size are recorded when the upload begins.
    private bool IsUnfinished(RemoteVolumeEntry volume) =>
        volume.State switch
        {
            RemoteVolumeState.Temporary => string.IsNullOrEmpty(volume.Hash),
            RemoteVolumeState.Uploading => isInterrupted,
            _ => false,
        };

    private bool Ask(string question, RemoteVolumeEntry volume)
    {
        using var command = database.Connection.CreateCommand();
        command.CommandText = question;
        command.Parameters.AddWithValue("@volume", volume.ID);
        if (question == NeededVolumesSql.HOLDS_BLOCKS_OF_COMPLETE)
            command.Parameters.AddWithValue("@interrupted", isInterrupted);
        return command.ExecuteScalar() is 1L;
    }
}
