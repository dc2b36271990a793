// Copyright (c) 2026 The contributors of the Duplicati data layer
// SPDX-License-Identifier: MIT

#nullable enable

using System;
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Duplicati.Library.Main.Database.Backup;
using Duplicati.Library.Main.Database.Session;

namespace Duplicati.Library.Main.Database.Local;

internal partial class LocalBackupDatabase
{
    /// <summary>Names of the lists of incomplete filesets, oldest first, or only of the newest.</summary>
    public Task<IEnumerable<string>> GetTemporaryFilelistVolumeNamesAsync(bool latestOnly, CancellationToken token) =>
        Session.ShortAsync(session => BackupVolumeReads.TemporaryLists(session, latestOnly), token, tellsMore: false);

    /// <summary>Names of the stored block volumes that no index volume describes. A stable copy.</summary>
    public IAsyncEnumerable<string> GetMissingIndexFilesAsync(CancellationToken token) =>
        Session.SnapshotAsync(Locked(BackupVolumeReads.WithoutIndex, token), token);

    /// <summary>Removes a volume that stores no live block. Does not commit.</summary>
    /// <exception cref="Exception">A live block is stored in the volume.</exception>
    public Task SafeDeleteRemoteVolumeAsync(string name, CancellationToken token)
    {
        try
        {
            if (Session.Do(session => HasBlocksFromNowOn(session, name), token))
                throw new Exception($"The volume {name} still stores live blocks and cannot be removed.");
        }
        catch (Exception ex)
        {
            return Session.Failed<bool>(ex);
        }

        return RemoveRemoteVolumeAsync(name, token);
    }

    // With the write lock, which stays until the commit: nobody else gives it one before it is removed.
    private static bool HasBlocksFromNowOn(DatabaseSession session, string name)
    {
        session.BeginWriting();
        return BackupVolumeReads.HasBlocks(session, name);
    }

    /// <summary>Bytes of the newest block volume that was uploaded but not yet seen in a listing; -1 if there is none.</summary>
    public Task<long> GetLastWrittenDBlockVolumeSizeAsync(CancellationToken token) =>
        Session.ShortAsync(BackupVolumeReads.LastUploadedSize, token, tellsMore: false);
}
